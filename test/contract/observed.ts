import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestOrg } from '../support/org.ts';

/** What some orgs have answered and written. Names that differ from run to run are masked. */
export interface Observed {
  /** What each verb printed with `--json`. */
  readonly answers: { readonly verb: string; readonly value: unknown }[];
  /** The trailers of every commit: `Org-Event: claim`, a line each. */
  readonly commits: string[][];
  /** `refs/heads/orgrepo/work/<spec>` */
  readonly refs: Set<string>;
  /** `orgrepo/reports: reports/latest.md` */
  readonly branchFiles: Set<string>;
  /** `.git/orgrepo/left`, `.worktrees/<agent>` */
  readonly files: Set<string>;
}

export const newObserved = (): Observed => ({
  ...{ answers: [], commits: [] },
  ...{ refs: new Set(), branchFiles: new Set(), files: new Set() },
});

/** Calls a verb with `--json`, and keeps its answer. */
export async function ask({ answers }: Observed, org: TestOrg, verb: string, ...args: string[]): Promise<void> {
  addAnswers(answers, verb, (await org.orgrepo(verb, ...args, '--json')).stdout);
}

export function addAnswers(answers: Observed['answers'], verb: string, stdout: string): void {
  for (const line of stdout.split('\n')) if (line !== '') answers.push({ verb, value: JSON.parse(line) });
}

/** Keeps what an org has written into its repository. */
export function observeRepository(observed: Observed, org: TestOrg): void {
  const log = org.git('log', '--all', '--format=%(trailers:only,unfold)%x00');
  observed.commits.push(...log.split('\0').map((text) => text.split('\n').filter((line) => line.startsWith('Org-'))));
  const ofPeople = new Set(filesAt(org, 'main'));
  for (const ref of org.git('for-each-ref', '--format=%(refname)').trim().split('\n')) {
    if (ref === 'refs/heads/main') continue;
    observed.refs.add(maskRef(ref));
    if (!ref.includes('orgrepo/')) continue;
    for (const file of filesAt(org, ref).filter((one) => !ofPeople.has(one)))
      observed.branchFiles.add(`${maskRef(ref)}: ${maskFile(file)}`);
  }
  observeFiles(observed, org);
  for (const line of readFileSync(path.join(org.dir, '.git/info/exclude'), 'utf8').trim().split('\n'))
    if (!line.startsWith('#')) observed.files.add(`.git/info/exclude: ${line}`);
}

/** Keeps the names of orgrepo's own files and directories. */
export function observeFiles({ files }: Observed, org: TestOrg): void {
  for (const dir of ['.git/orgrepo', '.git/worktrees', '.worktrees', '.worktrees/.trials'])
    for (const name of namesIn(path.join(org.dir, dir))) files.add(`${dir}/${maskBench(name)}`);
}

const filesAt = (org: TestOrg, ref: string): string[] =>
  org
    .git('ls-tree', '-r', '--name-only', ref)
    .split('\n')
    .filter((file) => file !== '');

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

const maskRef = (ref: string): string =>
  ref
    .replace(/(work|wip|trace)\/\d{4,}$/, '$1/<spec>')
    .replace(/(spend|tips)\/.+$/, '$1/<host>')
    .replace(/(recommendation)\/.+$/, '$1/<key>');

const maskFile = (file: string): string =>
  file
    .replace(/\d{4}-\d\d-\d\d(\.\d+)?/, '<run>')
    .replace(/human-\d{4,}$/, 'human-<spec>')
    .replace(/approvals\/\d+\.md$/, 'approvals/<n>.md')
    .replace(/\/\d{4,}-[^/]+\.md$/, '/<spec>-<title>.md')
    .replace(/\/A\d+\.md$/, '/<request>.md');

const maskBench = (name: string): string =>
  name
    .replace(/^(orgrepo-|)(human-)\d{4,}$/, '$1$2<spec>')
    .replace(/^(orgrepo-|)(junior-\d+|worker|lab-lead|helper)(?=$|\.)/, '$1<agent>')
    .replace(/^\d+-.+-\d+$/, '<process>-<n>');
