import { type Draft, isSpecId, priorities, risks, type Spec } from '../../domain/words/spec.ts';
import {
  type Field,
  type Fields,
  readLine,
  readWhole,
  readWord,
  refuseUnknownKeys,
  wrongValue,
} from '../../text/field.ts';
import { formatFrontMatter, readFrontMatter } from '../../text/front-matter.ts';
import { cleanLine, isClean, problemAt, quoted, shown } from '../../text/problem.ts';

const keys = ['id', 'title', 'by', 'role', 'attempts', 'risk', 'domain', 'priority'];
const maxTitle = 200;
/** The longest text of a spec, in bytes. */
export const maxBody = 256 * 1024;

/** A spec as it stands on the queue or on the trunk. Its number comes from the front matter, the file's name, or both. */
export function parseSpec(text: string, file: string): Spec {
  const { fields, draft } = readDraft(text, file, 'people');
  return { id: readId(fields.get('id'), file), ...draft };
}

/** A spec that has no number yet: the queue gives it one. */
export function parseDraft(text: string, file: string): Draft {
  const { fields, draft } = readDraft(text, file, 'chief');
  const id = fields.get('id');
  if (id !== undefined) {
    throw problemAt(
      'spec/id',
      id.keyPlace,
      'a draft has an id, expected none',
      'Take the line out: the queue numbers specs.',
    );
  }
  return draft;
}

/** parseSpec is its inverse. */
export function formatSpec(spec: Spec): string {
  const { id, by, role, attempts, risk, priority, body } = spec;
  const title = cleanLine(spec.title, maxTitle);
  const domain = spec.domain === undefined ? undefined : cleanLine(spec.domain, maxTitle);
  return formatFrontMatter({ id, title, by: cleanLine(by), role, attempts, risk, domain, priority }, body);
}

function readDraft(text: string, file: string, by: string): { readonly fields: Fields; readonly draft: Draft } {
  const { fields = new Map(), body, bodyLine } = readFrontMatter(text, file, 'spec');
  refuseUnknownKeys(fields, keys);
  const size = Buffer.byteLength(body);
  if (size > maxBody) {
    const what = `the text has ${size} bytes, expected at most ${maxBody}`;
    throw problemAt('spec/value', { file, line: bodyLine, column: 1 }, what, 'Say it in fewer words.');
  }
  const author = fields.get('by');
  const attempts = fields.get('attempts');
  const risk = fields.get('risk');
  const role = fields.get('role');
  const domain = fields.get('domain');
  const priority = fields.get('priority');
  const rest = {
    by: author === undefined ? by : readShortLine(author, 'a name', 'Write by: chief, or your name.'),
    ...(role === undefined ? {} : { role: readWord(role, ['human']) }),
    attempts: attempts === undefined ? undefined : readWhole(attempts, 1, 1000),
    ...(risk === undefined ? {} : { risk: readWord(risk, risks) }),
    ...(domain === undefined ? {} : { domain: readShortLine(domain, 'a domain', 'Write domain: backend.') }),
    ...(priority === undefined ? {} : { priority: readWord(priority, priorities) }),
  };
  const title = fields.get('title');
  if (title !== undefined) {
    const hint = 'Write the title on one line, in quotes if it holds a colon.';
    return { fields, draft: { title: readShortLine(title, 'one line of text', hint), ...rest, body } };
  }
  return { fields, draft: { ...takeHeading(body, bodyLine, file), ...rest } };
}

function readShortLine(field: Field, expected: string, hint: string): string {
  const text = readLine(field, expected, hint);
  if ([...text].length > maxTitle) throw wrongValue(field, `${expected} of at most ${maxTitle} characters`, hint);
  return text;
}

/** Without a title in the front matter the first heading is the title, and the rest is the body. */
function takeHeading(body: string, bodyLine: number, file: string): { readonly title: string; readonly body: string } {
  const lines = body.split('\n');
  let fenced = false;
  const index = lines.findIndex((line) => {
    if (/^\s{0,3}(?:```|~~~)/.test(line)) fenced = !fenced;
    return !fenced && /^# +\S/.test(line);
  });
  const hint = 'Put title: "what to try" in the front matter, or begin the text with a line "# what to try".';
  if (index === -1) {
    throw problemAt(
      'spec/missing',
      { file, line: bodyLine, column: 1 },
      'title is missing, expected one line of text',
      hint,
    );
  }
  const heading = (lines[index] ?? '').slice(1).trim();
  const title = heading.length > 2 * maxTitle ? heading : heading.replace(/[ \t]+#+$/, '');
  if (!isClean(title) || [...title].length > maxTitle) {
    const what = `the title is ${quoted(title)}, expected at most ${maxTitle} characters, none of them control characters`;
    throw problemAt('spec/value', { file, line: bodyLine + index, column: 1 }, what, hint);
  }
  const rest = [...lines.slice(0, index), ...lines.slice(index + 1)].join('\n');
  return { title, body: rest.replace(/^\n+/, '').trimEnd() };
}

function readId(field: Field | undefined, file: string): string {
  const named = /(?:^|\/)([0-9]{4,9})(?:-[^/]*)?\.md$/.exec(file)?.[1];
  if (field === undefined) {
    if (named !== undefined) return named;
    const what = 'id is missing, expected digits in quotes';
    throw problemAt(
      'spec/id',
      { file, line: 1, column: 1 },
      what,
      'Write id: "0001", or name the file 0001-what-to-try.md.',
    );
  }
  const text = field.value.kind === 'scalar' ? field.value.text : undefined;
  if (text === undefined || !isSpecId(text)) {
    const found = text === undefined ? 'not a word' : shown(text);
    const what = `id is ${found}, expected 4 to 9 digits in quotes`;
    throw problemAt('spec/id', field.place, what, 'Write it as id: "0001".');
  }
  if (named !== undefined && named !== text) {
    const what = `id is ${quoted(text)}, expected ${quoted(named)} as in the file's name`;
    throw problemAt('spec/id', field.place, what, 'Rename the file, or change the id.');
  }
  return text;
}

/** A spec that policies keep from everybody, by one of their decisions. */
export interface RefusedSpec {
  readonly spec: string;
  /** 12 is D12. */
  readonly n: number;
  /** What the decision says. */
  readonly words: string;
}

/** More than that nobody reads: a change of a policy changes it for all of them. */
const most = 20;

/** `0007 D12 a policy is against it: …`, a line for each, as the end of a run says it. */
export const formatRefused = (refused: readonly RefusedSpec[]): string =>
  refused
    .slice(0, most)
    .map(({ spec, n, words }) => `${spec} D${n} ${words.replaceAll(/\s+/g, ' ')}`)
    .join('\n');

export const parseRefused = (text: string): readonly RefusedSpec[] =>
  text.split('\n').flatMap((line) => {
    const [, spec, n, words] = /^([0-9]{4,9}) D([0-9]+) (.*)$/.exec(line) ?? [];
    return spec === undefined || n === undefined || words === undefined ? [] : [{ spec, n: Number(n), words }];
  });
