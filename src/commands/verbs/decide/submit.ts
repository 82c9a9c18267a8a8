import {
  type Priority,
  priorities,
  type Risk,
  risks,
  type Spec,
  specFileName,
  specIdOf,
  specWord,
} from '../../../domain/words/spec.ts';
import { trunkTip } from '../../../records/org.ts';
import { changeQueue } from '../../../records/queue/queue.ts';
import { formatSpec, parseSpec } from '../../../records/queue/spec-text.ts';
import { hideSecrets } from '../../../secrets/known-secrets.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { readCountOption } from '../../kit/limits.ts';
import { readBody } from '../../kit/read-body.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';
import { answerSpec } from './answer-spec.ts';

export const command: Command = {
  name: 'submit',
  summary: "Puts a person's spec on the queue; a run takes people's before the chief's. --done offers your own work.",
  arguments: ['[title]'],
  options: {
    'body-file': { type: 'string', value: 'file', help: 'the text below the title; - is standard input' },
    attempts: { type: 'string', value: 'n', help: 'how many tries it may use' },
    risk: { type: 'string', value: 'how', help: 'low, medium, high or critical: the more, the more look at it' },
    domain: { type: 'string', value: 'what', help: 'whose field it is, in the words of the chart in ORG.md' },
    priority: { type: 'string', value: 'how', help: 'low, normal, high or critical: how soon it is worked' },
    for: { type: 'string', value: 'who', help: 'human: it waits for a person, who edits in its bench' },
    done: { type: 'string', value: 'id', help: 'offer what is in the bench of this spec, to be measured like any try' },
    close: { type: 'string', value: 'id', help: 'no more tries at this spec of yours' },
    yes: {
      type: 'boolean',
      short: 'y',
      help: 'with --close: do not ask whether to drop an offer that is not measured yet',
    },
    title: { type: 'string', value: 'text', help: 'with --done: what you did, in one line' },
  },
  examples: [
    'npx orgrepo submit "try a table of gaps" --body-file idea.md',
    'npx orgrepo submit "the login is slow" --domain backend --priority high',
    'npx orgrepo submit "find out why 7 is slow" --for human',
    'npx orgrepo submit --done 0012 --title "one table for both"',
  ],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      if (call.value('done') !== undefined || call.value('close') !== undefined) return answerSpec(call, org);
      const title = hideSecrets(readTitle(call)); // Before it is cut to what a spec holds.
      const role = readRole(call);
      const risk = readRisk(call);
      const domain = readDomain(call);
      const priority = readPriority(call);
      const body = await readBody(call);
      const attempts = readCountOption(call, 'attempts', 5, 1000);
      await trunkTip(org);
      const person = await org.person();
      let spec: Spec | undefined;
      await changeQueue(org, (queue) => {
        // Written and read back: whoever works it must be able to read it.
        const id = specIdOf(queue.ledger.specs + 1);
        const made = { id, title, by: person.name, role, attempts, risk, domain, priority, body };
        const file = `specs/${specFileName(made)}`;
        spec = parseSpec(formatSpec(made), file);
        return {
          event: 'spec',
          title: `spec: ${spec.id} ${spec.title}`,
          files: new Map([[file, formatSpec(spec)]]),
          ledger: { specs: queue.ledger.specs + 1 },
          trailers: { Spec: spec.id },
        };
      });
      if (call.json) {
        const { id, by } = spec ?? {};
        call.out(`${formatJson({ schema: 'orgrepo/spec@1', id, title: spec?.title, by, role, domain, priority })}\n`);
      } else call.out(`${spec?.id}  ${spec?.title}\n`);
      call.say(
        role === undefined
          ? 'on orgrepo/queue. A run that goes on takes it next; else: npx orgrepo run\n'
          : `on orgrepo/queue. A run lays its bench: npx orgrepo run, then: npx orgrepo show ${specWord(spec?.id ?? '')}\n`,
      );
      return 0;
    }),
};

function readTitle(call: VerbCall): string {
  if (call.value('title') !== undefined)
    throw new Problem('usage/option', '--title goes with --done', 'The title of a spec stands without an option.');
  const title = call.words[0]?.trim() ?? '';
  if (title !== '') return title;
  throw new Problem('usage/argument', 'the title is empty', 'For example: npx orgrepo submit "try a table of gaps"');
}

function readRisk(call: VerbCall): Risk | undefined {
  const said = call.value('risk');
  const risk = risks.find((one) => one === said);
  if (said === undefined || risk !== undefined) return risk;
  const what = `--risk is ${JSON.stringify(said)}, expected ${risks.join(', ')}`;
  throw new Problem('usage/option', what, 'Without it the brief says what every spec counts for.');
}

function readDomain(call: VerbCall): string | undefined {
  const domain = call.value('domain')?.trim();
  if (domain === undefined || domain !== '') return domain;
  throw new Problem('usage/option', '--domain is empty', 'For example: --domain backend');
}

function readPriority(call: VerbCall): Priority | undefined {
  const said = call.value('priority');
  const priority = priorities.find((one) => one === said);
  if (said === undefined || priority !== undefined) return priority;
  const what = `--priority is ${JSON.stringify(said)}, expected ${priorities.join(', ')}`;
  throw new Problem('usage/option', what, 'Without it a spec is of normal priority.');
}

function readRole(call: VerbCall): 'human' | undefined {
  const who = call.value('for');
  if (who === undefined || who === 'human') return who;
  const what = `--for is ${JSON.stringify(who)}, expected human`;
  throw new Problem('usage/option', what, 'Without it any junior may take the spec.');
}
