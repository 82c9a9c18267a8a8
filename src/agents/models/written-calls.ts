import { isMap, parseJson } from '../json-value.ts';
import type { Part, ToolForm } from './model-contract.ts';
import { callWith } from './provider-form.ts';

/* Servers that hand on what a model writes, unread: its thoughts, and its calls of tools, stand in the text. */

interface Written {
  readonly text: string;
  readonly calls: readonly Part[];
  /** The server should have read a call and has not, whether it can be read here or not. */
  readonly looksWritten: boolean;
}

/** What a text says once its thoughts are gone and its calls are read. Only tools that the model has are called. */
export function readWritten(said: string, tools: readonly ToolForm[], id: (index: number) => string): Written {
  const text = withoutThoughts(said);
  if (tools.length === 0) return { text, calls: [], looksWritten: false };
  const found = inTags(text) ?? asJson(text);
  const calls = found?.values.map((value, index) => callIn(value, tools, id(index))) ?? [];
  const looksWritten = /<tool_call>|^(```\w*\n)?[[{][\s{]{0,20}"(name|function|tool)"/.test(text.trimStart());
  if (found === undefined || calls.includes(undefined)) return { text, calls: [], looksWritten };
  return { text: found.rest.trim(), calls: calls.filter((call) => call !== undefined), looksWritten: true };
}

/** Thoughts that were cut off have no end. Some templates begin them for the model, and it only writes their end. */
function withoutThoughts(text: string): string {
  const begun = /^\s*<think>[\s\S]*?(<\/think>\s*|$)/.exec(text) ?? /^(?:(?!<think>)[\s\S])*?\n<\/think>\s*/.exec(text);
  return begun === null ? text : text.slice(begun[0].length);
}

interface Found {
  readonly values: readonly unknown[];
  /** What else is said. */
  readonly rest: string;
}

/** `<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>`, once or several times. */
function inTags(text: string): Found | undefined {
  const tag = /<tool_call>([\s\S]*?)(<\/tool_call>|$)/g;
  const values = [...text.matchAll(tag)].map(([, json = '']) => parseJson(json));
  return values.length === 0 ? undefined : { values, rest: text.replace(tag, '') };
}

/** The same object, or a list of them, from the beginning of a line to the end of the text, bare or in a fence. */
function asJson(text: string): Found | undefined {
  const at = text.search(/^[[{]/m);
  if (at === -1 || !/"(arguments|parameters)"/.test(text)) return undefined;
  const value = parseJson(text.slice(at).trimEnd().replace(/```$/, ''));
  const rest = text.slice(0, at).replace(/```\w*\n$/, '');
  return value === undefined ? undefined : { values: Array.isArray(value) ? value : [value], rest };
}

function callIn(value: unknown, tools: readonly ToolForm[], id: string): Part | undefined {
  if (!isMap(value) || !tools.some(({ name }) => name === value.name)) return undefined;
  const input = value.arguments ?? value.parameters ?? {};
  return callWith(id, String(value.name), typeof input === 'string' ? parseJson(input) : input);
}
