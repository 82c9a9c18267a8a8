import { type Attempted, ownIn } from '../../domain/words/task.ts';
import type { Observed, RecommendedFinding } from './recommend.ts';

/** So many tries at one idea, whatever the numbers in it, are enough to know. */
const enoughTries = 5;

/** And so many ideas at once are as many as anybody reads. */
const mostIdeas = 3;

/** Ideas that were measured again and again and never won: a line of the brief saves the next night from them. */
export function ideaRecommendations({ tasks }: Observed): readonly RecommendedFinding[] {
  const ideas = new Map<string, (Attempted & { readonly spec: string })[]>();
  for (const { spec, experiments } of tasks) {
    for (const one of ownIn({ experiments })) {
      const idea = ideaOf(one.title);
      if (idea === '') continue;
      const tries = ideas.get(idea) ?? [];
      tries.push({ ...one, spec });
      ideas.set(idea, tries);
    }
  }
  return [...ideas]
    .map(([idea, tries]) => ({ idea, tries, measured: tries.filter(isMeasured) }))
    .filter(({ tries, measured }) => measured.length >= enoughTries && tries.every(({ event }) => !hasWorked(event)))
    .sort((a, b) => b.measured.length - a.measured.length || (a.idea < b.idea ? -1 : 1))
    .slice(0, mostIdeas)
    .map(({ idea, measured }) => findingOf(idea, measured));
}

function findingOf(idea: string, measured: readonly (Attempted & { readonly spec: string })[]): RecommendedFinding {
  const numbers = measured.map(({ n }) => `#${n}`).slice(0, 8);
  const rest = measured.length - numbers.length;
  return {
    severity: 'optimisation',
    key: `idea ${idea}`,
    what: `"${idea}" never helped`,
    evidence: `0 of ${measured.length} tries won: ${numbers.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`,
    specs: [...new Set(measured.map(({ spec }) => spec))],
    advice: 'Say in program.md that it was tried.',
    edit: { kind: 'brief-line', text: `Already tried ${measured.length} times without a gain: ${idea}.` },
  };
}

const isMeasured = ({ seconds, event }: Attempted): boolean => seconds !== undefined && event !== 'void';

/** A rejected win and an inconclusive one were no failures of the idea. */
const hasWorked = (event: Attempted['event']): boolean =>
  event === 'keep' || event === 'rejected' || event === 'inconclusive' || event === 'confounded';

/**
 * Words only: the same idea with another number is the same. Titles are agents' words, and this one is proposed for the file
 * that tells agents what to do, so nothing is left in it that could be read as Markdown or as more than a few words.
 */
const ideaOf = (title: string): string => (title.toLowerCase().match(/\p{L}+/gu) ?? []).join(' ').slice(0, 60).trim();
