import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { formatModelId, type ModelId } from '../../domain/words/model-id.ts';
import { editTree, entryAt, newObject, storeObject } from '../../git/objects/tree.ts';
import { traceRef } from '../../git/refs/ref-names.ts';
import { type BookEntry, readEntry, readTip, writeEntry } from '../../records/entry.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { findSecret, hideSecrets } from '../../secrets/known-secrets.ts';
import { cutTrace, mapTrace, note, parseTrace, toolCounts } from './trace-text.ts';

/** What was said and done in one piece of work, as it is about to be written. */
interface NewTrace {
  readonly agent: string;
  /** The spec that was worked on; the chief's askings have none, and a ref of their own. */
  readonly spec: string | undefined;
  /** The number of the experiment that it belongs to. */
  readonly n: number | undefined;
  readonly model: ModelId | undefined;
  /** The try that it led to; of an asking of the chief's, the queue as it was. */
  readonly cause: string;
  /** A JSON object a line: `agents/trace/trace-text.ts`. */
  readonly text: string;
}

const traceFile = 'trace.ndjson.gz';

/** So much is stored of one, packed and unpacked; what is more loses its middle. */
const mostPacked = 1024 * 1024;
const mostBytes = 4 * 1024 * 1024;

/**
 * Adds a trace to the ref of its spec. The store cannot see into what is packed, so this is where secrets are looked
 * for, in the whole text and before any of it is cut. The try becomes a parent: it stays for as long as its trace.
 */
export async function storeTrace(org: Org, trace: NewTrace): Promise<void> {
  const ref = traceRef(trace.spec);
  const hidden = withoutSecrets(trace.text);
  const { packed, text } = await pack(hidden);
  const blob = storeObject(org.repo, newObject(org.repo.hash, 'blob', packed));
  const { oid: tree, objects } = await editTree(
    org.repo,
    undefined,
    new Map([[traceFile, { mode: '100644', oid: blob }]]),
  );
  for (const object of objects) storeObject(org.repo, object);
  const tools = [...toolCounts(parseTrace(hidden))].map(([name, count]) => `${name} ${count}`);
  for (;;) {
    const tip = (await readTip(org, ref))?.commit.oid;
    const commit = await writeEntry(org, {
      tree,
      parents: [tip ?? (await trunkTip(org)), trace.cause],
      agent: trace.agent,
      title: `trace: ${trace.agent}${trace.n === undefined ? '' : ` #${trace.n}`}`,
      body: tools.length === 0 ? '' : `tools: ${tools.join(', ')}`,
      trailers: {
        Event: 'trace',
        Spec: trace.spec,
        Experiment: trace.n,
        Agent: trace.agent,
        Model: trace.model && formatModelId(trace.model),
        Host: org.host,
        Cause: trace.cause,
        Reason: text === hidden ? undefined : `${hidden.length - text.length} characters are left out`,
      },
    });
    if (await org.repo.refs.move(ref, commit, tip)) return;
  }
}

export const isTrace = ({ event }: Pick<BookEntry, 'event'>): boolean => event === 'trace';

/** The traces of one try: its maker's, and those of its reviewers. */
export async function tracesOf(org: Org, spec: string, tryCommit: string): Promise<readonly BookEntry[]> {
  return (await allTracesOf(org, spec)).filter((entry) => entry.get('Cause') === tryCommit);
}

/** All that was said and done for a spec, oldest first; without one, what the chief said. */
export async function allTracesOf(org: Org, spec: string | undefined): Promise<readonly BookEntry[]> {
  const found: BookEntry[] = [];
  let entry = await readEntry(org, traceRef(spec));
  while (entry !== undefined && isTrace(entry)) {
    found.push(entry);
    entry = await readEntry(org, entry.commit.parents[0] ?? '');
  }
  return found.reverse();
}

/** The text of a trace, or what is wrong with what should be one. */
export async function readTrace(org: Org, { commit }: BookEntry) {
  const file = await entryAt(org.repo, commit.tree, traceFile);
  const blob = file?.mode === '100644' ? await org.repo.reader.read(file.oid) : undefined;
  if (blob?.type !== 'blob') return { wrong: `no file ${traceFile}` };
  if (blob.content.length > mostPacked) return { wrong: `${blob.content.length} bytes` };
  try {
    const bytes = await unzip(blob.content, { maxOutputLength: mostBytes });
    const secret = findSecret(bytes);
    return secret === undefined ? { text: bytes.toString('utf8') } : { wrong: `the secret ${secret}` };
  } catch {
    return { wrong: 'something that cannot be unpacked, or is too large' };
  }
}

export const traceInWords = `a gzip of at most ${mostPacked} bytes, with no secret in it`;

/**
 * Most lines hold none. A line that does is cleaned text by text, so that it can still be read; should one be left that
 * reaches from one text to the next, it is worth more than the form of its line.
 */
function withoutSecrets(text: string): string {
  if (findSecret(text) === undefined) return text;
  const lines = text.split('\n').map((line) => (findSecret(line) === undefined ? line : mapTrace(line, hideSecrets)));
  const kept = lines.map((line) =>
    findSecret(line) === undefined ? line : JSON.stringify(note('a line that held a secret is left out')),
  );
  return hideSecrets(kept.join('\n'));
}

const zip = promisify<Buffer, Buffer>(gzip);
const unzip = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);

/** Away from this thread, and the same bytes for the same text: no time and no name of a system stands in them. */
async function pack(whole: string): Promise<{ readonly packed: Buffer; readonly text: string }> {
  for (let text = whole, most = whole.length; ; text = cutTrace(whole, most)) {
    const bytes = Buffer.from(text);
    const packed = await zip(bytes);
    packed[9] = 255;
    const share = Math.min(mostPacked / packed.length, mostBytes / bytes.length);
    if (share >= 1) return { packed, text };
    most = Math.floor(Math.min(most, text.length) * share * 0.9);
  }
}
