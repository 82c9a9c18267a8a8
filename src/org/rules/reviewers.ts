import { type AgentChoice, choiceOf, providerOf, reviewersIn, type Staff } from '../../domain/staff/staff.ts';
import { formatModelId } from '../../domain/words/model-id.ts';

/** A critic or a checker by its name in the org. */
export interface Reviewer {
  readonly name: string;
  readonly choice: AgentChoice;
}

/** Who criticises the plans of an agent: those of another family of models, else of another model, else all there are. */
export function criticsFor(staff: Staff, maker: string): readonly Reviewer[] {
  const critics = reviewersOf(staff, 'critic', maker);
  const own = choiceOf(staff, maker);
  const others = (of: (choice: AgentChoice) => string) => critics.filter(({ choice }) => of(choice) !== of(own));
  return [others(familyOf), others(modelOf), critics].find((some) => some.length > 0) ?? [];
}

/** Who made a candidate: its name in the org, and the model that is recorded, where one is. */
export interface Maker {
  readonly agent: string;
  readonly model: string | undefined;
}

/**
 * Who may check what somebody made, in the order in which they are asked. Never the maker; and nobody of the same model where
 * another is configured. They take turns, after the maker's mentor where that is one of them. The model that was recorded
 * counts, and beside it the one that is configured: a script may have stood in for it, and the brief may name another since.
 */
export function checkersFor(staff: Staff, maker: Maker, turn: number, mentor?: string): readonly Reviewer[] {
  const checkers = reviewersOf(staff, 'checker', maker.agent);
  const own = modelOf(choiceOf(staff, maker.agent));
  const others = (not: readonly string[]) => checkers.filter(({ choice }) => !not.includes(modelOf(choice)));
  const known = maker.model ?? own;
  const fit = [others([known, own]), others([known]), checkers]
    .map((some) => some.filter(({ choice }) => choice.kind === 'api'))
    .find((some) => some.length > 0);
  if (fit === undefined) return [];
  const first = turn % fit.length;
  const inTurn = [...fit.slice(first), ...fit.slice(0, first)];
  return [...inTurn.filter(({ name }) => name === mentor), ...inTurn.filter(({ name }) => name !== mentor)];
}

/** Whether a staff has a checker of another model than one of its checkers. */
export const hasOtherChecker = (staff: Staff, reviewer: AgentChoice): boolean =>
  reviewersOf(staff, 'checker', '').some(({ choice }) => choice.kind === 'api' && hasOtherModel(choice, reviewer));

export const hasOtherModel = (one: AgentChoice, other: AgentChoice): boolean => modelOf(one) !== modelOf(other);

/** Whoever has that duty and is not the maker; of a chart only those that can talk. */
const reviewersOf = (staff: Staff, duty: 'critic' | 'checker', maker: string): readonly Reviewer[] =>
  (staff.posts?.filter(({ choice }) => choice.kind === 'api') ?? reviewersIn(staff)).flatMap(
    ({ id, duties, choice }) => (duties.includes(duty) && id !== maker ? [{ name: id, choice }] : []),
  );

const modelOf = (choice: AgentChoice): string =>
  'model' in choice && choice.model !== undefined ? formatModelId(choice.model) : JSON.stringify(choice);

/** Models of one house think alike. Behind a server of one's own the first word of a model's name is the house. */
function familyOf(choice: AgentChoice): string {
  if (choice.kind !== 'api' && choice.kind !== 'program') return modelOf(choice);
  if (choice.model === undefined) return providerOf(choice);
  const { provider, id } = choice.model;
  if (provider === 'scripted') return formatModelId(choice.model);
  return choice.baseUrl === undefined ? provider : (/[a-z]+/i.exec(id)?.[0] ?? id).toLowerCase();
}
