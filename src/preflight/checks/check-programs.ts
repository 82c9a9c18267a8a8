import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { type AcpChoice, startAcp, whyNoSession } from '../../agents/acp/acp-start.ts';
import { loginOf, notALogin } from '../../agents/logins.ts';
import { cellOfAgent, withScratch } from '../../agents/programs/confinement.ts';
import { lastLine } from '../../agents/programs/json-lines.ts';
import type { KnownProgram } from '../../agents/programs/program-contract.ts';
import { placeOfProgram } from '../../agents/programs/program-place.ts';
import { startProgram } from '../../agents/programs/program-start.ts';
import { type AgentChoice, everybodyIn, type Program, programIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import type { Ran } from '../../process/run-process.ts';
import type { Org } from '../../records/org.ts';
import { hideSecrets } from '../../secrets/known-secrets.ts';
import { Problem } from '../../text/problem.ts';
import { scriptOf } from './check-commands.ts';
import { installs, isMissing } from './check-machine.ts';

/** What a person should know of a program. */
type ProgramNews =
  | { readonly level: 'ok'; readonly what: string }
  | { readonly level: 'warn' | 'fail'; readonly problem: Problem };

/**
 * Starts every program that the brief names and that is installed as a run starts it, with a server of ours in the place of its
 * provider: no model is asked.
 */
export async function tryPrograms(org: Org, brief: Brief): Promise<readonly ProgramNews[]> {
  const choices = everybodyIn(brief.staff).filter((choice) => choice.kind === 'program');
  const each = new Map(choices.map((choice) => [choice.program, choice]));
  const tried: ProgramNews[] = [];
  for (const choice of each.values())
    if (placeOfProgram(choice.program) !== undefined) tried.push(...(await tryProgram(org, brief, choice)));
  const speakers = everybodyIn(brief.staff).filter((choice) => choice.kind === 'acp');
  for (const choice of new Map(speakers.map((one) => [one.command, one])).values())
    if (!isMissing(choice.command) && scriptOf(choice.command) === undefined)
      tried.push(await trySpeaker(org, brief, choice));
  return tried;
}

/** One that speaks ACP is asked who it is, and nothing else. A script of the repository is in a bench alone. */
function trySpeaker(org: Org, brief: Brief, choice: AcpChoice): Promise<ProgramNews> {
  const { command } = choice;
  return withScratch(async (scratch) => {
    const task = await taskIn(scratch, org, brief, choice);
    const start = { choice, task, scratch, access: { key: 'not-a-key', baseUrl: undefined }, prompt: undefined };
    const ended = await startAcp({ ...start, allows: async () => false, hear: () => {} }, new AbortController().signal);
    const { end } = ended;
    if (end.kind === 'done')
      return { level: 'ok', what: `${end.who || programIn(choice)} (${command}) starts and speaks ACP` };
    const what = `${command} does not work as a run starts it: ${hideSecrets(whyNoSession(ended) ?? '')}`;
    const hint = 'Start it by hand with the option that makes it speak ACP, and write that as acp.';
    return { level: 'fail', problem: new Problem('brief/value', what, hint) };
  });
}

/** A bench that is thrown away, in the cell of a run. */
async function taskIn(scratch: string, org: Org, brief: Brief, choice: AgentChoice) {
  const dir = path.join(scratch, 'bench');
  mkdirSync(dir);
  const cell = await cellOfAgent(org, brief, choice);
  return { agent: 'doctor', attempt: 1, dir, cell, deadlineMs: startMs };
}

function tryProgram(org: Org, brief: Brief, choice: KnownProgram): Promise<readonly ProgramNews[]> {
  const { program } = choice;
  return withScratch(async (scratch) => {
    const task = await taskIn(scratch, org, brief, choice);
    const reached = new AbortController();
    const provider = createServer(({ method, url }, answer) => {
      if (method === 'POST' || url?.endsWith('/responses')) reached.abort(); // codex tries a web socket first.
      answer.writeHead(404).end();
    });
    await new Promise<void>((done) => provider.listen(0, '127.0.0.1', done));
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const used = await loginOf(org, choice);
    const access = { key: 'not-a-key', baseUrl, login: used && notALogin[used.program] };
    const start = { choice, task, scratch, access, mostUsd: used === undefined ? 1 : undefined, prompt: 'Say hello.' };
    try {
      const asked = await startProgram({ ...start, only: '--version' }, new AbortController().signal);
      const version = versionIn(asked);
      const ran = await startProgram(start, reached.signal);
      const old = oldVersion(program, version);
      const name = `${program}${version === undefined ? '' : ` ${version}`} (${placeOfProgram(program)})`;
      if (reached.signal.aborted) return [{ level: 'ok', what: `${name} starts and asks its model` }, ...old];
      const what = `${name} does not work as a run starts it: ${whyNotReached(ran)}`;
      const hint = `Install it anew: ${installs[program]}. Or name another agent.`;
      return [{ level: 'fail', problem: new Problem('brief/value', what, hint) }, ...old];
    } finally {
      provider.close();
      provider.closeAllConnections();
    }
  });
}

const startMs = 60_000;

const versionIn = (ran: Ran | undefined): string | undefined =>
  /(?<![\d.])\d+\.\d+\.\d+[\w.-]*/.exec(`${ran?.stdout.text}\n${ran?.stderr.text}`)?.[0];

function whyNotReached(ran: Ran | undefined): string {
  if (ran === undefined || ran.notStarted !== undefined) return ran?.notStarted ?? 'it is gone';
  const said = lastLine(hideSecrets(ran.stderr.text)) || lastLine(hideSecrets(ran.stdout.text));
  const end =
    ran.timedOut || ran.silent
      ? `no model was asked in ${Math.round(ran.ms / 1000)} s`
      : `it ended with ${ran.code ?? ran.signal}`;
  return said === '' ? end : `${end}: ${said.slice(0, 200)}`;
}

/** The last versions that npm installs on an older Node, and the Node that later ones need. */
const lastOnOldNode: Partial<Readonly<Record<Program, { readonly version: string; readonly node: number }>>> = {
  claude: { version: '2.1.197', node: 22 },
  pi: { version: '0.74.2', node: 22 },
};

function oldVersion(program: Program, version: string | undefined): readonly ProgramNews[] {
  const last = lastOnOldNode[program];
  if (last === undefined || version !== last.version || Number.parseInt(process.versions.node, 10) >= last.node)
    return [];
  const what = `${program} ${version} is the last version that npm installs on Node ${process.versions.node.split('.')[0]}`;
  const hint = `Later ones need Node ${last.node} or newer. Install it, then: ${installs[program]}.`;
  return [{ level: 'warn', problem: new Problem('brief/value', what, hint) }];
}
