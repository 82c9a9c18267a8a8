import { allTracesOf, readTrace, traceInWords, tracesOf } from '../../../agents/trace/trace-book.ts';
import { formatTrace, noTrace, parseTrace, traceJson } from '../../../agents/trace/trace-text.ts';
import { diffText } from '../../../git/merge.ts';
import { type BookEntry, readEntry } from '../../../records/entry.ts';
import { placesIn } from '../../../records/notebook/best-line.ts';
import { readNotebook } from '../../../records/notebook/notebook.ts';
import type { Org } from '../../../records/org.ts';
import { holdoutName } from '../../../report/facts/overview.ts';
import { experimentJson } from '../../../report/pages/fact-lines.ts';
import { formatShow, formatSpecStory, specStoryJson, storyLines, talkJson } from '../../../report/pages/show-page.ts';
import { takenJson } from '../../../report/words/verdict-words.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { findExperiment, findSpec } from '../../kit/find-experiment.ts';
import { flagOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'show',
  summary: 'One experiment in full: what was tried and why, its score, verdict and diff. Or one spec, by its id.',
  arguments: ['<n>'],
  options: {
    output: flagOption('what the harness printed last, where that was recorded'),
    trace: flagOption('what its agent said and did instead; with --json as it is stored'),
  },
  examples: ['orgrepo show 7', 'orgrepo show 7 --trace', 'orgrepo show 0012', 'orgrepo show chief --trace'],
  run: (call) =>
    withOrg(call, async (org) => {
      const isChief = call.words[0] === 'chief';
      const story = isChief ? undefined : await findSpec(org, call.words[0] ?? '');
      if (isChief || (story !== undefined && call.flag('trace'))) {
        // Plans, critiques, tries and reviews of a spec; the chief works on none.
        const whose =
          story === undefined ? { name: 'chief', agent: 'it' } : { name: story.spec.id, agent: 'who worked it' };
        await printTraces(org, await allTracesOf(org, story?.spec.id), whose, call);
        return 0;
      }
      if (story !== undefined) {
        const notebook = await readNotebook(org, story.spec.id);
        const talk = notebook ? storyLines(notebook.talk, notebook.experiments, call.look.edge) : [];
        const places = await placesIn(org, notebook?.experiments ?? []);
        const json = { ...specStoryJson(story, places), talk: (notebook?.talk ?? []).map(talkJson) };
        call.answer(json, formatSpecStory(story, talk, call.look));
        return 0;
      }
      const { experiment, notebook } = await findExperiment(org, call.words[0] ?? '', 'show');
      if (call.flag('trace')) {
        const { n, spec, agent, tried } = experiment;
        await printTraces(org, await tracesOf(org, spec, tried), { name: `#${n}`, agent }, call);
        return 0;
      }
      const verdict = await readEntry(org, experiment.commit);
      const tried = await readEntry(org, experiment.tried);
      const before = tried?.get('Onto') ?? verdict?.commit.parents[0] ?? '';
      const diff = await diffText(org.repo, before, experiment.tried);
      const place = (await placesIn(org, notebook.experiments, experiment.n)).get(experiment.n);
      const details = {
        specTitle: notebook.title,
        specBy: notebook.by,
        diff,
        story: storyLines(notebook.talk, notebook.experiments, call.look.edge),
        place,
        holdout: experiment.numbers[holdoutName(experiment.metric)],
        output: call.flag('output') ? verdict?.body || 'nothing was recorded: the harness ran as it should' : undefined,
      };
      const json = {
        ...experimentJson(experiment),
        ...takenJson(place),
        spec_title: notebook.title,
        notes: experiment.notes,
        talk: notebook.talk.map(talkJson),
        diff,
      };
      call.answer(json, formatShow(experiment, details, call.look));
      return 0;
    }),
};

/** The experiment, spec or agent of the traces: `#7`, `0012`, `chief`. */
type Whose = Readonly<Record<'name' | 'agent', string>>;

/** What was said and done: to be read, or as it is stored. */
async function printTraces(
  org: Org,
  entries: readonly BookEntry[],
  { name, agent }: Whose,
  call: VerbCall,
): Promise<void> {
  if (entries.length === 0) call.say(noTrace(name, agent));
  for (const entry of entries) {
    const read = await readTrace(org, entry);
    if ('wrong' in read)
      throw new Problem(
        'integrity/history',
        `the trace of ${name} should be ${traceInWords}, and is ${read.wrong}`,
        'See what else does not hold: orgrepo verify',
      );
    const n = entry.get('Experiment');
    const whose = n === undefined ? name : `#${n}`;
    call.out(call.json ? traceJson(read.text) : formatTrace(whose, entry, parseTrace(read.text), call.look));
  }
}
