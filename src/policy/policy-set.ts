import type Cedar from '@cedar-policy/cedar-wasm/nodejs';
import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { nearestName, type Place, type Problem, problemAt, quoted } from '../text/problem.ts';
import { actSchema } from './act-schema.ts';

/** One policy, with what its annotations say. */
export interface Policy extends PolicyStatement {
  /** By which the engine knows it. */
  readonly key: string;
  /** By which people do: its `@id`, or its place in the file, `payments#2`. */
  readonly id: string;
  readonly effect: 'permit' | 'forbid';
  readonly message: string;
  /** The people whose approval lifts it. */
  readonly approval: string | undefined;
}

/** The name under which the engine keeps the schema of acts. */
export const preparedSchema = 'acts';

const known = ['id', 'message', 'approval'];
const approverForm = /^[\p{L}\p{N}][\p{L}\p{N} _.@-]{0,63}$/u;

/** Parses every policy and checks it against the schema of acts; the first that is wrong is thrown. */
export function parsePolicies(engine: CedarEngine, files: ReadonlyMap<string, string>) {
  const policies = new Map<string, Policy>();
  const ids = new Map<string, Policy>();
  for (const [file, source] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const [index, statement] of statementsIn(file, source).entries()) {
      const policy = readPolicy(engine, statement, index);
      const twin = ids.get(policy.id);
      if (twin !== undefined)
        throw wrongPolicy(placeInPolicy(policy, 0), `@id("${policy.id}") is taken`, `By ${twin.file}:${twin.line}.`);
      ids.set(policy.id, policy);
      policies.set(policy.key, policy);
    }
  return { policies, warnings: orTooMuch(allOf(files), () => validate(engine, policies)) };
}

function readPolicy(engine: CedarEngine, statement: PolicyStatement, index: number): Policy {
  const read = orTooMuch(placeInPolicy(statement, 0), () => engine.policyToJson(statement.text));
  if (read.type === 'failure') throw problemFrom(statement, read.errors[0]);
  const { effect, annotations = {} } = read.json;
  // One without a value is null.
  const said = Object.fromEntries(Object.entries(annotations).map(([name, value]) => [name, value ?? '']));
  for (const name of Object.keys(said)) {
    const meant = known.includes(name) ? undefined : nearestName(name, known);
    if (meant !== undefined)
      throw wrongAnnotation(statement, name, `@${name} means nothing here`, `Did you mean @${meant}("…")?`);
  }
  const { id, message = '', approval } = said;
  const wrongApproval = (what: string, hint: string) => wrongAnnotation(statement, 'approval', what, hint);
  if (approval !== undefined && effect === 'permit') throw wrongApproval('@approval stands on a permit', forbidHint);
  if (approval !== undefined && !approverForm.test(approval)) {
    const what = approval === '' ? '@approval names nobody' : noApprover(approval);
    throw wrongApproval(what, 'Write who must say yes: @approval("board").');
  }
  const name = statement.file.replace(/^.*\//, '').replace(/\.cedar$/, '');
  return {
    ...statement,
    ...{ key: `${statement.file}:${statement.line}:${statement.column}`, effect, message, approval },
    id: id || `${name}#${index + 1}`,
  };
}

const forbidHint = 'Write a forbid for what needs a yes, with @approval("board") on it, beside a permit for all of it.';

const noApprover = (said: string): string =>
  `@approval is ${quoted(said)}, expected one name of letters, digits, . _ @ - and blanks inside it, 64 at most`;

/** Where the annotation itself stands, so that an editor jumps to it. */
function wrongAnnotation(statement: PolicyStatement, name: string, what: string, hint: string): Problem {
  const at = new RegExp(`@\\s*${name}\\b`).exec(statement.text)?.index ?? 0;
  return problemAt('org/policy', placeInPolicy(statement, Buffer.byteLength(statement.text.slice(0, at))), what, hint);
}

function validate(engine: CedarEngine, policies: ReadonlyMap<string, Policy>): readonly Problem[] {
  const schema = engine.preparseSchema(preparedSchema, actSchema);
  const checked = engine.validate({
    schema: actSchema,
    policies: { staticPolicies: Object.fromEntries([...policies].map(([key, { text }]) => [key, text])) },
  });
  const broken = schema.type === 'failure' ? schema : checked.type === 'failure' ? checked : undefined;
  if (broken !== undefined) throw new Error(broken.errors.map(({ message }) => message).join('; '));
  if (checked.type === 'failure') return [];
  const problems = checked.validationErrors.flatMap(({ policyId, error }) => problemsIn(policies.get(policyId), error));
  const [first, ...more] = problems.sort((a, b) => (placeKey(a) < placeKey(b) ? -1 : 1));
  if (first !== undefined && more.length === 0) throw first;
  if (first?.place !== undefined)
    throw wrongPolicy(first.place, withoutPlace(first), `${first.hint}\n${more.length} more in policies/.`);
  return checked.validationWarnings.flatMap(({ policyId, error }) => problemsIn(policies.get(policyId), error));
}

const problemsIn = (policy: Policy | undefined, error: DetailedError): readonly Problem[] =>
  policy === undefined ? [] : [problemFrom(policy, error)];

const placeKey = ({ place }: Problem): string =>
  `${place?.file} ${String(place?.line).padStart(9, '0')} ${String(place?.column).padStart(9, '0')}`;
const withoutPlace = ({ message }: Problem): string => message.replace(/^\S+:\d+:\d+: /, '');

/** The engine does not refuse what is too much for it: it falls over, and nothing that it says afterwards counts. */
export const orTooMuch = <T>(place: Place, ask: () => T): T =>
  withoutTrap(ask, (why) => {
    const hint = 'Make it shorter, or several policies of it: each forbid counts for itself.';
    throw wrongPolicy(place, `this is more than Cedar can read (${why})`, hint);
  });

const wrongPolicy = (place: Place, what: string, hint: string): Problem => problemAt('org/policy', place, what, hint);

/** What is wrong with all of them has no line. */
export const allOf = (files: ReadonlyMap<string, string>): Place => ({ file: [...files.keys()].join(', ') });

const usualHint =
  'What can be said of each act: docs/policies.md of orgrepo. The language: https://docs.cedarpolicy.com';

function problemFrom(statement: PolicyStatement, error: DetailedError | undefined): Problem {
  const [where] = error?.sourceLocations ?? [];
  const what = (error?.message ?? 'it is not a policy')
    .replace(/^failed to parse policy from string: /, '')
    .replace(/^for policy `[^`]*`, /, '');
  const help = (error?.help ?? where?.label ?? '').replace(/^for policy `[^`]*`, /, '');
  const end = /[.?!]$/.test(help) ? '' : '.';
  const hint = help === '' ? usualHint : `${help.charAt(0).toUpperCase()}${help.slice(1)}${end}`;
  return wrongPolicy(placeInPolicy(statement, where?.start ?? 0), what, hint);
}

/** One policy as it stands in a file. */
interface PolicyStatement {
  readonly file: string;
  readonly text: string;
  /** Where it begins, from 1. */
  readonly line: number;
  readonly column: number;
}

/**
 * Cuts a Cedar file into its policies, so that each can be named by its line. A semicolon ends one wherever it does not stand
 * in a text or a comment; what is wrong inside of it Cedar will say.
 */
function statementsIn(file: string, source: string): readonly PolicyStatement[] {
  const text = source.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const found: PolicyStatement[] = [];
  let begun: number | undefined;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/\/\/.*|"(?:[^"\\]|\\[\s\S])*"?|[;()[\]{}]|[^\s"/;()[\]{}]+|\//g)) {
    if (token.startsWith('//')) continue;
    begun ??= index;
    if (/^[([{]$/.test(token) && ++depth > maxDepth) throw tooDeep({ file, ...placeIn(text, index) });
    if (/^[)\]}]$/.test(token)) depth = Math.max(0, depth - 1);
    if (token !== ';') continue;
    found.push(statementAt(file, text, begun, index + 1));
    begun = undefined;
    depth = 0;
  }
  if (begun !== undefined) found.push(statementAt(file, text, begun, text.trimEnd().length));
  return found;
}

/** The engine reads brackets by calling itself, and a few hundred of them are more than it survives. */
const maxDepth = 40;

const tooDeep = (place: Place): Problem =>
  wrongPolicy(
    place,
    `this bracket is the ${maxDepth + 1}st that is open, and at most ${maxDepth} can be`,
    'Take out brackets that change nothing, or make several policies of it: each forbid counts for itself.',
  );

function statementAt(file: string, text: string, start: number, end: number): PolicyStatement {
  return { file, text: text.slice(start, end), ...placeIn(text, start) };
}

/** The line and column in its file of a byte of a statement, as Cedar counts. */
function placeInPolicy({ file, text, line, column }: PolicyStatement, byte: number) {
  const at = Buffer.from(text).subarray(0, byte).toString('utf8').length;
  const inside = placeIn(text, at);
  return {
    file,
    line: line + inside.line - 1,
    column: inside.line === 1 ? column + inside.column - 1 : inside.column,
  };
}

function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  return { line: before.split('\n').length, column: at - before.lastIndexOf('\n') };
}

/** Cedar itself, in this process. Loading it takes 40 ms and 4 MB, so that is left until there is a policy. */
export type CedarEngine = typeof Cedar;

let loading: Promise<CedarEngine> | undefined;

export function loadCedar(): Promise<CedarEngine> {
  loading ??= import('@cedar-policy/cedar-wasm/nodejs').then(({ default: cedar }) => cedar); // The bundle has no other name for it.
  return loading;
}

/**
 * What the engine says; `otherwise` of a policy that is too much for it, which it does not refuse but falls over: it runs out of the
 * stack or the memory that it has. Every other error is a bug of ours.
 */
export function withoutTrap<T, U>(ask: () => T, otherwise: (why: string) => U): T | U {
  try {
    return ask();
  } catch (error) {
    const isTrap = error instanceof Error && (error.name === 'RuntimeError' || error instanceof RangeError);
    if (isTrap) return otherwise(error.message);
    throw error;
  }
}
