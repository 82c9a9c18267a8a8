import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { readKeysFile } from '../../../agents/keys-file.ts';
import type { Ending } from '../../../domain/rules/stopping-rules.ts';
import type { Fact } from '../../../domain/words/fact.ts';
import { isRoot } from '../../../jail/cell.ts';
import { runNight } from '../../../loop.ts';
import { writeCheckpoint } from '../../../records/checkpoints.ts';
import { recordTips } from '../../../records/notebook/run-end.ts';
import { type Org, openOrg } from '../../../records/org.ts';
import { changeQueue, readQueue } from '../../../records/queue/queue.ts';
import { formatReport } from '../../../report/pages/report-text.ts';
import { closeOrg } from '../../../score/arena/measuring-room.ts';
import { measureGain } from '../../../score/measure/measure-again.ts';
import { levelOf } from '../../../score/measure/trial.ts';
import { liveFile } from '../../../steps/claim/night-claims.ts';
import { endNight, whatStalls, whyOver } from '../../../steps/night/end-night.ts';
import { isNoisy, keepPacked, keepSigning } from '../../../steps/night/keep-packed.ts';
import type { Night } from '../../../steps/night/night.ts';
import { startNight } from '../../../steps/night/start-night.ts';
import { adoptRemote } from '../../../steps/recover/adopt-remote.ts';
import { endIfTouched } from '../../../steps/standing/next-step.ts';
import { endRun } from '../../../steps/standing/night-standing.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import {
  cultureOption,
  flagOption,
  jailOption,
  readCountOption,
  readCultureOption,
  readLimits,
  textOption,
} from '../../kit/options.ts';
import { listenForSignals, type Signals } from '../../kit/stop-signals.ts';
import { copyTemplate, makeDirectory, nameScripts, requireTemplate, templateList } from '../../kit/templates.ts';
import { warnOfUncommitted } from '../../kit/with-org.ts';
import { openScreen, type Screen } from '../../screen/screen.ts';
import { writeReport } from '../read/report.ts';

export const run: Command = {
  name: 'run',
  summary: 'Start the org here. It stops by itself: target, patience, night, --max, --until, or Ctrl-C.',
  options: {
    max: textOption(
      'n',
      'begin no more attempts than this, saved ones included; what the last one needs is still done',
    ),
    until: textOption('hh:mm', 'stop at this time of day'),
    hours: textOption('h', 'stop after this many hours'),
    patience: textOption('n', 'stop after this many experiments without progress'),
    seed: textOption('n', 'where all chance comes from (1): the same seed on one lane gives the same night'),
    ...cultureOption,
    'from-trunk': flagOption("start over from the trunk's sandbox; what was best stays in history"),
    ...jailOption,
    ui: textOption('kind', 'live, lines or json; chosen by the terminal when not given'),
  },
  goesOnUnread: true,
  examples: ['orgrepo run --until 07:00', 'orgrepo run --max 300 --seed 7'],
  run: async (call) => {
    const limits = readLimits(call, Date.now());
    const seed = String(readCountOption(call, 'seed', 7) ?? 1);
    const culture = readCultureOption(call);
    return runHere(call, { seed, limits, fromTrunk: call.flag('from-trunk'), culture });
  },
};

/** Long enough to see real gains, short enough to watch. */
const demoSeconds = 35;
const demoAttempts = 120;

export const demo: Command = {
  name: 'demo',
  summary: 'The whole thing in a new directory, in under a minute: no key, no network.',
  arguments: ['[directory]'],
  options: {
    template: textOption('name', `what to show (pack):\n${templateList}`),
    max: textOption('n', `stop after this many attempts (${demoAttempts})`),
    ...jailOption,
    ui: textOption('kind', 'live, lines or json'),
  },
  goesOnUnread: true,
  examples: ['orgrepo demo', 'orgrepo demo /tmp/try'],
  run: async (call) => {
    const name = call.words[0] ?? 'orgrepo-demo';
    const here = { ...call, dir: path.resolve(call.dir, name) };
    const max = readCountOption(call, 'max') ?? demoAttempts;
    const written = await makeDemo(here.dir, name, call.value('template') ?? 'pack');
    const agents = written.some((file) => file.startsWith('models/')) ? 'scripted' : 'search';
    call.say(`in ${here.dir}: ${agents} agents, no model, no key, no network\n\n`);
    const limits = { max, patience: undefined, until: Date.now() + demoSeconds * 1000 };
    const code = await runHere(here, { seed: '1', limits, fromTrunk: false });
    if (code !== 0) return code;
    if (!call.isTerminal && !call.json) {
      const { command: report } = await import('../read/report.ts');
      await report.run({ ...here, jail: () => undefined, value: () => undefined, flag: () => false });
    }
    const sandbox = written.find((file) => file.startsWith('sandbox/')) ?? 'sandbox';
    const [there, anywhere] = [here.dir, undefined].map(call.streams.startedAs);
    call.say(
      `\nnow type\n  cd ${name}\n  git log --first-parent orgrepo/best\n  git blame orgrepo/best -- ${sandbox}\n  $EDITOR program.md       commit it, and: ${there} run\nyour own repository: ${anywhere} init\n`,
    );
    return 0;
  },
};

/** Makes a new directory with a template in it, committed. Returns the template's files. */
async function makeDemo(dir: string, name: string, template: string): Promise<readonly string[]> {
  if (existsSync(dir) && (!statSync(dir).isDirectory() || readdirSync(dir).length > 0))
    throw new Problem(
      'file/exists',
      `${dir} is there already`,
      `Go on in it, or take another: orgrepo demo ${name}-2`,
      { file: dir },
    );
  requireTemplate(template); // Before anything is made.
  if (template === 'watcher')
    throw new Problem(
      'usage/option',
      'the brief of watcher names a model, which a demo never asks',
      'See it in a directory of its own: orgrepo init --template watcher',
    );
  makeDirectory(dir, 'Name another: orgrepo demo /tmp/try');
  const { written } = copyTemplate(template, dir);
  nameScripts(dir, written);
  const { startRepository } = await import('../../../git/persons-git.ts');
  await startRepository(dir, 'the org as it starts');
  return written;
}

/** A whole night in the call's directory, with its report; gives the exit code. */
async function runHere(call: VerbCall, options: Parameters<typeof startNight>[1]): Promise<number> {
  const org = await openOrg(call.dir, call.jail());
  const screen = openScreen(call);
  const signals = listenForSignals((message) => screen.note(message));
  try {
    await adoptRemote(org, {
      mayAsk: call.mayAsk,
      stopped: () => signals.asked() !== undefined,
      say: (message) => screen.tell({ kind: 'recovered', at: Date.now() / 1000, message }),
      warn: (message) => screen.tell({ kind: 'warning', at: Date.now() / 1000, message }),
    });
    await readKeysFile(org); // A file of keys that anybody can read is nothing to start a night with.
    await warnOfUncommitted(org, (message) => screen.note(message));
    if ((await levelOf(org)) === 'none')
      screen.note(
        isRoot()
          ? 'no jail, and you are root: candidates can read and change everything on this machine. What would hold them: orgrepo doctor'
          : 'no jail: candidates can read and change what you can. What would hold them: orgrepo doctor',
      );
    const { night, left, lock } = await startNight(org, options, screen.tell, signals.killNow);
    signals.onStop((ending) => endRun(night.standing, ending));
    const beating = setInterval(() => lock.beat(), 2_000);
    const packing = keepPacked(night);
    const signing = keepSigning(night.run);
    const reporting = setInterval(() => void heartbeat(night).then(screen.tell, () => {}), 300_000);
    try {
      await writeCheckpoint(org, `${night.run.id} begins`);
      await runNight(night, left);
      if (isNoisy(night)) await packing.stop(); // What the night has gained is measured now.
      return await close(call, night, screen, signals);
    } finally {
      clearInterval(beating);
      clearInterval(reporting);
      clearInterval(signing);
      await packing.stop();
      if (signals.killNow.aborted) await recordKill(org);
      await night.inForce.policies.close().finally(() => lock.release());
    }
  } catch (error) {
    if (signals.asked() === undefined) throw error;
    return exitOf(signals.asked()); // A person stopped it; any error that follows from that is not news to them.
  } finally {
    signals.stop();
    screen.close();
    await closeOrg(org);
  }
}

/** Two Ctrl-C are an order like `orgrepo stop --now`, and not a crash. */
async function recordKill(org: Org): Promise<void> {
  const title = 'stop: killed by a person';
  await changeQueue(org, ({ ledger }) =>
    ledger.state === 'stopping' || ledger.state === 'ended'
      ? undefined
      : { event: 'stop', title, ledger: { state: 'stopping' }, trailers: { Run: ledger.run } },
  ).catch(() => {}); // Then it looks like a crash, which costs nothing.
}

async function close(call: VerbCall, night: Night, screen: Screen, signals: Signals): Promise<number> {
  await endIfTouched(night); // The last agent to work may have been the one that did it.
  const ending = night.standing.ending ?? 'interrupted';
  const exit = exitOf(ending) || (night.standing.waitingForPerson.size > 0 ? 3 : 0); // A person is needed.
  // Killed now: what was saved is measured by the next run. A kill outranks the stop that came just before it.
  if (night.run.signal.aborted) return exitOf(signals.asked() ?? ending);
  const stalled = await whatStalls(night);
  const reason = whyOver(night, ending, stalled);
  const { pinned } = night.inForce;
  const { best, scales } = night.tally;
  const gain =
    ending === 'stopped' || ending === 'touched'
      ? undefined
      : await measureGain({ ...night.run, pinned, best, scales }, () => signals.asked() !== undefined);
  if (night.run.signal.aborted) return exitOf(signals.asked() ?? ending);
  await endNight(night, { ending, reason, gain, refused: stalled.refused, files: liveFile(night.claims) });
  const report = await writeReport(night.run.org, 'write');
  await recordTips(night.run.org, night.run.id);
  await writeCheckpoint(night.run.org, `${night.run.id} ends`);
  screen.tell({ ...countsOf(night), kind: 'run-stop', reason, report: report?.file, exit });
  screen.close();
  if (report !== undefined && call.isTerminal && !call.json) call.out(`\n${formatReport(report.report, call.look)}`);
  return exit;
}

const exits: Partial<Readonly<Record<Ending, number>>> = {
  interrupted: 130,
  terminated: 143,
  touched: 5,
  halted: 3,
  review: 3,
  refused: 3,
  capped: 2,
};
const exitOf = (ending: Ending | undefined): number => (ending && exits[ending]) ?? 0;

async function heartbeat(night: Pick<Night, 'run' | 'inForce' | 'claims' | 'tally'>): Promise<Fact> {
  const specs = (await readQueue(night.run.org))?.specs ?? [];
  const open = specs.filter((spec) => !night.claims.live.has(spec.id)).length;
  return { ...countsOf(night), kind: 'heartbeat', open };
}

const countsOf = ({ inForce, tally: { tried, kept, taken, best } }: Pick<Night, 'inForce' | 'tally'>) => ({
  at: Date.now() / 1000,
  tried,
  kept,
  taken: taken.size,
  best: best.score,
  spent: inForce.models.spent(),
  reserved: inForce.models.reserved(),
});
