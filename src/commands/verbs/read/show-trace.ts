import { allTracesOf, readTrace, traceInWords, tracesOf } from '../../../agents/trace/trace-book.ts';
import { formatTrace, noTrace, traceJson } from '../../../agents/trace/trace-page.ts';
import { parseTrace } from '../../../agents/trace/trace-text.ts';
import type { Experiment } from '../../../domain/words/experiment.ts';
import type { BookEntry } from '../../../records/entry.ts';
import type { Org } from '../../../records/org.ts';
import { Problem } from '../../../text/problem.ts';
import type { VerbCall } from '../../kit/command.ts';

/** What was said and done in an experiment: to be read, or as it is stored. */
export async function showTrace(org: Org, { n, spec, agent, tried }: Experiment, call: VerbCall): Promise<void> {
  await print(org, await tracesOf(org, spec, tried), { name: `#${n}`, agent }, call);
}

/** The same of all that was done for a spec: plans, critiques, tries and reviews. Of the chief, who works on none, without one. */
export async function showTraces(org: Org, spec: string | undefined, call: VerbCall): Promise<void> {
  const whose = spec === undefined ? { name: 'chief', agent: 'it' } : { name: spec, agent: 'who worked it' };
  await print(org, await allTracesOf(org, spec), whose, call);
}

interface Whose {
  /** `#7`, `0012`, `chief`. */
  readonly name: string;
  readonly agent: string;
}

async function print(org: Org, entries: readonly BookEntry[], { name, agent }: Whose, call: VerbCall): Promise<void> {
  if (entries.length === 0) call.say(noTrace(name, agent));
  for (const entry of entries) {
    const read = await readTrace(org, entry);
    if ('wrong' in read)
      throw new Problem(
        'integrity/history',
        `the trace of ${name} should be ${traceInWords}, and is ${read.wrong}`,
        'See what else does not hold: npx orgrepo verify',
      );
    const n = entry.get('Experiment');
    const head = {
      ...{ name: n === undefined ? name : `#${n}`, agent: entry.get('Agent') ?? '' },
      ...{ model: entry.get('Model'), reason: entry.get('Reason') },
    };
    call.out(call.json ? traceJson(read.text) : formatTrace(head, parseTrace(read.text), call.look));
  }
}
