import type { Brief } from '../../domain/words/brief.ts';
import { foldName, type Globs, isUnseen, readGlobs, showPath, whyBadPath } from '../../text/paths.ts';
import { type SeedChange, seedsIn } from './seed-change.ts';

/** A path that differs between a base and what an agent offers, with git's modes. */
export interface PathDifference {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** How large it is now, where that is known. */
  readonly bytes?: number | undefined;
}

/** What of the brief decides whether an agent may make a difference. */
export interface Boundary {
  readonly inSandbox: (path: string) => boolean;
  /** Files that steer other agents or tools, which the brief lets agents write all the same. */
  readonly isAllowed: (path: string) => boolean;
}

/** The zones of a repository, by the brief: which paths an agent may change, and which it may not. */
export interface Zones extends Boundary {
  readonly sandbox: Globs;
  /** Harness and includes: there to be read. */
  readonly fixed: Globs;
  /** What of that only the judge may see. */
  readonly holdout: Globs;
}

/** A sandbox that names a file outright allows it; so does `allow`, whose patterns count from any directory on. */
export function zonesOf(brief: Brief): Zones {
  const known = zonesKnown.get(brief);
  if (known !== undefined) return known;
  const sandbox = readGlobs(brief.sandbox);
  const allowed = readGlobs(brief.allow).names;
  const zones = {
    sandbox,
    fixed: readGlobs([brief.harness, ...brief.include]),
    holdout: readGlobs(brief.holdout),
    inSandbox: sandbox.names,
    isAllowed: (path: string) => brief.sandbox.includes(path) || tailsOf(path).some(allowed),
  };
  zonesKnown.set(brief, zones);
  return zones;
}

const zonesKnown = new WeakMap<Brief, Zones>();

/** A path and all that is left of it without its first directories. */
export const tailsOf = (path: string): readonly string[] =>
  path.split('/').map((_, index, parts) => parts.slice(index).join('/'));

/** What one candidate may bring: a notebook is history for ever, and a room is filled with it for every measurement. */
export const caps = { fileBytes: 10_000_000, bytes: 50_000_000, files: 2_000 } as const;

/** Everything that an agent may not have done, in words; empty when the candidate may be measured. */
export function breaches(differences: readonly PathDifference[], boundary: Boundary): string[] {
  const brought = differences.filter(({ after }) => after !== undefined);
  const bytes = brought.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
  return [
    ...differences.flatMap((difference) => breach(difference, boundary) ?? []),
    ...(brought.length > caps.files ? [`changed more than ${caps.files} files`] : []),
    ...(bytes > caps.bytes ? [`changed files of ${bytes} bytes in all, more than ${caps.bytes}`] : []),
  ];
}

/**
 * Why an agent may not make this difference, or undefined when it may: only regular files of the sandbox may differ,
 * and none that git, a tool or the next agent would read as more than a file.
 */
export function breach(difference: PathDifference, boundary: Boundary): string | undefined {
  const { path, before, after, bytes = 0 } = difference;
  const shown = showPath(path);
  const done = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
  // First: no pattern of a sandbox matches a line break, so such a name would be outside wherever it is.
  if (before === undefined && isUnseen(path)) return `added ${shown}, a name with invisible characters`;
  if (!boundary.inSandbox(path)) return `${done} ${shown}, which is outside the sandbox`;
  if (after !== undefined && after !== '100644' && after !== '100755')
    return `made ${shown} something other than a regular file`;
  if (before !== undefined && after !== undefined && before !== after) return `changed the mode of ${shown}`;
  const bad = before === undefined ? whyBadPath(path) : undefined;
  if (bad !== undefined) return `added ${shown}, ${bad}`;
  if (bytes > caps.fileBytes) return `${done} ${shown}, ${bytes} bytes, more than ${caps.fileBytes}`;
  const steering = boundary.isAllowed(path) ? undefined : steeringFile(path);
  if (steering === undefined) return undefined;
  const wrote = after === undefined ? 'removed' : 'wrote';
  return `${wrote} ${shown}, which ${steering.does}; program.md may allow it: allow: [${steering.allow}]`;
}

/** A list of breaches as one reason: the first few in full, and how many more there are. */
export function breachesInWords(found: readonly string[]): string {
  const more = found.length > 5 ? `, and ${found.length - 5} more` : '';
  return found.slice(0, 5).join('; ') + more;
}

/**
 * What makes a path more than the candidate's own code: the next agent, an editor or an interpreter reads it without
 * being asked to. Undefined for an ordinary file. Letters' case is ignored, as many a tool does. Gives what it does, as the end of
 * "..., which", and what a brief must say after `allow:` to let agents write it.
 */
function steeringFile(path: string): { readonly does: string; readonly allow: string } | undefined {
  const parts = path.split('/');
  for (const [index, part] of parts.entries()) {
    const name = foldName(part);
    const inside = index < parts.length - 1;
    const does = table.find(({ names }) => names.test(name))?.does;
    if (does !== undefined) return { does, allow: showPath(inside ? `${part}/**` : part) };
  }
  return undefined;
}

/** Whether a file or a directory of this name speaks to agents, as instructions, settings, hooks or servers of tools. */
export const speaksToAgents = (name: string): boolean =>
  table[0]?.names.test(foldName(name)) === true || /^\.env(\..*)?$/.test(foldName(name));

/** By the whole name of a file or of a directory on the way to it; what speaks to agents comes first. */
const table: readonly { readonly does: string; readonly names: RegExp }[] = [
  {
    does: 'tells other agents what to do',
    names: anyOf(
      String.raw`agents?(\.override|\.local)?\.md|claude(\.local)?\.md|gemini\.md|copilot\.md|codex\.md|qwen\.md|warp\.md`,
      String.raw`copilot-instructions\.md|.*\.(instructions|prompt|chatmode)\.md`,
      String.raw`\.cursorrules|\.windsurfrules|\.clinerules|\.roorules.*|\.roomodes|\.goosehints|\.rules`,
      String.raw`\.claude|\.codex|\.gemini|\.cursor|\.opencode|\.windsurf|\.continue|\.roo|\.kiro|\.junie|\.amazonq|\.agents?`,
      String.raw`\.aider.*|opencode\.jsonc?|\.mcp\.json|\.trae|\.augment-guidelines|conventions\.md`,
    ),
  },
  {
    does: 'editors and shells obey when the directory is opened',
    names: anyOf(
      String.raw`\.vscode|\.idea|\.zed|\.devcontainer|\.devcontainer\.json|\.exrc|\.vimrc|\.nvimrc|\.nvim\.lua|\.dir-locals\.el`,
      String.raw`\.envrc|\.mise\.toml|mise\.toml|\.bashrc|\.bash_profile|\.profile|\.zshrc|\.zshenv|\.inputrc`,
    ),
  },
  {
    does: 'tools and interpreters load without being asked',
    names: anyOf(
      String.raw`\.npmrc|\.yarnrc.*|\.pnp\..*|\.pnpmfile\.c?js|\.husky|lefthook\.ya?ml|\.pre-commit-config\.yaml|bunfig\.toml|\.cargo`,
      String.raw`sitecustomize\.py|usercustomize\.py|\.pdbrc|\.gdbinit|\.lldbinit|\.node_repl_history`,
      String.raw`conftest\.py|.*\.pth|pyvenv\.cfg|tox\.ini|\.python-version|\.tool-versions|\.rprofile|\.eslintrc.*`,
      String.raw`\.env|\.env\..*|\.netrc|\.curlrc`,
    ),
  },
];

function anyOf(...names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})$`);
}

/** A file that a candidate changes, before and after; undefined where there is none. */
export interface TextChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/**
 * The seeds that a candidate changes, when it changes nothing else but blanks; undefined for any other change. Another
 * seed is another draw of the same lot: what it gains is luck, and it must not be measured as if it were work.
 * In doubt it is a real change, which costs a measurement and no more.
 */
export function seedChanges(changes: readonly TextChange[]): readonly SeedChange[] | undefined {
  const found: SeedChange[] = [];
  for (const { path, before, after } of changes) {
    if (before === undefined || after === undefined || !speaksOfSeeds.test(before)) return undefined;
    const here = seedsIn(path, before, after);
    if (here === undefined) return undefined;
    found.push(...here);
  }
  return found.length === 0 ? undefined : found;
}

/** Whatever a seed is called, it is called by one of these; a text without them need not be looked through. */
const speaksOfSeeds =
  /seed|rand|rng|generator|source|twister|mt19937|pcg|philox|sfc|mulberry|xorshift|splitmix|xoshiro/i;

/** `only a seed was changed: 42 -> 137` */
export function seedChangesInWords(changes: readonly SeedChange[]): string {
  const shown = changes.slice(0, 3).map(({ from, to }) => `${from.slice(0, 40)} -> ${to.slice(0, 40)}`);
  const more = changes.length > 3 ? `, and ${changes.length - 3} more` : '';
  return `only ${changes.length === 1 ? 'a seed was' : 'seeds were'} changed: ${shown.join(', ')}${more}`;
}
