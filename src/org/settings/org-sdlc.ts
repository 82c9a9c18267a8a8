import { type Sdlc, type SdlcGate, type SdlcPreset, sdlcPresets, type ValuesOf } from '../../domain/staff/charter.ts';
import {
  contextOf,
  fromPlace,
  keyLineOf,
  knownKeys,
  leftAlone,
  mergeFacts,
  type OrgFact,
  type OrgNotes,
  type PlacedText,
  takeFacts,
} from '../read/org-metadata.ts';
import { type Item, plainTitle, plainWords, type Section, withChildren } from '../read/org-sections.ts';
import {
  factLine,
  presetLine,
  presetOf,
  type ReadFact,
  readChoice,
  readYesNo,
  settingOf,
  settingsFrom,
  splitList,
  usualSettings,
  wrongSaid,
} from '../read/org-values.ts';

/** `## SDLC` with its subsections; a line means the same wherever in them it stands. */
export function readSdlc(section: Section | undefined, yaml: PlacedText | undefined, notes: OrgNotes): Sdlc {
  const parts = (section === undefined ? [] : withChildren(section)).map((one) => {
    const inPulls = /^(?:pull requests?|prs?)$/.test(plainTitle(one.title));
    const inTrees = /^worktrees?$/.test(plainTitle(one.title));
    const taken = takeFacts(one, inPulls ? pullKeys : keys, notes, (item) => inTrees && arrowOf(item) !== undefined);
    return { section: one, ...taken, worktrees: inTrees ? taken.items.flatMap((item) => arrowOf(item) ?? []) : [] };
  });
  const facts = mergeFacts(parts);
  refuseOrphans(facts.get('orphan_branches'));
  const preset = presetOf('SDLC', facts.get('preset'), yaml, sdlcPresets);
  const usual = usualSettings<SdlcSettings, SdlcPreset>(preset.value, sdlcValues, sdlcDefaults);
  const read: ReadFact = (key, reader, otherwise) => settingOf(facts.get(key), reader, otherwise);
  const required = facts.get('pull_requests');
  const approved =
    /\b(?:approv\w*|review\w*)\b/i.test(required?.text ?? '') && !/\bwithout\b/i.test(required?.text ?? '');
  const review = approved ? settingOf(required, () => true, usual.review) : usual.review;
  const items = parts.flatMap((part) => part.items);
  return {
    preset,
    branching: read('branch_strategy', readBranching, usual.branching),
    branchNaming: read('branch_naming', (fact) => tickedOr(fact), usual.branchNaming),
    directPush: read('direct_push', (fact) => readYesNo('Direct push to main', fact), usual.directPush),
    pullRequests: read('pull_requests', readRequired, usual.pullRequests),
    target: read('target', (fact) => tickedOr(fact), usual.target),
    review: read('review', (fact) => readYesNo('Review', fact), review),
    mostLines: read('max_size', readMostLines, usual.mostLines),
    preMerge: read('pre_merge', (fact) => splitList(fact.text).map(gateOf), usual.preMerge),
    verification: read('deploy_verification', readVerification, verificationIn(items, notes) ?? usual.verification),
    workspace: read('strategy', readWorkspace, usual.workspace),
    worktrees: new Map(parts.flatMap(({ worktrees }) => worktrees)),
    context: contextOf(parts),
  };
}

/** The lines that readSdlc would read this from again; nothing where nothing was said. */
export function formatSdlc(sdlc: Sdlc): string {
  const lines = [
    factLine('Branch strategy', sdlc.branching, (value) => (value === 'trunk' ? 'trunk-based' : 'feature branches')),
    factLine('Branch naming', sdlc.branchNaming, (value) => `\`${value ?? ''}\``),
    factLine('Direct push to main', sdlc.directPush, (value) => (value ? 'allowed' : 'never')),
    factLine('Pull requests', sdlc.pullRequests, (value) => value),
    factLine('Target', sdlc.target, (value) => `\`${value ?? ''}\``),
    factLine('Review', sdlc.review, (value) => (value ? 'required' : 'no')),
    factLine('Max size', sdlc.mostLines, linesInWords),
    factLine('Pre-merge', sdlc.preMerge, (gates) => gates.map(gateInWords).join(', ')),
    factLine('Deploy verification', sdlc.verification, (value) => value),
    factLine('Strategy', sdlc.workspace, (value) => value),
  ].filter((line) => line !== undefined);
  const trees = [...sdlc.worktrees].map(([agent, path]) => `- ${agent} → ${path}`);
  const preset = presetLine(sdlc.preset);
  const context = sdlc.context === '' ? [] : [sdlc.context];
  return [
    ...preset,
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
    ...context,
    ...(trees.length === 0 ? [] : [`#### Worktrees\n\n${trees.join('\n')}`]),
  ].join('\n\n');
}

const named = {
  preset: [],
  branch_strategy: ['branching', 'branching_strategy'],
  branch_naming: [],
  orphan_branches: [],
  direct_push: ['direct_push_to_main', 'direct_push_to_trunk'],
  pull_requests: ['prs', 'prs_required', 'pull_requests_required'],
  target: ['pr_target'],
  review: ['reviews', 'approval', 'approvals', 'code_review'],
  max_size: ['max_pr_size', 'maximum_size'],
  pre_merge: [],
  deploy_verification: [],
  strategy: ['workspace', 'workspace_strategy'],
  [leftAlone]: ['verification', 'post_deploy', 'clone', 'naming', 'scope', 'communication', 'pipeline'],
};
const keys = knownKeys(named);
/** `Required` alone says what is required only under Pull Requests. */
const pullKeys = knownKeys({ ...named, pull_requests: [...named.pull_requests, 'required'] });

function refuseOrphans(fact: OrgFact | undefined): void {
  if (fact === undefined || /^(?:forbidden|never|no|none|not allowed|disallowed)\b/i.test(plainWords(fact.text)))
    return;
  const hint =
    'Write - **Orphan branches:** forbidden, or take the line out: a history of its own can never be merged.';
  throw wrongSaid('Orphan branches', fact, 'forbidden', hint);
}

const readBranching = (fact: OrgFact): Sdlc['branching']['value'] =>
  readChoice('Branch strategy', fact, {
    trunk: /^trunk\b|\btrunk-based\b/,
    feature: /\bfeature\b|^git ?-?flow\b|\blong-lived\b/,
  });

const readRequired = (fact: OrgFact): Sdlc['pullRequests']['value'] =>
  readYesNo('Required', fact) ? 'required' : 'optional';

const readWorkspace = (fact: OrgFact): Sdlc['workspace']['value'] =>
  readChoice('Strategy', fact, {
    'worktree-per-agent': /^worktree-per-agent\b/,
    'clone-per-agent': /^clone-per-agent\b/,
    shared: /^shared\b/,
  });

/** `500 lines (soft), 1000 lines (hard)`; a number alone is the hard one. */
function readMostLines(fact: OrgFact): Sdlc['mostLines']['value'] {
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
  const parts = [
    ...(soft === undefined ? [] : [`${soft} lines (soft)`]),
    ...(hard === undefined ? [] : [`${hard} lines (hard)`]),
  ];
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

/** What `Verification` and `Post-deploy` say; the lines stay with agents, who are told how it is done. */
function verificationIn(items: readonly Item[], notes: OrgNotes): Sdlc['verification'] | undefined {
  for (const key of ['verification', 'post_deploy']) {
    for (const item of items) {
      const line = keyLineOf(item);
      const value = line?.key === key ? verificationOf(line.value) : undefined;
      if (value !== undefined) return { value, from: fromPlace({ file: notes.file, line: item.line }) };
    }
  }
  return undefined;
}

function readVerification(fact: OrgFact): Sdlc['verification']['value'] {
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

const tickedOr = (fact: OrgFact): string => /`([^`]+)`/.exec(fact.text)?.[1] ?? plainWords(fact.text);

/** `designer → /opt/org/openspawn-designer`. */
function arrowOf(item: Item): readonly (readonly [string, string])[] | undefined {
  const [, agent, path] = /^(.{1,100}?)\s*(?:→|->|=>)\s*(\S.{0,400})$/u.exec(plainWords(item.head)) ?? [];
  return agent === undefined || path === undefined ? undefined : [[agent, path]];
}

/** What an SDLC decides beside its preset. */
type SdlcSettings = Omit<Sdlc, 'preset' | 'worktrees' | 'context'>;
type SdlcValues = ValuesOf<SdlcSettings>;

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

/** What an org without a word about it has. */
export const defaultSdlc: Sdlc = {
  preset: { value: undefined, from: 'default' },
  ...settingsFrom<SdlcSettings>(sdlcDefaults, 'default'),
  worktrees: new Map(),
  context: '',
};
