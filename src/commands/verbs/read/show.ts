import { diffText } from '../../../git/merge.ts';
import { readEntry } from '../../../records/entry.ts';
import { readNotebook } from '../../../records/notebook/notebook.ts';
import { placesIn } from '../../../records/notebook/taken-wins.ts';
import { holdoutName } from '../../../report/facts/overview.ts';
import { experimentJson } from '../../../report/pages/log-page.ts';
import { formatShow } from '../../../report/pages/show-page.ts';
import { formatSpecStory, specStoryJson } from '../../../report/pages/show-spec.ts';
import { storyLines, talkJson } from '../../../report/pages/story.ts';
import { takenJson } from '../../../report/words/taken-words.ts';
import { formatJson } from '../../../terminal/visible.ts';
import type { Command } from '../../kit/command.ts';
import { findExperiment } from '../../kit/find-experiment.ts';
import { findSpec } from '../../kit/find-spec.ts';
import { withOrg } from '../../kit/with-org.ts';
import { showTrace, showTraces } from './show-trace.ts';

export const command: Command = {
  name: 'show',
  summary: 'One experiment in full: what was tried and why, its score, verdict and diff. Or one spec, by its id.',
  arguments: ['<n>'],
  options: {
    output: { type: 'boolean', help: 'what the harness printed last, where that was recorded' },
    trace: { type: 'boolean', help: 'what its agent said and did instead; with --json as it is stored' },
  },
  examples: [
    'npx orgrepo show 7',
    'npx orgrepo show 7 --trace',
    'npx orgrepo show 0012',
    'npx orgrepo show chief --trace',
  ],
  run: (call) =>
    withOrg(call, async (org) => {
      const isChief = call.words[0] === 'chief';
      const story = isChief ? undefined : await findSpec(org, call.words[0] ?? '');
      if (isChief || (story !== undefined && call.flag('trace'))) {
        await showTraces(org, story?.spec.id, call);
        return 0;
      }
      if (story !== undefined) {
        const notebook = await readNotebook(org, story.spec.id);
        const told = notebook ? storyLines(notebook.talk, notebook.experiments, call.look.edge) : [];
        const places = await placesIn(org, notebook?.experiments ?? []);
        const json = { ...specStoryJson(story, places), talk: (notebook?.talk ?? []).map(talkJson) };
        call.out(call.json ? `${formatJson(json)}\n` : formatSpecStory(story, told, call.look));
        return 0;
      }
      const { experiment, notebook } = await findExperiment(org, call.words[0] ?? '', 'show');
      if (call.flag('trace')) {
        await showTrace(org, experiment, call);
        return 0;
      }
      const verdict = await readEntry(org, experiment.commit);
      const tried = await readEntry(org, experiment.tried);
      const before = tried?.get('Onto') ?? verdict?.commit.parents[0] ?? '';
      const diff = await diffText(org.repo, before, experiment.tried);
      const place = (await placesIn(org, notebook.experiments, experiment.n)).get(experiment.n);
      if (call.json) {
        call.out(
          `${formatJson({ ...experimentJson(experiment), ...takenJson(place), spec_title: notebook.title, notes: experiment.notes, talk: notebook.talk.map(talkJson), diff })}\n`,
        );
        return 0;
      }
      const details = {
        specTitle: notebook.title,
        specBy: notebook.by,
        diff,
        story: storyLines(notebook.talk, notebook.experiments, call.look.edge),
        place,
        holdout: experiment.numbers[holdoutName(experiment.metric)],
        ...(call.flag('output')
          ? { output: verdict?.body || 'nothing was recorded: the harness ran as it should' }
          : {}),
      };
      call.out(formatShow(experiment, details, call.look));
      return 0;
    }),
};
