import type { AgentTask } from '../agent-contract.ts';
import { openingOf, systemOf } from '../prompts.ts';
import { quotationWith } from '../quotation.ts';

/** What a program with tools of its own is told: all that a model is told, and how it is to say what a model says with ours. */
export function errandOf(task: AgentTask): string {
  const files = task.role === 'chief' ? 'specs/*.md' : task.brief.sandbox.join(', ');
  const here = `# How you work here

You have tools of your own instead of the ones named above; there is no "finish" and no "run". Your directory is the
current one, ${task.dir}. Write only files there that match ${files}: any other change, a link or a file left lying about makes
the whole attempt void. Do not commit, do not use git to change anything, install nothing, ask nobody: nobody is there.
When you are done, say so in a final message: a few sentences of notes for whoever comes next, and as its last line the
title, which is what you ${task.role === 'chief' ? 'wrote' : 'changed'} in one line.`;
  return `${systemOf(task.role)}\n\n${here}\n\n${openingOf(task, quotationWith(task.mark))}\n`;
}
