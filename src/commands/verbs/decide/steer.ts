import { setTimeout as wait } from 'node:timers/promises';
import { type OrderTarget, type OrderWord, parseTarget } from '../../../domain/staff/presence.ts';
import { sameName } from '../../../domain/staff/role-name.ts';
import { postsOf } from '../../../domain/staff/staff.ts';
import type { RunState } from '../../../domain/words/ledger.ts';
import { pinNow } from '../../../org/force/in-force.ts';
import type { Org } from '../../../records/org.ts';
import { type OrderedBy, rateInWords, recordPresence, resumeAgent } from '../../../records/queue/agent-book.ts';
import { changeQueue, type Queue, readQueue } from '../../../records/queue/queue.ts';
import { currentRunner } from '../../../records/run-lock.ts';
import { nearestName, Problem } from '../../../text/problem.ts';
import type { Command, Option, VerbCall } from '../../kit/command.ts';
import { asOption, flagOption, reasonOption, textOption, wrongOption } from '../../kit/options.ts';
import { personWhoMay } from '../../kit/person-who-may.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export const pause: Command = {
  ...steer('pause', 'paused', 'paused: it waits at the next attempt. Go on: orgrepo resume', {
    rate: textOption('n/h', 'no pause, but so many attempts an hour at most; none lifts it'),
  }),
  summary: 'No new attempts until resume, of all or of one; what is being measured is finished. --rate: fewer of them.',
  examples: [
    'orgrepo pause',
    'orgrepo pause junior-1 --reason "let me look first"',
    'orgrepo pause junior-1 --rate 6/h',
  ],
};

export const resume: Command = {
  ...steer('resume', 'running', 'resumed'),
  summary: 'Goes on after a pause; with a name, lets an agent or a department work again that was paused or stopped.',
  examples: ['orgrepo resume', 'orgrepo resume junior-2 --reason "it has new instructions"'],
};

export const stop: Command = {
  ...steer('stop', 'stopping', 'stopping after what is being measured', {
    now: flagOption('kill what is being measured too'),
  }),
  summary:
    'Ends the run: what is being measured is finished, then the report is written. With a name, one is done for tonight.',
  examples: ['orgrepo stop', 'orgrepo stop junior-1'],
};

type SteerVerb = 'pause' | 'resume' | 'stop';

/** What a person orders while a run goes on: a commit on the queue, so that `git log` tells who paused it. */
function steer(
  verb: SteerVerb,
  state: RunState,
  done: string,
  own: Readonly<Record<string, Option>> = {},
): Omit<Command, 'summary' | 'examples'> {
  return {
    name: verb,
    arguments: ['[agent or department]'],
    options: { ...reasonOption, ...asOption, ...own },
    run: (call) => {
      const [name] = call.words;
      const rate = 'rate' in own ? call.value('rate') : undefined;
      const kills = 'now' in own && call.flag('now');
      const instead = 'Leave it out: one agent ends what it has begun.';
      if (name !== undefined && kills) throw new Problem('usage/option', '--now ends the whole run', instead);
      return withOrgToWrite(call, async (org) => {
        const limit = rate === undefined ? undefined : { kind: 'limit' as const, perHour: readRate(rate) };
        const said = { by: await personWhoMay(org, call, verb), reason: call.value('reason') };
        if (limit === undefined && name === undefined) {
          const underway = isUnderway(org, await readQueue(org));
          const isIdle = currentRunner(org) === undefined;
          // A run that was killed begins again like any other: a pause has to hold for that too.
          if (isIdle && (verb === 'pause' || (verb === 'resume' && !underway))) await steerNextRun(org, verb, said);
          const runner = underway || verb === 'stop' ? await steerRun(org, verb, state, said) : undefined;
          if (kills && runner !== undefined) await killNow(org, runner.pid);
          return answerSteered(call, verb, { kind: 'org' }, isIdle ? beforeRun[verb] : done);
        }
        const target: OrderTarget = name === undefined ? { kind: 'org' } : await targetNamed(org, name);
        if (limit !== undefined) {
          await recordPresence(org, { ...limit, target, by: said.by }, said);
          return answerSteered(call, 'limit', target, `${name ?? 'the org'}: ${rateInWords(limit.perHour)}`);
        }
        await steerSome(org, verb, target, said, name);
        const words = {
          pause: `${name} gets no more work. Go on: orgrepo resume ${name}`,
          resume: `${name} goes on`,
          stop: 'it ends what it has begun, and others go on with its spec',
        };
        return answerSteered(call, verb, target, words[verb]);
      });
    },
  };
}

const beforeRun = {
  pause: 'paused. Nothing runs here now; the next run waits until you type: orgrepo resume',
  resume: 'resumed: the next run begins as usual',
  stop: 'stopping after what is being measured (no process runs here now)',
};

/** A pause while nothing runs holds for the next run. */
async function steerNextRun(org: Org, verb: 'pause' | 'resume', said: OrderedBy): Promise<void> {
  const target = { kind: 'org' } as const;
  const { orders = [] } = (await readQueue(org))?.ledger ?? {};
  if (verb === 'pause') await recordPresence(org, { kind: 'pause', target, by: said.by, reason: '' }, said);
  else if (orders.includes('pause:org')) await recordPresence(org, { kind: 'resume', target }, said);
  else throw new Problem('usage/command', 'nothing runs here, and nothing is paused', 'Start: orgrepo run');
}

/** Gives the order to the whole run, and returns its process if that is here. */
async function steerRun(org: Org, verb: SteerVerb, state: RunState, { by, reason }: OrderedBy) {
  if (!isUnderway(org, await readQueue(org)))
    throw new Problem('usage/command', 'nothing runs here', 'Start: orgrepo run');
  const runner = currentRunner(org);
  // A pause from before this run is lifted too.
  if (verb === 'resume') await recordPresence(org, { kind: 'resume', target: { kind: 'org' } }, { by, reason });
  const title = `${verb}: ${reason ?? 'by a person'}`;
  await changeQueue(org, ({ ledger }) => {
    if (ledger.state === state) return undefined;
    return { event: verb, title, ledger: { state }, trailers: { Run: ledger.run, By: by, Reason: reason } };
  });
  return runner;
}

/** The same two signals as two Ctrl-C: the first is a request, the second an order. Apart, because signals do not queue. */
async function killNow(org: Org, pid: number): Promise<void> {
  for (let sent = 0; sent < 2 && currentRunner(org)?.pid === pid; sent++) {
    process.kill(pid, 'SIGTERM');
    await wait(100);
  }
}

/** Gives an order about an agent or a department, which a run that goes on reads before its next attempt. */
async function steerSome(org: Org, verb: SteerVerb, target: OrderTarget, said: OrderedBy, name = ''): Promise<void> {
  const queue = await readQueue(org);
  if (verb === 'resume') return resumeSome(org, queue, target, said);
  if (verb === 'stop' && !isUnderway(org, queue))
    throw new Problem(
      'usage/command',
      'nothing runs here, and a stop is for one run',
      `Keep it from working in the next one too: orgrepo pause ${name}`,
    );
  await recordPresence(org, { kind: verb, target, by: said.by, reason: '' }, said);
}

/** Lifts what was said of the very same target; of an agent also what the breaker says. */
async function resumeSome(org: Org, queue: Queue | undefined, target: OrderTarget, said: OrderedBy): Promise<void> {
  const { halted = [], orders = [] } = queue?.ledger ?? {};
  const isSaid = orders.some((word) => word === `pause:${pathIn(target)}` || word === `stop:${pathIn(target)}`);
  const isTripped = target.kind === 'agent' && halted.includes(target.id) && queue?.ledger.state !== 'ended';
  if (queue !== undefined && isTripped) await resumeAgent(org, target.id, queue, said);
  else if (isSaid) await recordPresence(org, { kind: 'resume', target }, said);
  else throw noHalt(target, isUnderway(org, queue), halted, orders);
}

function noHalt(target: OrderTarget, runs: boolean, halted: readonly string[], orders: readonly OrderWord[]): Problem {
  const paused = orders.filter((word) => /^(?:pause|stop):/.test(word)).map((word) => word.split(/[:/]/).at(-1));
  const others = [
    ...(runs && halted.length > 0 ? [`Stopped: ${halted.join(', ')}`] : []),
    ...(paused.length > 0 ? [`Paused: ${paused.join(', ')}`] : []),
  ].join('. ');
  const nobody = runs ? 'Nobody is. See: orgrepo status' : 'A new run gives everybody work again: orgrepo run';
  const what = `${JSON.stringify(nameIn(target))} is not stopped, and not paused`;
  return new Problem('usage/argument', runs ? what : `nothing runs here, and ${what}`, others === '' ? nobody : others);
}

const nameIn = (target: OrderTarget): string => (target.kind === 'org' ? 'org' : target.id);
const pathIn = (target: OrderTarget): string => (target.kind === 'org' ? 'org' : `${target.kind}/${target.id}`);

const isUnderway = (org: Org, queue: Queue | undefined): boolean =>
  currentRunner(org) !== undefined ||
  (queue !== undefined && queue.ledger.state !== 'ended' && queue.ledger.state !== 'never');

/** An agent by its name, else a department by its id or its name. */
async function targetNamed(org: Org, name: string): Promise<OrderTarget> {
  const pinned = await pinNow(org);
  const agents = postsOf(pinned.brief).map(({ id }) => id);
  const member = pinned.charter?.charter.members.find((one) => sameName(one.name, name));
  const agent = agents.find((id) => id === name) ?? member?.id;
  if (agent !== undefined) return { kind: 'agent', id: agent };
  const departments = pinned.charter?.charter.departments ?? [];
  const called = name.toLowerCase();
  const department = departments.find((one) => one.id === name || one.name.toLowerCase() === called);
  if (department !== undefined) return { kind: 'department', id: department.id };
  const said = (await readQueue(org))?.ledger.orders ?? [];
  const gone = said.map((word) => parseTarget(word.slice(word.indexOf(':') + 1).replace('/', ' ')));
  const known = gone.find((one) => one !== undefined && one.kind !== 'org' && one.id === name);
  if (known !== undefined) return known; // The chart has it no more, and what was said of it can still be lifted.
  const people = pinned.charter?.charter.people ?? [];
  if (people.some(({ id }) => id === name))
    throw new Problem('usage/argument', `${name} is a person, and nobody's to pause`, 'Tell them.');
  const all = [...new Set([...agents, ...departments.map(({ id }) => id)])];
  const near = nearestName(name, all);
  throw new Problem(
    'usage/argument',
    `nobody here is called ${JSON.stringify(name)}`,
    near === undefined ? `There are: ${all.slice(0, 20).join(', ')}` : `Did you mean ${near}?`,
  );
}

/** `6/h`, `6`; `none` lifts it. */
function readRate(text: string): number | undefined {
  if (text === 'none') return undefined;
  const [, count] = /^([1-9][0-9]{0,5})(?:\s*(?:\/|per|an)\s*h(?:our)?)?$/.exec(text) ?? [];
  if (count !== undefined) return Number(count);
  const hint = 'For example: --rate 6/h, and --rate none to lift it. To let somebody do nothing, leave --rate out.';
  throw wrongOption('rate', text, 'attempts an hour', hint);
}

function answerSteered(call: VerbCall, did: string, target: OrderTarget, words: string): number {
  const who = target.kind === 'org' ? {} : { [target.kind]: target.id };
  call.answer({ schema: 'orgrepo/steer@1', did, ...who }, `${call.look.typed(words)}\n`);
  return 0;
}
