import { readFileSync, statSync } from 'node:fs';
import { Problem } from '../domain/problem.ts';
import { type Spec, specFileName, specIdOf } from '../domain/spec.ts';
import { trunkTip } from '../records/org.ts';
import { changeQueue } from '../records/queue.ts';
import { formatSpec, parseSpec } from '../text/spec.ts';
import { formatJson } from '../views/json.ts';
import type { Call, Command } from './command.ts';
import { readCount } from './limits.ts';
import { withOrg } from './with-org.ts';

export const command: Command = {
  name: 'submit',
  summary: "Puts a person's spec on the queue; a run takes people's specs before the chief's.",
  arguments: ['<title>'],
  options: {
    'body-file': { type: 'string', value: 'file', help: 'the text below the title; - is standard input' },
    attempts: { type: 'string', value: 'n', help: 'how many tries it may use' },
  },
  examples: ['npx orgrepo submit "try a table of gaps" --body-file idea.md'],
  run: (call) =>
    withOrg(call, async (org) => {
      const title = readTitle(call);
      const body = readBody(call);
      const attempts = readCount(call, 'attempts', 5);
      await trunkTip(org);
      const person = await org.person();
      let spec: Spec | undefined;
      await changeQueue(org, (queue) => {
        // Written and read back: whoever works it must be able to read it.
        const made = { id: specIdOf(queue.ledger.specs + 1), title, by: person.name, attempts, body };
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
      if (call.json)
        call.out(`${formatJson({ schema: 'orgrepo/spec@1', id: spec?.id, title: spec?.title, by: spec?.by })}\n`);
      else call.out(`${spec?.id}  ${spec?.title}\n`);
      call.say('on orgrepo/queue. A run that goes on takes it next; else: npx orgrepo run\n');
      return 0;
    }),
};

function readTitle(call: Call): string {
  const title = call.words[0]?.trim() ?? '';
  if (title !== '') return title;
  throw new Problem('usage/argument', 'the title is empty', 'For example: npx orgrepo submit "try a table of gaps"');
}

const largestBody = 1024 * 1024;

function readBody(call: Call): string {
  const file = call.value('body-file');
  if (file === undefined) return '';
  if (file === '-') return readFileSync(0, 'utf8');
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size <= largestBody) return readFileSync(file, 'utf8');
  const what =
    stat === undefined ? 'is not there' : stat.isFile() ? `has ${stat.size} bytes, expected a text` : 'is not a file';
  throw new Problem('file/missing', `${file} ${what}`, 'Check the path given to --body-file.', { file });
}
