import { hideSecrets } from '../../secrets/known-secrets.ts';
import { cleanLine } from '../../text/problem.ts';
import { isMap } from '../json-value.ts';
import type { Image } from '../models/model-contract.ts';
import type { Params } from './mcp-messages.ts';

/** What a tool of a server gave back, as a model is shown it: its words, and its images where a model can look at them. */
export function readToolResult({ content, structuredContent, isError }: Params, room: ImageRoom) {
  const images: Image[] = [];
  const parts = (Array.isArray(content) ? content : []).filter(isMap).map((part) => {
    if (part.type === 'text' && typeof part.text === 'string') return part.text;
    const resource = isMap(part.resource) ? part.resource : {};
    if (typeof resource.text === 'string') return resource.text;
    if (part.type === 'resource_link') return linkOf(part);
    const image = imageIn(part.data ?? resource.blob);
    // A failure is told in words alone: not every provider takes another one.
    if (image === undefined || isError === true || room.left === 0) return unshown(part, image?.type);
    room.left -= 1;
    images.push(image);
    return `[image ${images.length}: ${image.type}]`;
  });
  const isBare = parts.length === 0 && structuredContent !== undefined;
  return { text: isBare ? JSON.stringify(structuredContent) : parts.join('\n'), images };
}

/** How many more images a model is shown in one attempt: each is sent again with every question. */
export interface ImageRoom {
  left: number;
}

const wordOf = (value: unknown, most: number): string =>
  typeof value === 'string' ? cleanLine(hideSecrets(value), most) : '';

/** A resource that a tool only points to. No one here can open it, but another tool may. */
function linkOf({ name, uri, mimeType, description }: Params): string {
  const [title, address, type, words] = [
    wordOf(name, 200),
    wordOf(uri, 1_000),
    wordOf(mimeType, 100),
    wordOf(description, 500),
  ];
  return `[resource ${title}: ${address}${type && ` (${type})`}]${words && ` ${words}`}`;
}

const unshown = ({ type }: Params, image = ''): string =>
  `[${image || wordOf(type, 40) || 'something'}, which cannot be shown]`;

const mostImageBytes = 2 * 1024 * 1024;

/** How an image begins, of the kinds that all providers take. What a server calls it is not believed. */
const beginnings = { 'image/png': 'iVBORw0KGgo', 'image/jpeg': '/9j/' } as const;

function imageIn(data: unknown): Image | undefined {
  if (typeof data !== 'string' || data.length > (mostImageBytes * 4) / 3 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return undefined;
  const [type] = Object.entries(beginnings).find(([, beginning]) => data.startsWith(beginning)) ?? [];
  return type === undefined ? undefined : { type: type as Image['type'], data };
}
