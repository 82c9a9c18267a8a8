import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { priorities, risks, type Spec, specFileName, specIdOf, specWord } from '../../../domain/words/spec.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { searchNote } from '../../../preflight/checks/check-search.ts';
import { treeOf } from '../../../records/entry.ts';
import { readBest } from '../../../records/notebook/best-line.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { changeQueue } from '../../../records/queue/queue.ts';
import { formatSpec, maxBody, parseSpec } from '../../../records/queue/spec-text.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { hideSecrets } from '../../../secrets/known-secrets.ts';
import { closePersonsSpec, makeOffer } from '../../../steps/people/offer.ts';
import { decodeText } from '../../../text/decode.ts';
import { Problem, unlessProblem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { agreesTo, readCountOption, readText, readWordOption, textOption, yesOption } from '../../kit/options.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'submit',
  summary: "Puts a person's spec on the queue; a run takes people's before the chief's. --done offers your own work.",
  arguments: ['[title]'],
  options: {
    'body-file': textOption('file', 'the text below the title; - is standard input'),
    attempts: textOption('n', 'how many tries it may use'),
    risk: textOption('how', 'low, medium, high or critical: the more, the more look at it'),
    domain: textOption('what', 'whose field it is, in the words of the chart in ORG.md'),
    priority: textOption('how', 'low, normal, high or critical: how soon it is worked'),
    for: textOption('who', 'human: it waits for a person, who edits in its bench'),
    done: textOption('id', 'offer what is in the bench of this spec, to be measured like any try'),
    close: textOption('id', 'no more tries at this spec of yours'),
    ...yesOption('with --close: do not ask whether to drop an offer that is not measured yet'),
    title: textOption('text', 'with --done: what you did, in one line'),
  },
  examples: [
    'orgrepo submit "try a table of gaps" --body-file idea.md',
    'orgrepo submit "the login is slow" --domain backend --priority high',
    'orgrepo submit "find out why 7 is slow" --for human',
    'orgrepo submit --done 0012 --title "one table for both"',
  ],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      if (call.value('done') !== undefined || call.value('close') !== undefined) return answerSpec(call, org);
      const title = hideSecrets(readTitle(call)); // Before it is cut to what a spec holds.
      const role = readWordOption(call, 'for', ['human'], 'Without it any junior may take the spec.');
      const risk = readWordOption(call, 'risk', risks, 'Without it the brief says what every spec counts for.');
      const domain = readText(call, 'domain', 'For example: --domain backend');
      const priority = readWordOption(call, 'priority', priorities, 'Without it a spec is of normal priority.');
      const body = await readBody(call);
      const attempts = readCountOption(call, 'attempts', 5, 1000);
      const trunk = await trunkTip(org);
      const person = await org.person();
      let spec: Spec | undefined;
      await changeQueue(org, (queue) => {
        // Written and read back: the agent that works it must be able to read it.
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
      const { id, title: kept, by } = spec ?? {};
      call.answer({ schema: 'orgrepo/spec@1', id, title: kept, by, role, domain, priority }, `${id}  ${kept}\n`);
      call.say(
        role === undefined
          ? 'on orgrepo/queue. A run that goes on takes it next; else: orgrepo run\n'
          : `on orgrepo/queue. A run lays its bench: orgrepo run, then: orgrepo show ${specWord(id ?? '')}\n`,
      );
      if (role === undefined) await sayWhetherRead(org, trunk, call);
      return 0;
    }),
};

/** A brief that cannot be used is told of by the run. */
async function sayWhetherRead(org: Org, trunk: string, call: VerbCall): Promise<void> {
  const pinned = await unlessProblem(pinBrief(org, trunk));
  const tree = (await readBest(org))?.tree ?? (await treeOf(org, trunk));
  const note = pinned && (await searchNote(org, tree, pinned.brief));
  if (note !== undefined) call.say(`${note}\n`);
}

function readTitle(call: VerbCall): string {
  if (call.value('title') !== undefined)
    throw new Problem('usage/option', '--title goes with --done', 'The title of a spec stands without an option.');
  const title = call.words[0]?.trim() ?? '';
  if (title !== '') return title;
  throw new Problem('usage/argument', 'the title is empty', 'For example: orgrepo submit "try a table of gaps"');
}

/** What a person says of a spec that waits for them: `--done` offers what is in its bench, `--close` ends it. */
async function answerSpec(call: VerbCall, org: Org): Promise<number> {
  refuseOthers(call);
  const next = currentRunner(org) === undefined ? 'Next: orgrepo run' : 'The run that goes on answers it';
  const done = call.value('done');
  if (done === undefined) {
    const id = call.value('close') ?? '';
    const closed = await closePersonsSpec(org, id, ({ commit, title }) => {
      const offer = `${commit.slice(0, 7)}, "${title}"`;
      const what = `what you offered for ${id} as ${offer}, is not measured yet, and closing drops it`;
      const question = `Nobody has measured what you offered as ${offer}. Drop it?`;
      return agreesTo(call, what, question, 'nothing was closed. To have it measured first: orgrepo run');
    });
    if (closed === undefined) return 0;
    const { spec, dropped } = closed;
    const answer = { schema: 'orgrepo/offer@1', did: 'close', spec: spec.id, dropped: dropped?.commit };
    call.answer(answer, `${spec.id}  closed: ${spec.title}\n`);
    const gone = dropped?.commit.slice(0, 7);
    const kept = gone === undefined ? '' : ` What you had offered is not measured; it stays in history: ${gone}.`;
    call.say(`on orgrepo/queue. ${next}. Its bench stays where it is.${kept}\n`);
    return 0;
  }
  const made = readText(call, 'title', 'Say in one line what you did, or leave it out.');
  const offered = await makeOffer(org, done, made, await readBody(call));
  const { spec, title, commit, files, replaces } = offered;
  const answer = { schema: 'orgrepo/offer@1', did: 'offer', spec, title, commit, files, replaces };
  call.answer(answer, `${spec}  offered: ${title}   ${commit.slice(0, 7)}\n`);
  call.say(`${files.join(', ')}${replaces ? '; it replaces what you had offered before' : ''}. ${next}.\n`);
  return 0;
}

function refuseOthers(call: VerbCall): void {
  const both = call.value('done') !== undefined && call.value('close') !== undefined;
  if (both) throw new Problem('usage/option', '--done and --close are two things', 'Give one of them.');
  const wrong = ['for', 'attempts', 'risk', ...(call.value('close') === undefined ? [] : ['title', 'body-file'])].find(
    (name) => call.value(name) !== undefined,
  );
  const verb = call.value('done') === undefined ? '--close' : '--done';
  if (wrong !== undefined)
    throw new Problem('usage/option', `--${wrong} does not go with ${verb}`, 'Leave one of them out.');
  if (call.words.length > 0)
    throw new Problem(
      'usage/argument',
      `${JSON.stringify(call.words[0])} stands beside ${verb}, which takes no title of a spec`,
      'What you did is said with --title "…".',
    );
}

/** What `--body-file` names; nothing where it is not given. */
async function readBody(call: VerbCall): Promise<string> {
  const file = call.value('body-file');
  if (file === undefined) return '';
  if (file === '-') return decodeText(await readStandardInput(call), 'standard input', 'spec/syntax');
  const place = path.resolve(call.streams.dir, file);
  const stat = statSync(place, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size <= maxBody) return decodeText(readFileSync(place), file, 'spec/syntax');
  if (stat?.isFile() === true)
    throw new Problem('spec/value', `${file} has ${stat.size} bytes, expected at most ${maxBody}`, shorter, { file });
  const what = stat === undefined ? 'is not there' : 'is not a file';
  throw new Problem('file/missing', `${file} ${what}`, 'Check the path given to --body-file.', { file });
}

const shorter = 'Say it in fewer words, or commit the file where agents can read it and name it in the text.';

/** To its end, however slowly it comes; but not for ever. */
async function readStandardInput({ streams }: VerbCall): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of streams.stdin) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBody) throw new Problem('spec/value', `standard input has over ${maxBody} bytes`, shorter);
  }
  return Buffer.concat(chunks);
}
