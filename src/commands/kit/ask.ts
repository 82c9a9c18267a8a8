import { createInterface } from 'node:readline/promises';
import { Problem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

/** Asks a person once, unless `--yes` said so beforehand. Where nobody can be asked that is the only yes. */
export async function agreesTo(call: VerbCall, what: string, question: string): Promise<boolean> {
  if (call.flag('yes')) return true;
  const { stdin } = call.streams;
  if (!call.mayAsk || call.json || stdin.isTTY !== true)
    throw new Problem('usage/option', `${what}, and nobody can be asked here`, 'Say that you agree: --yes');
  const lines = createInterface({ input: stdin, output: process.stderr });
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT')); // Whoever interrupts a question interrupts all of it.
  const left = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  try {
    const said = await Promise.race([lines.question(`${question} [y/N] `), left]);
    return /^y(es)?$/i.test(said.trim());
  } finally {
    lines.close();
  }
}
