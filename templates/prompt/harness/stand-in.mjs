// The model that the prompt is for: a stand-in for a small one, without a network and the same on every machine.
//
// It reads a message by rules and has the bad habits of a small model. A sentence of the prompt that speaks of a habit
// takes it away, and one sentence takes away one habit. It is not perfect at that either: which messages it gets wrong
// although it was told is drawn from the message alone, so that other words for the same thing are no other draw. It has no
// memory: a message and its answer in the prompt are read as more text and help nobody.
import { createHash } from 'node:crypto';

/** What it answers to a message under a prompt. */
export function answer(prompt, message) {
  const told = understand(prompt);
  const follows = (habit) => told.habits.has(habit) && chance(message, habit) < told.strength;
  const text = follows('quotes') ? withoutQuotes(message) : message;
  const found = {
    wants: wantIn(text, follows('negations'), told.labels),
    order: orderIn(text, follows('corrections')),
    amount: amountIn(text, follows('cents')),
  };
  for (const [key, made] of Object.entries({ order: 'TW-1000', amount: 0 }))
    if (found[key] === undefined) found[key] = follows('missing') || chance(message, key) < 0.3 ? null : made;
  const json = JSON.stringify(found);
  if (told.thinksAloud) return `The message is about a ${found.wants}. Let me look at it step by step.\n${json}`;
  const isBare = follows('bare') || chance(message, 'chatty') < 0.6;
  return isBare ? json : `Sure! Here is what the customer wants:\n${json}`;
}

/** The most words that it can keep in mind; of a longer prompt it follows everything less. */
const mostWords = 170;

const labels = ['refund', 'replacement', 'status', 'cancel', 'other'];
/** What it says where the prompt does not give it a word. */
const ownWords = {
  refund: 'money_back',
  replacement: 'exchange',
  status: 'tracking',
  cancel: 'stop',
  other: 'general',
};

/** A sentence speaks of a habit when all of these are in it. */
const habits = {
  cents: [/\bcents?\b/, /\b(amount|money|price|number|integer)/],
  missing: [/\bnull\b/, /\b(no|not|none|missing|without|absent|never|unless|lacks?)\b/],
  corrections: [/\b(correct\w*|last|latest|later|final|changed?|instead)\b/, /\b(order|number)/],
  quotes: [/\b(quot\w*|earlier|previous|older)\b|>/, /\b(ignore|skip|leave out|only|do not|don't|never)\b/],
  negations: [/\b(not|no longer|negat\w*|rule[sd]? out|reject\w*)\b/, /\bwants?\b/],
  bare: [/\b(only|nothing (else|but|before)|no other|just|without any)\b/, /\b(json|object|words?|text)\b/],
};

function understand(prompt) {
  const text = prompt.toLowerCase();
  const sentences = text.split(/(?<=[.!?:])\s+|\n\s*\n|\n\s*[-*]\s/);
  const words = text.split(/\s+/).filter(Boolean).length;
  const found = sentences
    .filter(isInstruction)
    .map((sentence) => Object.keys(habits).find((habit) => habits[habit].every((sign) => sign.test(sentence))));
  return {
    habits: new Set(found.filter(Boolean)),
    labels: new Set(labels.filter((label) => new RegExp(`\\b${label}`).test(text))),
    strength: (isExample(text) ? 0.97 : 0.9) * Math.min(1, (mostWords / words) ** 2),
    thinksAloud: /step by step|think (first|aloud)|reason(ing)? (first|before)|explain/.test(text),
  };
}

/** What a customer says, or what was answered, tells it nothing of what to do. */
const isInstruction = (sentence) => !/\b(i|my|me|tw-\d+)\b|[{}]/.test(sentence);

/** A worked example: an answer in the very form that is asked for. */
const isExample = (text) => /\{\s*"wants":\s*"\w+",\s*"order":.+"amount":.+\}/.test(text);

const withoutQuotes = (message) =>
  message
    .split('\n')
    .filter((line) => !line.startsWith('>'))
    .join('\n');

const signs = [
  ['refund', /refund|money back|reimburse/g],
  ['replacement', /replace|another one|a new one|exchange/g],
  ['status', /where is|when will|has not arrived|tracking|status/g],
  ['cancel', /cancel|call off/g],
];

/** The first wish that it comes upon, also one that the customer says is none. */
function wantIn(message, heedsNegations, known) {
  const text = message.toLowerCase();
  const wishes = signs
    .flatMap(([label, sign]) => [...text.matchAll(sign)].map(({ index }) => ({ label, index })))
    .filter(({ index }) => !heedsNegations || !/\b(not|no|don't|never)\b[^.,;!?]*$/.test(text.slice(0, index)))
    .sort((a, b) => a.index - b.index);
  const label = wishes[0]?.label ?? 'other';
  return known.has(label) ? label : ownWords[label];
}

function orderIn(message, heedsCorrections) {
  const numbers = message.match(/\bTW-\d{4}\b/g) ?? [];
  return heedsCorrections ? numbers.at(-1) : numbers[0];
}

/** Sums in figures; those in words it does not see. */
function amountIn(message, inCents) {
  const [, before, after] = /(?:\$|EUR )(\d+(?:\.\d\d)?)|(\d+(?:\.\d\d)?) ?(?:dollars|euros|EUR)/.exec(message) ?? [];
  const figure = before ?? after;
  if (figure === undefined) return undefined;
  return inCents ? Math.round(Number(figure) * 100) : Number(figure);
}

/** From 0 to 1, and the same for the same message and habit for ever. */
const chance = (message, habit) =>
  createHash('sha256').update(`${habit}\n${message}`).digest().readUInt32LE() / 2 ** 32;
