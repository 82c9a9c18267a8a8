// The language that the model has to learn. Each rule lists its alternatives as [weight, text], and <name> in a text
// is another rule. What there is to learn: spelling, agreement in number across a nested aside, brackets that close,
// counts that come out right.
//
// No text can be derived in two ways: words are told apart by their spelling, every aside has its own brackets, "and"
// only joins what a whole sentence's subject does. So the probability of a text is the product of the choices that
// made it, and nothing has to be summed over other derivations.

export const vocabulary = ' ().abcdefghijklmnopqrstuvwxyz';

export const rules = {
  sentence: [
    [6, '<subject.one> <phrase.one>. '],
    [4, '<subject.many> <phrase.many>. '],
  ],
  'subject.one': [
    [5, 'the <noun.one><aside.one>'],
    [2, 'each <noun.one><aside.one>'],
  ],
  'subject.many': [
    [5, 'the <noun.many><aside.many>'],
    [2, 'most <noun.many><aside.many>'],
  ],
  'phrase.one': [
    [7, '<act.one>'],
    [3, '<act.one> and <phrase.one>'],
  ],
  'phrase.many': [
    [7, '<act.many>'],
    [3, '<act.many> and <phrase.many>'],
  ],
  'act.one': [
    [5, '<verb>s <object>'],
    [3, '<state>s'],
    [2, 'counts <count>'],
  ],
  'act.many': [
    [5, '<verb> <object>'],
    [3, '<state>'],
    [2, 'count <count>'],
  ],
  'aside.one': [
    [7, ''],
    [3, ' (who <act.one>)'],
  ],
  'aside.many': [
    [7, ''],
    [3, ' (who <act.many>)'],
  ],
  object: [
    [5, 'the <noun.one><aside.one>'],
    [3, 'some <noun.many><aside.many>'],
  ],
  'noun.one': [
    [9, 'weaver'],
    [7, 'fox'],
    [5, 'miller'],
    [4, 'child'],
    [3, 'otter'],
    [2, 'goose'],
    [1, 'juggler'],
    [1, 'queen'],
  ],
  'noun.many': [
    [9, 'weavers'],
    [7, 'foxes'],
    [5, 'millers'],
    [4, 'children'],
    [3, 'otters'],
    [2, 'geese'],
    [1, 'jugglers'],
    [1, 'queens'],
  ],
  verb: [
    [8, 'follow'],
    [6, 'see'],
    [4, 'paint'],
    [3, 'visit'],
    [2, 'greet'],
    [1, 'remember'],
  ],
  state: [
    [6, 'sleep'],
    [4, 'sing'],
    [2, 'dream'],
    [1, 'wander'],
  ],
  count: ['ho', 'tik', 'ba'].flatMap((sound) => [
    [4, `two ${sound} ${sound}`],
    [3, `three ${sound} ${sound} ${sound}`],
    [2, `four ${sound} ${sound} ${sound} ${sound}`],
    [1, `five ${sound} ${sound} ${sound} ${sound} ${sound}`],
  ]),
};

const parts = Object.fromEntries(
  Object.entries(rules).map(([name, alternatives]) => {
    const total = alternatives.reduce((sum, [weight]) => sum + weight, 0);
    return [name, alternatives.map(([weight, text]) => ({ chance: weight / total, parts: text.split(/<(.*?)>/) }))];
  }),
);

/**
 * Whole sentences, drawn until there are at least `length` characters, and the information in them: minus log2 of the
 * probability that the grammar gives this text. Sentences are whole because then the derivation has no loose end.
 */
export function drawText(random, length) {
  let text = '';
  let bits = 0;
  const derive = (name) => {
    const { chance, parts } = choose(name, random());
    bits -= Math.log2(chance);
    // Splitting on <name> leaves literal text at even places and the names of rules at odd ones.
    for (const [index, part] of parts.entries()) {
      if (index % 2 === 0) text += part;
      else derive(part);
    }
  };
  while (text.length < length) derive('sentence');
  return { text, bits };
}

function choose(name, at) {
  let rest = at;
  for (const alternative of parts[name]) {
    rest -= alternative.chance;
    if (rest < 0) return alternative;
  }
  return parts[name].at(-1);
}

/** A text as places in the vocabulary. */
export const symbolsOf = (text) => Uint8Array.from(text, (character) => vocabulary.indexOf(character));
