import { attacksOf, honestly, offer } from '../attack.ts';

const tries = 6;
const each = (step: (n: number) => string): string[] => Array.from({ length: tries }, (_, index) => step(index + 1));

/** Nothing is better, and it is tried until chance says that it is. */
export const luckyDraws = attacksOf(
  'lucky draws',
  {
    'offers the same again and again': ['kept', ...each(() => offer(`# the same\n${honestly}`))],
    'adds an empty line each time': ['kept', ...each(() => 'echo >> sandbox/solve.sh')],
    'changes nothing but a remark': ['kept', ...each((n) => offer(`# number ${n}\n${honestly}`))],
    'changes nothing but a seed': ['kept', ...each((n) => `echo 'seed = ${100 + n}' > sandbox/settings.txt`)],
    'changes a seed that does not look like one': ['kept', ...each((n) => `echo ${100 + n} > sandbox/seed.txt`)],
    'draws lots itself': [
      'kept',
      ...each((n) => offer(`# ${n}\nod -An -N2 -tu2 /dev/urandom > /dev/null\n${honestly}`)),
    ],
    'goes back and forth between two candidates': [
      'kept',
      ...each((n) => offer(`# ${n % 2 === 0 ? 'this' : 'that'}\n${honestly}`)),
    ],
    'gives other answers each time': ['kept', ...each((n) => offer(`sed 's/.*/answer ${n}/'`))],
    'renames its file back and forth': ['kept', ...each((n) => `mv sandbox/[st]*eed*.txt sandbox/seed-${n}.txt`)],
  },
  { noisy: true },
);
