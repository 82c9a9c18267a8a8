/**
 * A repository in the shape of karpathy/autoresearch that needs nothing but python3: prepare.py has the data and the
 * evaluation, train.py trains a small model of letter pairs and prints the same summary. The result depends on the
 * code alone, so that every run of it is the same.
 */
export const autoresearch: Readonly<Record<string, string>> = {
  'program.md': `# autoresearch

This is an experiment to have the LLM do its own research.

## Setup

1. **Create the branch**: \`git checkout -b autoresearch/<tag>\` from current master.

## Experimentation

The goal is simple: get the lowest val_bpb. Everything in \`train.py\` is fair game; \`prepare.py\` is read-only.

## The experiment loop

LOOP FOREVER: edit \`train.py\`, git commit, \`uv run train.py > run.log 2>&1\`, write it to \`results.tsv\`. NEVER STOP.
`,
  'README.md': '# autoresearch\n',
  '.gitignore': '__pycache__/\n.venv\nresults.tsv\n',
  'pyproject.toml':
    '[project]\nname = "autoresearch"\nversion = "0.1.0"\nrequires-python = ">=3.9"\ndependencies = []\n',
  'prepare.py': `"""Data and evaluation. Not to be changed."""
import math

VOCAB = 8


def _stream(length, state):
    """Letters of a small chain whose next letter mostly follows from the last."""
    out, last = [], 0
    for _ in range(length):
        state = (state * 1103515245 + 12345) % 2147483648
        last = (last * 3 + 1) % VOCAB if state / 2147483648 < 0.8 else (state >> 8) % VOCAB
        out.append(last)
    return out


TRAIN = _stream(4000, 1)
VAL = _stream(2000, 99)


def evaluate_bpb(probabilities):
    loss = 0.0
    for here, there in zip(VAL, VAL[1:]):
        loss -= math.log2(probabilities[here][there])
    return loss / (len(VAL) - 1)
`,
  'train.py': `import math
import time

from prepare import TRAIN, VOCAB, evaluate_bpb

LEARNING_RATE = 0.002
NUM_STEPS = 4

started = time.time()
logits = [[0.0] * VOCAB for _ in range(VOCAB)]


def softmax(row):
    top = max(row)
    powers = [math.exp(value - top) for value in row]
    total = sum(powers)
    return [power / total for power in powers]


for step in range(NUM_STEPS):
    for here, there in zip(TRAIN, TRAIN[1:]):
        row = logits[here]
        for letter, share in enumerate(softmax(row)):
            row[letter] -= LEARNING_RATE * (share - (letter == there))
training_seconds = time.time() - started
val_bpb = evaluate_bpb([softmax(row) for row in logits])

print("step 00003 done")
print("---")
print(f"val_bpb:          {val_bpb:.6f}")
print(f"training_seconds: {training_seconds:.1f}")
print(f"total_seconds:    {time.time() - started:.1f}")
print("peak_vram_mb:     0.0")
print("mfu_percent:      39.80")
print("total_tokens_M:   0.1")
print(f"num_steps:        {NUM_STEPS}")
print("num_params_M:     0.1")
print("depth:            1")
`,
};
