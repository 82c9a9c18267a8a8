import { nearestName } from '../text/nearest.ts';
import { Problem } from '../text/problem.ts';
import type { Command } from './command.ts';

/** Every verb and the file it lives in; a file is only loaded when its verb is typed. */
const loaders: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  apply: () => import('./apply.ts'),
  approve: () => import('./approve.ts'),
  attack: () => import('./attack.ts'),
  compare: () => import('./compare.ts'),
  demo: () => import('./demo.ts'),
  deny: () => import('./deny.ts'),
  doctor: () => import('./doctor.ts'),
  export: () => import('./export.ts'),
  help: () => import('./help.ts'),
  init: () => import('./init.ts'),
  land: () => import('./land.ts'),
  log: () => import('./log.ts'),
  pause: () => import('./pause.ts'),
  plan: () => import('./plan.ts'),
  replay: () => import('./replay.ts'),
  report: () => import('./report.ts'),
  resume: () => import('./resume.ts'),
  run: () => import('./run.ts'),
  show: () => import('./show.ts'),
  status: () => import('./status.ts'),
  stop: () => import('./stop.ts'),
  submit: () => import('./submit.ts'),
  verify: () => import('./verify.ts'),
};

const aliases: Readonly<Record<string, string>> = { 'ab-test': 'compare', morning: 'report' };

export const commandNames: readonly string[] = [...Object.keys(loaders), ...Object.keys(aliases)];

export async function loadCommand(name: string): Promise<Command> {
  const verb = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  const load = Object.hasOwn(loaders, verb) ? loaders[verb] : undefined;
  if (load === undefined) {
    const near = nearestName(name, commandNames);
    const hint = near === undefined ? 'See what there is: npx orgrepo help' : `Did you mean: npx orgrepo ${near}`;
    throw new Problem('usage/command', `there is no command ${JSON.stringify(name)}`, hint);
  }
  return (await load()).command;
}
