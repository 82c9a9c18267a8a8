import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { allExperiments } from '../../../records/notebook/history.ts';
import type { Org } from '../../../records/org.ts';
import { readStatus } from '../../../report/facts/read-overview.ts';
import { experimentJson } from '../../../report/pages/log-page.ts';
import { formatResults } from '../../../report/words/results-tsv.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { nearestName } from '../../../text/nearest.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { withOrg } from '../../kit/with-org.ts';
import { exportOrgFile, type OrgExport } from './export-org.ts';

const formats = ['org', 'tsv', 'json'] as const;

export const command: Command = {
  name: 'export',
  summary:
    'The org as it is, spawned agents included, as ORG.md in which nothing else has changed; or all experiments.',
  arguments: [],
  options: {
    format: { type: 'string', value: 'kind', help: 'org (ORG.md), tsv (results.tsv) or json (NDJSON of experiments)' },
    out: { type: 'string', value: 'file', help: 'into this new file instead of stdout' },
    write: { type: 'boolean', help: 'org: into ORG.md of your work tree, unless you have edited it' },
  },
  examples: ['npx orgrepo export --format org', 'npx orgrepo export --format org --write && git diff ORG.md'],
  run: (call) => {
    const format = readFormat(call);
    refuseBoth(call, format);
    return withOrg(call, async (org) => {
      if (format !== 'org') return give(call, await experimentsAs(org, format));
      const exported = await exportOrgFile(org);
      return call.flag('write') ? writeBack(call, org, exported) : give(call, exported.text);
    });
  },
};

function readFormat(call: VerbCall): (typeof formats)[number] {
  const word = call.value('format') ?? 'org';
  const format = formats.find((one) => one === word);
  if (format !== undefined) return format;
  const near = nearestName(word, formats);
  throw new Problem(
    'usage/option',
    `--format is ${JSON.stringify(word)}, expected ${formats.join(', ')}`,
    near === undefined ? 'For example: npx orgrepo export --format org' : `Did you mean --format ${near}?`,
  );
}

function refuseBoth(call: VerbCall, format: string): void {
  if (!call.flag('write')) return;
  if (format !== 'org')
    throw new Problem('usage/option', '--write is for --format org', 'Name a file instead: --out results.tsv');
  if (call.value('out') !== undefined)
    throw new Problem('usage/option', '--write and --out are two places', 'Take one of them out.');
}

async function experimentsAs(org: Org, format: 'tsv' | 'json'): Promise<string> {
  const experiments = [...(await allExperiments(org))].sort((a, b) => a.n - b.n);
  if (format === 'json') return experiments.map((one) => `${formatJson(experimentJson(one))}\n`).join('');
  return formatResults(experiments, experiments[0]?.metric ?? (await readStatus(org, 0)).metric);
}

function give(call: VerbCall, text: string): number {
  const out = call.value('out');
  if (out === undefined) call.out(text);
  else {
    try {
      writeFileSync(path.resolve(call.dir, out), text, { flag: 'wx' });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new Problem('file/exists', `${out} is there already`, 'Name another file, or take that one away.');
    }
    call.say(`wrote ${out}\n`);
  }
  return 0;
}

/** Only over the very bytes that are committed: whatever a person has edited since stays theirs. */
function writeBack(call: VerbCall, org: Org, { text, committed }: OrgExport): number {
  const file = path.join(org.repo.root, 'ORG.md');
  if (committed === undefined)
    throw new Problem(
      'file/missing',
      'the org stands in org.yaml, and there is no ORG.md',
      'Name a file: --out ORG.md',
    );
  if (readIfThere(file) !== committed)
    throw new Problem(
      'person/work-tree',
      'ORG.md has edits that are not committed',
      'Commit them, or print instead: npx orgrepo export --format org',
    );
  if (text === committed) call.say('ORG.md is up to date: nobody has joined or left\n');
  else {
    writeFileSync(file, text);
    call.say('wrote ORG.md. See what is new: git diff ORG.md\n');
  }
  return 0;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // Gone from the work tree is an edit too.
  }
}
