import { formatFields } from '../../text/front-matter.ts';

/**
 * The brief for a repository in the shape of karpathy/autoresearch. Its own program.md stays what agents read; this one
 * says what is enforced, and which parts of the other orgrepo does itself.
 */
export function formatAutoresearchBrief(score: string, include: readonly string[], show: readonly string[]): string {
  const shown = show.length === 0 ? '' : `${formatFields({ show })}\n`;
  return `---
metric: val_bpb
direction: minimize
sandbox: [train.py]            # the only file that agents may change
harness: prepare.py            # data, tokenizer and evaluation; pinned by its id for a whole run
${formatFields({ score })}
${formatFields({ include })}
${shown}samples: 1..2                  # a pair of trainings, and a second where the first does not decide
budget: { experiment: 10m, agent: 10m, night: 8h, attempts: 5, patience: 100 }   # train.py itself stops after 5 minutes
# guards: { peak_vram_mb: "<= 1.2x" }   # other numbers of the summary that must not grow
juniors: 1
agent: search                  # or { command: "./agent.sh" }: any program that edits train.py and exits
---

# autoresearch, run by orgrepo

Read \`program.md\`: it says what is wanted, and it holds, but for the bookkeeping. orgrepo does that:

- You edit \`train.py\` once and stop. orgrepo commits it, runs it, reads \`val_bpb\` from the summary, and keeps or discards it.
- So you make no branch and no commit, write no \`results.tsv\`, run no training and do not loop, whatever \`program.md\` says of those.
- What was tried is in the notebook you are given. The last line you print is the title of your experiment.
- \`prepare.py\` and everything else is there to be read. A change outside \`train.py\` is refused and recorded.

The score is single-stage: \`train.py\` prints its own. Results say so wherever they are shown.
`;
}
