import { nearestName, Problem } from '../text/problem.ts';
import type { Command } from './kit/command.ts';

/** Every verb and the file it lives in; a file is only loaded when its verb is typed. */
const loaders: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  apply: () => import('./verbs/decide/apply.ts'),
  approve: () => import('./verbs/decide/decide.ts').then((file) => ({ command: file.approve })),
  attack: () => import('./verbs/work/attack.ts'),
  compare: () => import('./verbs/work/compare.ts'),
  demo: () => import('./verbs/work/demo.ts'),
  deny: () => import('./verbs/decide/decide.ts').then((file) => ({ command: file.deny })),
  doctor: () => import('./verbs/work/doctor.ts'),
  export: () => import('./verbs/read/export.ts'),
  help: () => import('./verbs/work/help.ts'),
  init: () => import('./verbs/work/init.ts'),
  land: () => import('./verbs/decide/land.ts'),
  log: () => import('./verbs/read/log.ts'),
  pause: () => import('./verbs/decide/steer.ts').then((file) => ({ command: file.pause })),
  plan: () => import('./verbs/work/plan.ts'),
  replay: () => import('./verbs/read/replay.ts'),
  report: () => import('./verbs/read/report.ts'),
  resume: () => import('./verbs/decide/steer.ts').then((file) => ({ command: file.resume })),
  run: () => import('./verbs/work/run.ts'),
  show: () => import('./verbs/read/show.ts'),
  status: () => import('./verbs/read/status.ts'),
  stop: () => import('./verbs/decide/steer.ts').then((file) => ({ command: file.stop })),
  submit: () => import('./verbs/decide/submit.ts'),
  verify: () => import('./verbs/read/verify.ts'),
};

/** Names that are still accepted and that no help lists. */
const oldNames = new Map([
  ['ab-test', 'compare'],
  ['morning', 'report'],
]);

export const commandNames: readonly string[] = Object.keys(loaders);

export const isCommand = (name: string): boolean => oldNames.has(name) || Object.hasOwn(loaders, name);

export async function loadCommand(name: string): Promise<Command> {
  const verb = oldNames.get(name) ?? name;
  const load = Object.hasOwn(loaders, verb) ? loaders[verb] : undefined;
  if (load !== undefined) return (await load()).command;
  const near = nearestName(name, commandNames);
  const hint = near === undefined ? 'See what there is: npx orgrepo help' : `Did you mean: npx orgrepo ${near}`;
  throw new Problem('usage/command', `there is no command ${JSON.stringify(name)}`, hint);
}
