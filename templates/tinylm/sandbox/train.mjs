// A character model: the last few characters, each as a short vector, through one hidden layer to the next character.
// Trained by gradient descent on batches from random places of the text until the clock runs out.

const settings = {
  contextLength: 6,     // characters that the model looks back
  embeddingSize: 12,    // numbers per character
  hiddenSize: 64,
  rectified: false,     // the hidden layer: cut off below zero when true, tanh when false
  batchSize: 32,
  learningRate: 0.1,
  momentum: 0.5,
  coolDown: 0.1,        // share of the time, at the end, in which the learning rate falls to nothing
  embeddingScale: 0.1,  // how far apart the first random values are
  hiddenScale: 0.5,     // the same for the layers, each over the square root of its inputs
  outputScale: 0.1,
};

/**
 * The harness gives the text as numbers below `symbols`, a clock (`seconds` in all, `left()` of them now) and `random()`.
 * It wants back the model as numbers (harness/model.mjs): it computes the predictions itself, on a text that is not here.
 */
export function train({ text, symbols, clock, random }) {
  const net = makeNet(symbols, random);
  let steps = 0;
  for (let left = clock.left(); left > 0; left = clock.left()) {
    for (let example = 0; example < settings.batchSize; example++) {
      const position = Math.floor(random() * text.length);
      net.read(text, position);
      net.learn(text[position]);
    }
    net.step(settings.learningRate * Math.min(1, left / (clock.seconds * settings.coolDown)));
    steps++;
  }
  return { ...net.model, steps };
}

function makeNet(symbols, random) {
  const { contextLength, embeddingSize, hiddenSize, rectified } = settings;
  const inputs = contextLength * embeddingSize;
  const embedding = makeWeights(symbols * embeddingSize, settings.embeddingScale, random);
  const hidden = makeWeights(inputs * hiddenSize, settings.hiddenScale / Math.sqrt(inputs), random);
  const hiddenBias = makeWeights(hiddenSize, 0, random);
  const output = makeWeights(symbols * hiddenSize, settings.outputScale / Math.sqrt(hiddenSize), random);
  const outputBias = makeWeights(symbols, 0, random);
  const all = [embedding, hidden, hiddenBias, output, outputBias];

  const context = new Int32Array(contextLength);
  const x = new Float32Array(inputs);
  const h = new Float32Array(hiddenSize);
  const p = new Float32Array(symbols);
  const xSlopes = new Float32Array(inputs);
  const hSlopes = new Float32Array(hiddenSize);

  /** The probabilities of what comes at `position`, from what stands before it. */
  function read(text, position) {
    for (let back = 0; back < contextLength; back++) {
      const symbol = position > back ? text[position - back - 1] : 0;
      context[back] = symbol * embeddingSize;
      for (let e = 0; e < embeddingSize; e++) x[back * embeddingSize + e] = embedding.values[context[back] + e];
    }
    for (let j = 0; j < hiddenSize; j++) {
      const sum = hiddenBias.values[j] + dot(hidden.values, j * inputs, x);
      h[j] = rectified ? Math.max(0, sum) : Math.tanh(sum);
    }
    let top = -Infinity;
    for (let k = 0; k < symbols; k++) {
      p[k] = outputBias.values[k] + dot(output.values, k * hiddenSize, h);
      if (p[k] > top) top = p[k];
    }
    let total = 0;
    for (let k = 0; k < symbols; k++) total += p[k] = Math.exp(p[k] - top);
    for (let k = 0; k < symbols; k++) p[k] /= total;
    return p;
  }

  /** Adds the slopes of the loss for what was read last, when `answer` is what came. */
  function learn(answer) {
    p[answer] -= 1; // From here on, p is the slope of the loss by the outputs.
    hSlopes.fill(0);
    xSlopes.fill(0);
    for (let k = 0; k < symbols; k++) {
      outputBias.slopes[k] += p[k];
      spread(output, k * hiddenSize, h, hSlopes, p[k]);
    }
    for (let j = 0; j < hiddenSize; j++) {
      const slope = hSlopes[j] * (rectified ? Math.sign(h[j]) : 1 - h[j] * h[j]);
      hiddenBias.slopes[j] += slope;
      spread(hidden, j * inputs, x, xSlopes, slope);
    }
    for (let back = 0; back < contextLength; back++) {
      for (let e = 0; e < embeddingSize; e++) embedding.slopes[context[back] + e] += xSlopes[back * embeddingSize + e];
    }
  }

  function step(rate) {
    for (const { values, slopes, speeds } of all) {
      for (let i = 0; i < values.length; i++) {
        speeds[i] = settings.momentum * speeds[i] + slopes[i] / settings.batchSize;
        values[i] -= rate * speeds[i];
        slopes[i] = 0;
      }
    }
  }

  const layers = [
    { weights: hidden.values, biases: hiddenBias.values, activation: rectified ? 'relu' : 'tanh' },
    { weights: output.values, biases: outputBias.values, activation: 'none' },
  ];
  return { read, learn, step, model: { contextLength, embedding: embedding.values, layers } };
}

function makeWeights(size, scale, random) {
  const values = Float32Array.from({ length: size }, () => scale * (random() * 2 - 1));
  return { values, slopes: new Float32Array(size), speeds: new Float32Array(size) };
}

function dot(weights, start, vector) {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += weights[start + i] * vector[i];
  return sum;
}

/** Takes the slope of one sum back to its row of weights and to the vector that the row was multiplied with. */
function spread(weights, start, vector, vectorSlopes, slope) {
  const { values, slopes } = weights;
  for (let i = 0; i < vector.length; i++) {
    vectorSlopes[i] += slope * values[start + i];
    slopes[start + i] += slope * vector[i];
  }
}
