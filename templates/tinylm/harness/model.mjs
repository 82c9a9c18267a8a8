// A model as numbers: a vector for each symbol, those of the last few symbols side by side, through some layers of sums to a
// number for each symbol that may come, and from these numbers probabilities.

const mostParameters = 100_000; // More than that would take the judge seconds.
const mostContext = 1000;

const activations = { tanh: Math.tanh, relu: (sum) => Math.max(0, sum), none: (sum) => sum };

/**
 * Reads `{ contextLength, embedding, layers: [{ weights, biases, activation }], steps }` as if somebody had written it to
 * fool us. All sizes follow from the lists of numbers, and what does not fit together is refused.
 */
export function readModel(text, symbols) {
  const { contextLength, embedding, layers, steps } = parse(text);
  whole(contextLength, 1, mostContext, 'contextLength');
  whole(steps, 0, Number.MAX_SAFE_INTEGER, 'steps');
  const read = { embedding: numbers(embedding, 'embedding'), layers: list(layers, 'layers').map(readLayer) };
  const params = read.layers.reduce((sum, one) => sum + one.weights.length + one.biases.length, read.embedding.length);
  whole(params, 1, mostParameters, 'the number of parameters');
  const size = read.embedding.length / symbols;
  whole(size, 1, mostParameters, 'the length of embedding for each symbol');
  let inputs = contextLength * size;
  for (const [place, { weights, biases }] of read.layers.entries()) {
    whole(biases.length, 1, mostParameters, `the number of biases of layer ${place}`);
    const expected = biases.length * inputs;
    whole(weights.length, expected, expected, `the number of weights of layer ${place}`);
    inputs = biases.length;
  }
  whole(inputs, symbols, symbols, 'the number of biases of the last layer');
  return { params, steps, predict: (seen, position) => predict(read, contextLength, size, seen, position) };
}

/** The probability of each symbol at a position, from those before it; before the first there are symbols 0. */
function predict({ embedding, layers }, contextLength, size, seen, position) {
  let values = new Float64Array(contextLength * size);
  for (let back = 0; back < contextLength; back++) {
    const symbol = position > back ? seen[position - back - 1] : 0;
    for (let e = 0; e < size; e++) values[back * size + e] = embedding[symbol * size + e];
  }
  for (const layer of layers) values = through(layer, values);
  const top = values.reduce((most, value) => Math.max(most, value), -Infinity);
  const chances = values.map((value) => Math.exp(value - top));
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return chances.map((chance) => chance / total);
}

function through({ weights, biases, activation }, values) {
  return biases.map((bias, row) => {
    let sum = bias;
    for (let i = 0; i < values.length; i++) sum += weights[row * values.length + i] * values[i];
    return activation(sum);
  });
}

function parse(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch (error) {
    throw new Error(`model.json: ${error.message}`);
  }
}

function readLayer(layer, place) {
  const { weights, biases, activation } = layer ?? {};
  if (!Object.hasOwn(activations, activation)) {
    throw new Error(`model.json: activation of layer ${place} is ${shown(activation)}, expected tanh, relu or none`);
  }
  return {
    weights: numbers(weights, `weights of layer ${place}`),
    biases: numbers(biases, `biases of layer ${place}`),
    activation: activations[activation],
  };
}

function numbers(value, name) {
  const wrong = list(value, name).findIndex((number) => !Number.isFinite(number));
  if (wrong >= 0) throw new Error(`model.json: ${name} has ${shown(value[wrong])} at ${wrong}, expected a number`);
  return Float64Array.from(value);
}

function list(value, name) {
  if (!Array.isArray(value)) throw new Error(`model.json: ${name} is ${shown(value)}, expected a list`);
  return value;
}

function whole(value, least, most, name) {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  const expected = least === most ? least : `a whole number from ${least} to ${most}`;
  throw new Error(`model.json: ${name} is ${shown(value)}, expected ${expected}`);
}

const shown = (value) => String(JSON.stringify(value)).slice(0, 40);
