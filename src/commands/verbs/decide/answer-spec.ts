import type { Org } from '../../../records/org.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { closePersonsSpec, makeOffer } from '../../../steps/people/offer.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import { agreesTo } from '../../kit/ask.ts';
import type { VerbCall } from '../../kit/command.ts';
import { readBody } from '../../kit/read-body.ts';

/** What a person says of a spec that waits for them: `--done` offers what is in its bench, `--close` ends it. */
export async function answerSpec(call: VerbCall, org: Org): Promise<number> {
  refuseOthers(call);
  const next = currentRunner(org) === undefined ? 'Next: npx orgrepo run' : 'The run that goes on answers it';
  const done = call.value('done');
  if (done === undefined) {
    const id = call.value('close') ?? '';
    const closed = await closePersonsSpec(org, id, ({ commit, title }) => {
      const what = `what you offered for ${id} as ${commit.slice(0, 7)}, "${title}", is not measured yet, and closing drops it`;
      return agreesTo(
        call,
        what,
        `Nobody has measured what you offered as ${commit.slice(0, 7)}, "${title}". Drop it?`,
      );
    });
    if (closed === undefined) {
      call.say(`nothing was closed. To have it measured first: npx orgrepo run\n`);
      return 0;
    }
    const { spec, dropped } = closed;
    const told = { schema: 'orgrepo/offer@1', did: 'close', spec: spec.id, dropped: dropped?.commit };
    call.out(call.json ? `${formatJson(told)}\n` : `${spec.id}  closed: ${spec.title}\n`);
    const kept =
      dropped === undefined
        ? ''
        : ` What you had offered is not measured; it stays in history: ${dropped.commit.slice(0, 7)}.`;
    call.say(`on orgrepo/queue. ${next}. Its bench stays where it is.${kept}\n`);
    return 0;
  }
  const offered = await makeOffer(org, done, readTitle(call), await readBody(call));
  const { spec, title, commit, files, replaces } = offered;
  const told = { schema: 'orgrepo/offer@1', did: 'offer', spec, title, commit, files, replaces };
  call.out(call.json ? `${formatJson(told)}\n` : `${spec}  offered: ${title}   ${commit.slice(0, 7)}\n`);
  call.say(`${files.join(', ')}${replaces ? '; it replaces what you had offered before' : ''}. ${next}.\n`);
  return 0;
}

function readTitle(call: VerbCall): string | undefined {
  const title = call.value('title');
  if (title === undefined || title.trim() !== '') return title?.trim();
  throw new Problem('usage/option', '--title is empty', 'Say in one line what you did, or leave it out.');
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
