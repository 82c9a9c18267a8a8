import { actKinds } from '../../../domain/rules/act.ts';
import { type ActRequest, lackingOf } from '../../../domain/rules/request.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { writeCheckpoint } from '../../../records/checkpoints.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { type Answerable, findRequest, readActs } from '../../../records/requests/requests.ts';
import { visible } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { alsoFor, type Decidable, decideAll, decideStuck, type Said } from '../../kit/decide-requests.ts';
import { experimentNumber, noExperiment } from '../../kit/find-experiment.ts';
import {
  asOption,
  flagOption,
  nearChoice,
  reasonOption,
  textOption,
  wrongOption,
  yesOption,
} from '../../kit/options.ts';
import { withOrg, withOrgToWrite } from '../../kit/with-org.ts';

export const approve: Command = {
  ...decision('approve'),
  summary: 'Approves wins and acts that wait for a person; without an argument, lists the acts.',
  arguments: ['[n|A3|A1..A9|E3...]'],
  examples: [
    'orgrepo approve 17 --reason "read it twice"',
    'orgrepo approve A3 A4 --reason "this once"',
    'orgrepo approve --all --kind claim --yes',
  ],
};

export const deny: Command = {
  ...decision('deny'),
  summary: 'Denies wins and acts that wait for a person.',
  arguments: ['<n|A3|A1..A9|E3...>'],
  examples: ['orgrepo deny 17 --reason "breaks the invoices"', 'orgrepo deny A3 --reason "not this month"'],
};

/** A person's answer to requests: a commit on the queue for each. The run that goes on acts on it, or else the next one. */
function decision(verb: Said['verb']): Pick<Command, 'name' | 'options' | 'run'> {
  return {
    name: verb,
    options: {
      all: flagOption('every act that waits'),
      kind: textOption('act', `with --all, of one kind: ${actKinds.join(', ')}, overage`),
      ...yesOption('do not ask before several are decided'),
      ...reasonOption,
      note: { type: 'string', value: 'text', help: 'the same as --reason', unlisted: true },
      ...asOption,
    },
    run: (call) => {
      if (call.words.length === 0 && !call.flag('all')) return withOrg(call, (org) => listActs(org, call));
      const reason = (call.value('reason') ?? call.value('note') ?? '').trim();
      return withOrgToWrite(call, async (org) => {
        return decide(org, call, { verb, approves: verb === 'approve', reason });
      });
    },
  };
}

async function decide(org: Org, call: VerbCall, said: Said): Promise<number> {
  const requests = await requestsMeant(org, call, said.verb);
  const [first] = requests;
  if (first === undefined) {
    call.say('nothing waits for you here. Changes that do: orgrepo status\n');
    return 0;
  }
  const stuck = requests.find((one) => one.kind === 'stuck');
  if (stuck !== undefined && requests.length > 1)
    throw new Problem(
      'usage/argument',
      `${stuck.id} has an answer of its own`,
      `Answer it alone: orgrepo ${said.verb} ${stuck.id} --reason "…"`,
    );
  const people = (await pinBrief(org, await trunkTip(org))).charter?.charter.people ?? [];
  if (stuck !== undefined) await decideStuck(org, call, said, stuck, people);
  else {
    const decided = requests.filter((one): one is Decidable => one.kind !== 'stuck');
    if (!(await decideAll(org, call, said, decided, people))) return 0;
  }
  await writeCheckpoint(org, `${said.verb} ${requests.map(({ id }) => id).join(' ')}`);
  return 0;
}

/** The requests that were typed: `17`, `A3`, `A1..A9`, or all that wait. */
async function requestsMeant(org: Org, call: VerbCall, verb: Said['verb']): Promise<readonly Answerable[]> {
  const kind = call.value('kind');
  const kinds = [...actKinds, 'overage'];
  if (kind !== undefined && !kinds.includes(kind))
    throw wrongOption(
      'kind',
      kind,
      kinds.join(', '),
      nearChoice(call, 'kind', kinds) ?? 'See what waits: orgrepo approve',
    );
  if (call.flag('all')) {
    if (call.words.length > 0)
      throw new Problem('usage/argument', '--all and names of requests exclude each other', 'Give one of them.');
    return (await waitingActs(org)).filter(({ asked }) => kind === undefined || asked.act === kind);
  }
  if (kind !== undefined)
    throw new Problem('usage/option', '--kind goes with --all', `orgrepo ${verb} --all --kind ${kind}`);
  const found = new Map<string, Answerable>();
  for (const word of call.words) for (const one of await requestsNamed(org, word, verb)) found.set(one.id, one);
  return [...found.values()];
}

/** `A1..A9` means those of them that wait. */
async function requestsNamed(org: Org, word: string, verb: Said['verb']): Promise<readonly Answerable[]> {
  const [, from, to] = /^a([0-9]{1,6})\.\.a?([0-9]{1,6})$/i.exec(word) ?? [];
  if (from === undefined) return [await requestNamed(org, word, verb)];
  const waiting = (await waitingActs(org)).filter(({ id }) => {
    const n = Number(id.slice(1));
    return n >= Number(from) && n <= Number(to);
  });
  if (waiting.length > 0) return waiting;
  throw new Problem('usage/argument', `none of ${word} waits for an answer`, 'See what does: orgrepo approve');
}

const waitingActs = async (org: Org): Promise<readonly ActRequest[]> =>
  (await readActs(org, Date.now() / 1000)).filter(({ stage }) => stage.kind === 'waits');

/** What waits, the oldest first. */
async function listActs(org: Org, call: VerbCall): Promise<number> {
  const waiting = await waitingActs(org);
  const lines = waiting.map((request) => {
    const { id, words, reason, until } = request.asked;
    const lacks = lackingOf(request);
    const needs = lacks.length === 0 ? '' : `; needs ${lacks.join(' and ')}`;
    return `${visible(`${id}  ${words}${alsoFor(request)}: ${reason}${needs}; until ${utc(until)}`)}\n`;
  });
  const json = waiting.map((one) => ({ ...one.asked, lacks: lackingOf(one) }));
  call.answer({ schema: 'orgrepo/requests@1', waiting: json }, lines.join(''));
  if (waiting.length === 0) call.say('nothing waits for you here. Changes that do: orgrepo status\n');
  return 0;
}

const utc = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The request that a person means by `17`, `#17`, `A3` or `e3`. */
async function requestNamed(org: Org, word: string, verb: Said['verb']): Promise<Answerable> {
  const isNumber = !/^[ae][0-9]{1,9}$/i.test(word);
  const n = isNumber ? experimentNumber(word, `For example: orgrepo ${verb} 7`) : 0;
  const id = isNumber ? `${n}` : word.toUpperCase();
  const found = await findRequest(org, id, Date.now() / 1000);
  if (found !== undefined) return found;
  if (isNumber) throw noExperiment(n);
  const [what, list] = id.startsWith('A') ? ['request', 'approve'] : ['escalation', 'status'];
  throw new Problem('usage/argument', `there is no ${what} ${id}`, `See what waits: orgrepo ${list}`);
}
