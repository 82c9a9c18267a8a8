import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { orgTextsAt } from '../../../org/force/charter-at.ts';
import { membersSpawned, withMembers } from '../../../org/force/in-force.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { exportOrg } from '../../../org/write/org-export.ts';
import { formatCharter } from '../../../org/write/org-format-chart.ts';
import { readEntry } from '../../../records/entry.ts';
import { allExperiments } from '../../../records/notebook/history.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { metricOf } from '../../../report/facts/read-overview.ts';
import { experimentJson } from '../../../report/pages/fact-lines.ts';
import { formatResults } from '../../../report/pages/log-page.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { orElse, Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { flagOption, nearChoice, readWordOption, textOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

const formats = ['org', 'tsv', 'json'] as const;

export const command: Command = {
  name: 'export',
  summary:
    'The org as it is, spawned agents included, as ORG.md in which nothing else has changed; or all experiments.',
  options: {
    format: textOption('kind', 'org (ORG.md), tsv (results.tsv) or json (NDJSON of experiments)'),
    out: textOption('file', 'into this new file instead of stdout'),
    write: flagOption('org: into ORG.md of your work tree, unless you have edited it'),
  },
  examples: ['orgrepo export --format org', 'orgrepo export --format org --write && git diff ORG.md'],
  run: (call) => {
    const hint = nearChoice(call, 'format', formats) ?? 'For example: orgrepo export --format org';
    const format = readWordOption(call, 'format', formats, hint) ?? 'org';
    refuseBoth(call, format);
    return withOrg(call, async (org) => {
      if (format !== 'org') return give(call, await experimentsAs(org, format));
      const exported = await exportOrgFile(org);
      return call.flag('write') ? writeBack(call, org, exported) : give(call, exported.text);
    });
  },
};

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
  return formatResults(experiments, await metricOf(org, experiments));
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
  // Gone from the work tree is an edit too.
  if (orElse(() => readFileSync(file, 'utf8'), undefined) !== committed)
    throw new Problem(
      'person/work-tree',
      'ORG.md has edits that are not committed',
      'Commit them, or print instead: orgrepo export --format org',
    );
  if (text === committed) call.say('ORG.md is up to date: nobody has joined or left\n');
  else {
    writeFileSync(file, text);
    call.say('wrote ORG.md. See what is new: git diff ORG.md\n');
  }
  return 0;
}

type OrgExport = Awaited<ReturnType<typeof exportOrgFile>>;

/**
 * ORG.md of the trunk with the org as it is: the agents that were spawned are in it, and every byte that need not change stays. `committed` is
 * ORG.md as it is committed; undefined where the org stands in org.yaml alone.
 */
async function exportOrgFile(org: Org) {
  const trunk = await trunkTip(org);
  const { charter: reading } = await pinBrief(org, trunk);
  if (reading === undefined)
    throw new Problem(
      'file/missing',
      'there is no ORG.md and no org.yaml in the last commit',
      'Write one, and commit it: docs/org.md has one of ten lines.',
    );
  const { charter } = reading;
  const { members } = withMembers(charter, await membersSpawned(org));
  const { orgMd } = await orgTextsAt(org, (await readEntry(org, trunk))?.commit.tree ?? '');
  if (orgMd === undefined) return { text: formatCharter({ ...charter, members }), committed: undefined };
  return {
    text: members.length === charter.members.length ? orgMd : exportOrg(orgMd, charter, { members }),
    committed: orgMd,
  };
}
