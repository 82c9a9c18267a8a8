import type { Sdlc, SdlcGate, SdlcPreset, ValuesOf } from '../../domain/staff/charter.ts';
import { noteUnknown } from '../read/org-limits.ts';
import {
  contextOf,
  fromPlace,
  type Known,
  keyLineOf,
  leftAlone,
  mergeFacts,
  type OrgNotes,
  type PlacedText,
  paragraphs,
  takeFacts,
} from '../read/org-metadata.ts';
import { type Item, plainTitle, plainWords, type Section, withChildren } from '../read/org-sections.ts';
import { choice, readYesNo, splitList, wrongSaid, yesNo } from '../read/org-values.ts';
import { formatLines, keysOf, type Lines, presetLine, readSettings, saidSetting } from './org-settings.ts';

/** `## SDLC` with its subsections; a line means the same wherever in them it stands. */
export function readSdlc(section: Section | undefined, yaml: PlacedText | undefined, notes: OrgNotes): Sdlc {
  const parts = (section === undefined ? [] : withChildren(section)).map((one) => {
    const inPulls = /^(?:pull requests?|prs?)$/.test(plainTitle(one.title));
    const inTrees = /^worktrees?$/.test(plainTitle(one.title));
    const taken = takeFacts(one, inPulls ? pullKeys : keys, (item) => inTrees && arrowOf(item) !== undefined);
    noteUnknown(taken.unknown, 'sdlc', keys, notes);
    return { section: one, ...taken, worktrees: inTrees ? taken.items.flatMap((item) => arrowOf(item) ?? []) : [] };
  });
  const facts = mergeFacts(parts);
  refuseOrphans(facts.get('orphan_branches'));
  const items = parts.flatMap((part) => part.items);
  const required = facts.get('pull_requests');
  return {
    ...readSettings(table, facts, yaml, (usual) => ({
      ...usual,
      review: required !== undefined && wantsReview(required) ? saidSetting(true, required) : usual.review,
      verification: verificationIn(items) ?? usual.verification,
    })),
    worktrees: new Map(parts.flatMap(({ worktrees }) => worktrees)),
    context: contextOf(parts),
  };
}

/** `Pull requests: required, approved by a lead`. */
const wantsReview = ({ text }: PlacedText): boolean =>
  /\b(?:approv\w*|review\w*)\b/i.test(text) && !/\bwithout\b/i.test(text);

/** The lines that readSdlc would read this from again; nothing where nothing was said. */
export function formatSdlc(sdlc: Sdlc): string {
  const trees = [...sdlc.worktrees].map(([agent, path]) => `- ${agent} → ${path}`);
  return paragraphs(
    presetLine(sdlc.preset),
    formatLines(sdlcLines, sdlc).join('\n'),
    sdlc.context,
    trees.length === 0 ? '' : `#### Worktrees\n\n${trees.join('\n')}`,
  );
}

function refuseOrphans(fact: PlacedText | undefined): void {
  if (fact === undefined || /^(?:forbidden|never|no|none|not allowed|disallowed)\b/i.test(plainWords(fact.text)))
    return;
  const hint =
    'Write - **Orphan branches:** forbidden, or take the line out: a history of its own can never be merged.';
  throw wrongSaid('Orphan branches', fact, 'forbidden', hint);
}

/** `500 lines (soft), 1000 lines (hard)`; a number alone is the hard one. */
function readMostLines(fact: PlacedText): Sdlc['mostLines']['value'] {
  let [soft, hard]: [number | undefined, number | undefined] = [undefined, undefined];
  const parts = splitList(plainWords(fact.text).replace(/;/g, ','));
  for (const part of parts) {
    const [, figure, kind] = /^([0-9]{1,7})(?:\s*(?:lines?|loc))?(?:\s*\(?(soft|hard)\)?)?$/i.exec(part) ?? [];
    if (figure === undefined) [soft, hard] = [Number.NaN, undefined];
    else if (kind?.toLowerCase() === 'soft') soft = Number(figure);
    else hard = Number(figure);
  }
  const none = /^(?:none|no limit|unlimited)$/i.test(plainWords(fact.text));
  const fine = parts.length > 0 && !Number.isNaN(soft) && soft !== 0 && hard !== 0 && (soft ?? 0) <= (hard ?? 1e7);
  if (none) return { soft: undefined, hard: undefined };
  if (fine) return { soft, hard };
  const expected = 'lines, such as 500 lines (soft), 1000 lines (hard)';
  throw wrongSaid('Max size', fact, expected, 'Write - **Max size:** 500 lines (soft), 1000 lines (hard)');
}

function linesInWords({ soft, hard }: Sdlc['mostLines']['value']): string {
  const parts = Object.entries({ soft, hard }).flatMap(([kind, most]) =>
    most === undefined ? [] : [`${most} lines (${kind})`],
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}

/** ``typecheck passes (`tsc --noEmit`)``: what stands in backticks can be run. */
function gateOf(text: string): SdlcGate {
  const command = /`([^`]+)`/.exec(text)?.[1];
  const words = plainWords(text.replace(/\s*\(?`[^`]+`\)?/, ''));
  return { words: words === '' ? (command ?? '') : words, command };
}

const gateInWords = ({ words, command }: SdlcGate): string =>
  command === undefined ? words : words === command ? `\`${command}\`` : `${words} (\`${command}\`)`;

/** What `Verification` and `Post-deploy` say; the lines stay with agents, which read how it is done. */
function verificationIn(items: readonly Item[]): Sdlc['verification'] | undefined {
  for (const key of ['verification', 'post_deploy'])
    for (const item of items) {
      const line = keyLineOf(item);
      const value = line?.key === key ? verificationOf(line.value) : undefined;
      if (value !== undefined) return { value, from: fromPlace(item.place) };
    }
  return undefined;
}

function readVerification(fact: PlacedText): Sdlc['verification']['value'] {
  const value = verificationOf(fact.text);
  if (value !== undefined) return value;
  const hint = 'Write - **Deploy verification:** smoke';
  throw wrongSaid('Deploy verification', fact, 'none, manual, smoke or full', hint);
}

function verificationOf(words: string): Sdlc['verification']['value'] | undefined {
  const text = plainWords(words).toLowerCase();
  if (/^(?:none|no|optional)\b/.test(text)) return 'none';
  if (/\bsmoke\b/.test(text)) return 'smoke';
  if (/\b(?:e2e|end-to-end|full)\b/.test(text)) return 'full';
  return /\b(?:manual|manually|spot-check)\b/.test(text) ? 'manual' : undefined;
}

/** What stands in backticks, or else all of it. */
const ticked = {
  read: ({ text }: PlacedText): string => /`([^`]+)`/.exec(text)?.[1] ?? plainWords(text),
  write: (value: string | undefined): string => `\`${value ?? ''}\``,
};

/** `designer → /opt/org/openspawn-designer`. */
function arrowOf(item: Item): readonly (readonly [string, string])[] | undefined {
  const [, agent, path] = /^(.{1,100}?)\s*(?:→|->|=>)\s*(\S.{0,400})$/u.exec(plainWords(item.head)) ?? [];
  return agent === undefined || path === undefined ? undefined : [[agent, path]];
}

/** What an SDLC decides beside its preset. */
type SdlcSettings = Omit<Sdlc, 'preset' | 'worktrees' | 'context'>;
type SdlcValues = ValuesOf<SdlcSettings>;

export const sdlcLines: Lines<SdlcSettings> = {
  branching: {
    label: 'Branch strategy',
    also: ['branching', 'branching_strategy'],
    ...choice({ trunk: /^trunk\b|\btrunk-based\b/, feature: /\bfeature\b|^git ?-?flow\b|\blong-lived\b/ }),
    write: (value) => (value === 'trunk' ? 'trunk-based' : 'feature branches'),
    show: String,
  },
  branchNaming: { label: 'Branch naming', ...ticked, show: (value) => value ?? 'free' },
  directPush: {
    label: 'Direct push to main',
    also: ['direct_push', 'direct_push_to_trunk'],
    ...yesNo('allowed', 'never'),
  },
  pullRequests: {
    label: 'Pull requests',
    also: ['prs', 'prs_required', 'pull_requests_required'],
    read: (said) => (readYesNo(said, 'Required') ? 'required' : 'optional'),
    write: String,
  },
  target: { label: 'Target', also: ['pr_target'], ...ticked, show: (value) => value ?? 'the trunk' },
  review: {
    label: 'Review',
    also: ['reviews', 'approval', 'approvals', 'code_review'],
    ...yesNo('required', 'no'),
  },
  mostLines: {
    label: 'Max size',
    also: ['max_pr_size', 'maximum_size'],
    read: readMostLines,
    write: linesInWords,
    show: ({ soft, hard }) => `${soft ?? 'any'} soft, ${hard ?? 'any'} hard`,
  },
  preMerge: {
    label: 'Pre-merge',
    read: ({ text }) => splitList(text).map(gateOf),
    write: (gates) => gates.map(gateInWords).join(', '),
    show: (gates) => gates.map(({ words, command }) => command ?? words).join(', ') || 'nothing',
  },
  verification: { label: 'Deploy verification', read: readVerification, write: String },
  workspace: {
    label: 'Strategy',
    also: ['workspace', 'workspace_strategy'],
    ...choice({
      'worktree-per-agent': /^worktree-per-agent\b/,
      'clone-per-agent': /^clone-per-agent\b/,
      shared: /^shared\b/,
    }),
  },
};

/** What orgrepo never changes, or agents alone follow. */
const others = [
  ...['verification', 'post_deploy', 'clone', 'naming', 'scope', 'communication', 'pipeline'],
  ...['pre_work_ritual', 'dependency_additions', 'document', 'post_mortem'],
];
const keys: Known = new Map([
  ['preset', 'preset'],
  ...keysOf(sdlcLines),
  ['orphan_branches', 'orphan_branches'],
  ...others.map((key) => [key, leftAlone] as const),
]);
/** `Required` alone says what is required only under Pull Requests. */
const pullKeys: Known = new Map([...keys, ['required', 'pull_requests']]);

/** Where a file names no preset: a branch for people to merge, and no other rule. */
const sdlcDefaults: SdlcValues = {
  branching: 'trunk',
  branchNaming: undefined,
  directPush: false,
  pullRequests: 'optional',
  target: undefined,
  review: false,
  mostLines: { soft: undefined, hard: undefined },
  preMerge: [],
  verification: 'none',
  workspace: 'worktree-per-agent',
};

/** The presets' values. None of them has gates of its own: only the file knows which commands its tests are. */
export const sdlcValues: Readonly<Record<SdlcPreset, SdlcValues>> = {
  standard: { ...sdlcDefaults, pullRequests: 'required', verification: 'smoke' },
  strict: {
    ...sdlcDefaults,
    pullRequests: 'required',
    review: true,
    mostLines: { soft: undefined, hard: 500 },
    verification: 'full',
  },
  solo: { ...sdlcDefaults, directPush: true, verification: 'manual' },
  research: { ...sdlcDefaults, branching: 'feature', pullRequests: 'required' },
};

const table = { name: 'SDLC', lines: sdlcLines, presets: sdlcValues, defaults: sdlcDefaults };
