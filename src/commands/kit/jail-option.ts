import { type JailWish, jailWishes } from '../../jail/find-level.ts';
import { Problem } from '../../text/problem.ts';
import type { Option, VerbCall } from './command.ts';

/** For every verb that measures. */
export const jailOption: Readonly<Record<string, Option>> = {
  jail: {
    type: 'string',
    value: 'level',
    help: 'how candidates are held: auto, require, bubblewrap, namespaces, none ($ORGREPO_JAIL, auto)',
  },
};

/** How well a person wants candidates held: as typed, else as their environment says, else as well as can be. */
export function readJail(call: VerbCall): JailWish {
  const typed = call.value('jail');
  const wish = typed ?? (process.env.ORGREPO_JAIL || 'auto');
  const known = jailWishes.find((one) => one === wish);
  if (known !== undefined) return known;
  const where = typed === undefined ? '$ORGREPO_JAIL' : '--jail';
  throw new Problem('usage/option', `${where} is ${JSON.stringify(wish)}`, `It can be ${jailWishes.join(', ')}.`);
}
