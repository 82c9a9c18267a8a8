import { readAliases } from '../../brief/read/brief-models.ts';
import type { CulturePreset } from '../../domain/staff/charter.ts';
import { entryAt, type TreeEntry } from '../../git/objects/tree.ts';
import type { Org } from '../../records/org.ts';
import { decodeText } from '../../text/decode.ts';
import { readFrontMatter } from '../../text/front-matter.ts';
import { type CharterReading, type OrgFiles, orgFile, readCharter, yamlFile } from '../read/org-file.ts';
import { staffed } from '../rules/roster.ts';
import type { PinnedBrief } from './pin-brief.ts';

/** The organisation as it stands in a tree; undefined where people have written none. `brief` lends it its names for models. */
export async function charterAt(
  org: Org,
  tree: string,
  brief: string,
  culture?: CulturePreset | undefined,
): Promise<CharterReading | undefined> {
  const [orgMd, orgYaml] = await Promise.all([orgFile, yamlFile].map((file) => fileAt(org, tree, file)));
  if (orgMd === undefined && orgYaml === undefined && culture === undefined) return undefined;
  const key = [orgMd?.oid, orgYaml?.oid, culture, brief].join(' ');
  const known = readings.get(key);
  if (known !== undefined) return known;
  const reading = readCharter(await orgTextsAt(org, tree), { models: aliasesIn(brief), culture });
  if (readings.size >= mostReadings) readings.clear();
  readings.set(key, reading);
  return reading;
}

/** A command looks at one or two organisations, and at each several times; a large one takes a fifth of a second to read. */
const readings = new Map<string, CharterReading>();
const mostReadings = 8;

/** The organisation's files as they stand in a tree. */
export async function orgTextsAt(org: Org, tree: string): Promise<OrgFiles> {
  const [orgMd, orgYaml] = await Promise.all([textAt(org, tree, orgFile), textAt(org, tree, yamlFile)]);
  return { orgMd, orgYaml };
}

/** A brief under an organisation: its chart says who works. */
export const under = (charter: CharterReading | undefined, pinned: PinnedBrief): PinnedBrief =>
  charter === undefined ? pinned : { ...pinned, brief: staffed(pinned.brief, charter.charter), charter };

/** The reader of the text refuses it for its size long before, and says how large it is; more than this is not a string any more. */
const mostBytes = 256 * 1024 * 1024;

/** A link does not count: it could lead anywhere. */
async function fileAt(org: Org, tree: string, file: string): Promise<TreeEntry | undefined> {
  const entry = await entryAt(org.repo, tree, file);
  return entry?.mode.startsWith('100') ? entry : undefined;
}

async function textAt(org: Org, tree: string, file: string): Promise<string | undefined> {
  const entry = await fileAt(org, tree, file);
  const blob = entry && (await org.repo.reader.read(entry.oid));
  return blob && decodeText(blob.content.subarray(0, mostBytes), file, 'org/syntax');
}

function aliasesIn(brief: string): ReadonlyMap<string, string> {
  const { fields } = readFrontMatter(brief, 'program.md', 'brief');
  return new Map(fields === undefined ? [] : [...readAliases(fields)].map(([word, { model }]) => [word, model]));
}
