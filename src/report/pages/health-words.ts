import type { NeedsYou } from '../../domain/rules/request.ts';
import type { ComponentName, Health } from '../advice/health-score.ts';
import type { Recommendation } from '../advice/recommend.ts';

/** A word for each part, for the one line that `status` has. */
const shortNames: Readonly<Record<ComponentName, string>> = {
  'ack latency': 'ack',
  'escalation rate': 'escalation',
  'completion rate': 'completion',
  'budget utilisation': 'budget',
  'idle rate': 'idle',
  'time to completion': 'pace',
};

/** `82, healthy: ack 10/10, escalation 10/10, completion 9/10, budget unknown, idle 6/10, pace 5/10`. */
export function healthWords(health: Health): string {
  const parts = health.components.map(
    ({ name, score }) => `${shortNames[name]} ${score === undefined ? 'unknown' : `${Math.round(score / 10)}/10`}`,
  );
  return `${scoreWords(health)}: ${parts.join(', ')}`;
}

/** The score, and of each part what was found or why nothing was. */
export const healthInFull = (health: Health): readonly string[] => [
  scoreWords(health),
  ...health.components.map(({ name, words }) => `${name} ${words}`),
];

const scoreWords = ({ score, band, known }: Health): string =>
  score === undefined ? `no score while only ${known} of 100 is known` : `${score} of 100, ${band}`;

/** What is not known is left out. */
export const healthJson = ({ score, band, known, components }: Health): Record<string, unknown> => ({
  score,
  band,
  known,
  components: components.map((one) => ({
    name: one.name,
    weight: one.weight,
    words: one.words,
    score: one.score === undefined ? undefined : Math.round(one.score),
    value: one.value === undefined ? undefined : Number(one.value.toPrecision(6)),
  })),
});

/** `R1 critical: Engineering escalates 40% of its specs (4 of 10 ...). Add one senior to Engineering.` */
export const recommendedStep = ({ id, severity, what, evidence, advice }: Recommendation): NeedsYou => ({
  what: `${id} ${severity}: ${what} (${evidence}). ${advice}`,
  command: `orgrepo apply --recommendation ${id}`,
});
