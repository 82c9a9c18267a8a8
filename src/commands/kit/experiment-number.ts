import { Problem } from '../../text/problem.ts';

/** The number that a person means by `7` or `#7`. What is the name of something else is told as that: `0001` is a spec and not #1. */
export function experimentNumber(word: string, example: string): number {
  const [, digits] = /^#?([0-9]{1,9})$/.exec(word) ?? [];
  if (digits !== undefined && !/^0[0-9]{3}/.test(word)) return Number(digits);
  const other = others.find(({ named }) => named.test(word));
  throw new Problem(
    'usage/argument',
    other === undefined
      ? `${JSON.stringify(word)} is no number of an experiment`
      : `${word} is ${other.what}, and no number of an experiment`,
    other === undefined ? example : `${example}. ${other.see(word)}`,
  );
}

const others: readonly { readonly named: RegExp; readonly what: string; readonly see: (word: string) => string }[] = [
  {
    named: /^(?:spec-[0-9]{4,9}|0[0-9]{3,8})$/,
    what: 'a spec',
    see: (word) => `What was tried at the spec: npx orgrepo show ${word}`,
  },
  { named: /^A[1-9][0-9]*$/, what: 'a request', see: () => 'What waits for a yes: npx orgrepo approve' },
  { named: /^E[1-9][0-9]*$/, what: 'an escalation', see: () => 'What waits for you: npx orgrepo status' },
  { named: /^D[1-9][0-9]*$/, what: 'a decision', see: (word) => `Make it again: npx orgrepo replay ${word}` },
];
