/** How much a change may break. The more it may, the more people and models look at it before it counts. */
export const risks = ['low', 'medium', 'high', 'critical'] as const;

export type Risk = (typeof risks)[number];

/** What a spec says of itself, or what the brief says of all of them where that is more. */
export function riskOf(spec: { readonly risk?: Risk | undefined }, brief: { readonly risk: Risk }): Risk {
  return higherRisk(spec.risk ?? 'low', brief.risk);
}

export const higherRisk = (one: Risk, other: Risk): Risk => (isAtLeast(one, other) ? one : other);

/** From medium up critics challenge the plan, from high up a checker looks at the change, and critical waits for a person. */
export const isAtLeast = (risk: Risk, least: Risk): boolean => risks.indexOf(risk) >= risks.indexOf(least);
