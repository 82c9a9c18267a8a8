/** Another number the harness prints that must not grow: `lines: "<= +40"`. */
export interface Guard {
  readonly name: string;
  readonly strict: boolean;
  /** `x`: a multiple of the baseline's value; `+`: the baseline's value plus this; `=`: an absolute bound. */
  readonly kind: 'x' | '+' | '=';
  readonly amount: number;
}

export type Numbers = Readonly<Record<string, number>>;

/** Why this candidate's numbers break a guard, or undefined when they hold all of them. */
export function brokenGuard(guards: readonly Guard[], numbers: Numbers, baseline: Numbers): string | undefined {
  for (const guard of guards) {
    const value = numbers[guard.name];
    if (value === undefined) return `the harness printed no ${guard.name}, which a guard names`;
    const from = baseline[guard.name];
    if (guard.kind !== '=' && from === undefined) continue; // The baseline printed none: nothing to compare with.
    const bound = boundOf(guard, from ?? 0);
    if (guard.strict ? value >= bound : value > bound) {
      return `${guard.name} is ${value}, the guard allows ${guard.strict ? 'less than' : 'at most'} ${bound}`;
    }
  }
  return undefined;
}

function boundOf(guard: Guard, from: number): number {
  if (guard.kind === 'x') return from * guard.amount;
  return guard.kind === '+' ? from + guard.amount : guard.amount;
}

/** The guard as the brief spells it. */
export function formatGuard(guard: Guard): string {
  const amount = { x: `${guard.amount}x`, '+': `+${guard.amount}`, '=': `${guard.amount}` }[guard.kind];
  return `${guard.strict ? '<' : '<='} ${amount}`;
}
