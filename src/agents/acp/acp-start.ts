import path from 'node:path';
import type { AgentChoice } from '../../domain/staff/staff.ts';
import type { Provider } from '../../domain/words/model-id.ts';
import { isWithin } from '../../jail/cell.ts';
import { setAlarm } from '../../process/pace.ts';
import { commandLine, type Ran } from '../../process/run-process.ts';
import type { AgentTask } from '../agent-contract.ts';
import { longestSilenceMs } from '../deadline.ts';
import type { ProviderAccess } from '../models/model-contract.ts';
import { environmentOf, runConfined, stillOf } from '../programs/confinement.ts';
import { lastLine, providerKeys } from '../programs/json-lines.ts';
import { belongingsOfLine, placeOfProgram } from '../programs/program-place.ts';
import { fillScratch } from '../programs/program-start.ts';
import { type AcpEnd, type AcpErrand, openAcpTalk } from './acp-talk.ts';

export type AcpChoice = Extract<AgentChoice, { kind: 'acp' }>;

/** One start of a program that speaks ACP. */
export interface AcpStart extends Omit<AcpErrand, 'dir' | 'model'> {
  readonly choice: AcpChoice;
  readonly task: Pick<AgentTask, 'agent' | 'attempt' | 'dir' | 'cell' | 'deadlineMs'>;
  /** A directory of its own, with its home. */
  readonly scratch: string;
  readonly access: ProviderAccess;
}

export interface EndedAcp {
  readonly ran: Ran;
  readonly end: AcpEnd;
  /** Its time was over, and it was asked to stop. */
  readonly isLate: boolean;
}

export async function startAcp(start: AcpStart, signal: AbortSignal): Promise<EndedAcp> {
  const { choice, task, scratch, access, prompt } = start;
  const { dir, deadlineMs } = task;
  const [home, over] = [path.join(scratch, 'home'), new AbortController()];
  const stop = (): void => over.abort();
  const talk = openAcpTalk({ ...start, dir, model: choice.model?.id });
  const still = stillOf(task.agent);
  const startMs = Math.min(longestStartMs, deadlineMs / 2);
  let isLate = false;
  const alarms = [
    setAlarm(startMs, still, () => {
      if (!talk.hasBegun()) talk.close(`it did not answer in ${Math.round(startMs / 1000)} s`);
    }),
    setAlarm(deadlineMs, still, () => {
      isLate = true;
      talk.cancel();
    }),
  ];
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  fillScratch(scratch, {}, prompt ?? '');
  const shown = belongingsOfLine(['', ...programsIn(choice.command)]);
  const command = {
    ...commandLine(choice.command),
    cwd: dir,
    env: {
      ...environmentOf(task, home, path.join(scratch, 'tmp')),
      TERM: 'dumb',
      NO_COLOR: '1',
      CI: '1',
      ...environmentFor(choice.model?.provider, access),
    },
    deadlineMs: deadlineMs + farewellMs,
    silenceMs: Math.min(longestSilenceMs, deadlineMs / 2),
    ...{ hear: talk.hear, converse: talk.begin },
  };
  const needs = {
    ...{ network: true, scratch, writesScratch: true },
    shown: shown.filter((place) => !task.cell.hidden.some((hidden) => isWithin(hidden, place))),
  };
  try {
    const running = runConfined(needs, task, command, over.signal).finally(() => talk.close());
    void talk.done.then(stop); // A program that has answered stays, and waits for another prompt.
    const ran = await running;
    return { ran, end: await talk.done, isLate };
  } finally {
    for (const turnOff of alarms) turnOff();
    signal.removeEventListener('abort', stop);
  }
}

/** A program that needs longer than this to open a session waits for somebody. */
const longestStartMs = 60_000;

/** How long a program that was asked to stop may take to say what it used. */
const farewellMs = 2_000;

/** Every word that is a program, because the command may be a line for a shell. */
const programsIn = (command: string): readonly string[] =>
  command.split(/\s+/).map((word) => (word.includes('/') ? word : (placeOfProgram(word) ?? '')));

/** The names that are usual for a key and for an address in its provider's place. */
const environmentFor = (provider: Provider | undefined, { key, baseUrl }: ProviderAccess): Record<string, string> =>
  provider === undefined || provider === 'scripted'
    ? {}
    : { [providerKeys[provider]]: key, ...(baseUrl === undefined ? {} : { [addresses[provider]]: baseUrl }) };

const addresses = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GEMINI_BASE_URL',
};

/** Why a program could not open a session; undefined where it could. */
export function whyNoSession({ ran, end }: EndedAcp): string | undefined {
  if (end.kind === 'done' || end.hasBegun) return undefined;
  if (ran.notStarted !== undefined) return ran.notStarted;
  const how = end.why ?? (ran.silent ? 'it fell silent' : `it ended with ${ran.code ?? ran.signal}`);
  const printed =
    end.printed === '' ? '' : `, and printed ${JSON.stringify(end.printed.slice(0, 80))} where ACP was expected`;
  const last = lastLine(ran.stderr.text);
  return `${how}${printed}${last === '' ? '' : `: ${last}`}`;
}
