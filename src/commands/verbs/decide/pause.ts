import type { Command } from '../../kit/command.ts';
import { steer } from './steer.ts';
import { limitSome } from './steer-some.ts';

const whole = steer(
  'pause',
  'paused',
  'No new attempts until resume, of all or of one; what is being measured is finished. --rate: fewer of them.',
  'paused: it waits at the next attempt. Go on: npx orgrepo resume',
  'npx orgrepo pause junior-1 --reason "let me look first"',
);

export const command: Command = {
  ...whole,
  options: {
    ...whole.options,
    rate: { type: 'string', value: 'n/h', help: 'no pause, but so many attempts an hour at most; none lifts it' },
  },
  examples: [...whole.examples, 'npx orgrepo pause junior-1 --rate 6/h'],
  run: (call) => {
    const rate = call.value('rate');
    return rate === undefined ? whole.run(call) : limitSome(call, rate, call.words[0]);
  },
};
