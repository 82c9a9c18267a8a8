import { holdoutName } from '../domain/overview.ts';
import { diffText } from '../git/merge.ts';
import { readEntry } from '../records/entry.ts';
import { formatJson } from '../views/json.ts';
import { experimentJson } from '../views/log.ts';
import { formatShow } from '../views/show.ts';
import type { Command } from './command.ts';
import { findExperiment } from './find-experiment.ts';
import { withOrg } from './with-org.ts';

export const command: Command = {
  name: 'show',
  summary: 'One experiment in full: what was tried and why, what it scored, the verdict, the diff.',
  arguments: ['<n>'],
  options: { output: { type: 'boolean', help: 'what the harness printed, where it crashed' } },
  examples: ['npx orgrepo show 7'],
  run: (call) =>
    withOrg(call, async (org) => {
      const { experiment, notebook } = await findExperiment(org, call.words[0] ?? '', 'show');
      const verdict = await readEntry(org, experiment.commit);
      const tried = await readEntry(org, experiment.tried);
      const before = tried?.get('Onto') ?? verdict?.commit.parents[0] ?? '';
      const diff = await diffText(org.repo, before, experiment.tried);
      if (call.json) {
        call.out(
          `${formatJson({ ...experimentJson(experiment), spec_title: notebook.title, notes: experiment.notes, diff })}\n`,
        );
        return 0;
      }
      const details = {
        specTitle: notebook.title,
        specBy: notebook.by,
        diff,
        holdout: experiment.numbers[holdoutName(experiment.metric)],
        ...(call.flag('output') ? { output: verdict?.body || 'nothing was kept: the harness ran as it should' } : {}),
      };
      call.out(formatShow(experiment, details, call.look));
      return 0;
    }),
};
