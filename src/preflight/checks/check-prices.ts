import { tellsNoUse } from '../../agents/acp/acp-agent.ts';
import { howToUseKey, loginOf } from '../../agents/logins.ts';
import { checkPriced } from '../../agents/models/prices.ts';
import { endOfLife } from '../../agents/models/providers.ts';
import { checkProgramPriced } from '../../agents/programs/program-agent.ts';
import { choiceInWords, everybodyIn, isProgramChoice, modelsOf, programIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { scopes } from '../../domain/words/spending.ts';
import { type PinnedBrief, priceInBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { capsOf } from '../../spend/rules/call-amounts.ts';
import { nearestName, Problem, problemAt, shown } from '../../text/problem.ts';

/** Prices of models that nobody asks, in the brief or the chart: that is a slip, since they would count for nothing. */
export async function unaskedPrices(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const { staff, prices } = pinned.brief;
  const asked = [...new Set([...modelsOf(staff), ...modelsOf({ ...staff, posts: undefined })])];
  const unasked = [...prices.keys()].filter((id) => !asked.includes(id));
  return Promise.all(
    unasked.map(async (id) => {
      const { name, place } = await priceInBrief(org, pinned, id);
      const near = nearestName(name, asked);
      const models = asked.length === 0 ? 'no agent here asks a model' : `the models here are ${asked.join(', ')}`;
      const hint = near === undefined ? `Take it out: ${models}.` : `Did you mean ${near}?`;
      return problemAt('brief/key', place, `prices has ${shown(name)}, and no agent here asks such a model`, hint);
    }),
  );
}

/** Caps that would hold nobody back, or end a night with its first attempt. */
export const unboundCaps = async (org: Org, pinned: PinnedBrief): Promise<Problem[]> =>
  (await Promise.all([capsOnMoneyAlone(org, pinned), capsOnUntoldUse(org, pinned)])).flat();

/** On money alone, where a model is asked whose price nobody knows. */
async function capsOnMoneyAlone(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const caps = capsOf(pinned.brief);
  const onMoney = scopes.find((scope) => {
    const { usd, tokensIn, tokensOut } = caps[scope] ?? {};
    return usd !== undefined && tokensIn === undefined && tokensOut === undefined;
  });
  const unpriced = onMoney === undefined ? undefined : await unpricedModel(org, pinned);
  if (onMoney === undefined || unpriced === undefined) return [];
  const at: readonly [string, ...string[]] = onMoney === 'night' ? ['budget', 'usd'] : ['caps', onMoney, 'usd'];
  const what = `${at.join('.')} caps money, and ${unpriced.why}, so it would hold nobody back`;
  const around = onMoney === 'night' ? 'budget' : `caps.${onMoney}`;
  const hint = `Add tokens_in and tokens_out to ${around}, or ${unpriced.otherwise}.`;
  return [await problemInBrief(org, pinned, { code: 'brief/value', at, what, hint })];
}

const keyOf = { usd: 'usd', tokensIn: 'tokens_in', tokensOut: 'tokens_out' } as const;

/** Where a program does not say what it used, all of a cap stays set aside for its first attempt. */
async function capsOnUntoldUse(org: Org, pinned: PinnedBrief): Promise<Problem[]> {
  const caps = capsOf(pinned.brief);
  const kinds = Object.keys(keyOf) as (keyof typeof keyOf)[];
  const all = (['night', 'day', 'agent', 'spec'] as const).flatMap((scope) => kinds.map((kind) => ({ scope, kind })));
  const found = all.find(({ scope, kind }) => caps[scope]?.[kind] !== undefined);
  const untold = everybodyIn(pinned.brief.staff).find(
    (choice) => choice.kind === 'acp' && tellsNoUse(programIn(choice)),
  );
  if (found === undefined || untold === undefined || untold.kind !== 'acp') return [];
  const key = keyOf[found.kind];
  const at: readonly [string, ...string[]] = found.scope === 'night' ? ['budget', key] : ['caps', found.scope, key];
  const program = programIn(untold);
  const what = `${at.join('.')} is a cap, and acp ${program} does not say what it used, so its first attempt would take all of it`;
  const hint = `Use agent: ${program}, whose use is counted, or take the caps out: budget.night, attempts and --max bound acp ${program}.`;
  return [await problemInBrief(org, pinned, { code: 'brief/value', at, what, hint })];
}

/** A model, or a program that does not say what every model costs, or one that a subscription pays for. */
async function unpricedModel(org: Org, { brief: { staff, prices } }: PinnedBrief) {
  for (const choice of everybodyIn(staff)) {
    const login = await loginOf(org, choice);
    if (login !== undefined)
      return { why: `your subscription pays for ${login.program} (${login.from})`, otherwise: howToUseKey(login) };
    if (choice.kind === 'api' && !(await checkPriced(choice, prices)))
      return unpricedAs(formatModelId(choice.model), choice.model.id);
    if (isProgramChoice(choice) && !(await checkProgramPriced(choice, prices)))
      return unpricedAs(choiceInWords(choice), choice.model?.id);
  }
  return undefined;
}

const unpricedAs = (name: string, id: string | undefined) => ({
  why: `nobody knows what ${name} costs`,
  otherwise: id === undefined ? 'name its model' : `say what it costs: prices: { ${id}: { in: 3, out: 15 } }`,
});

/** Models that will be gone on a day that is known: a night after it would come to nothing. Each is reported once. */
export async function agingModels({ staff }: Brief): Promise<Problem[]> {
  const asked = everybodyIn(staff).flatMap((choice) => (choice.kind === 'api' ? [choice] : []));
  const models = new Map(asked.map((choice) => [`${formatModelId(choice.model)} ${choice.baseUrl}`, choice]));
  const warnings = await Promise.all(
    [...models.values()].map(async (choice) => {
      const end = await endOfLife(choice);
      const what = `model ${formatModelId(choice.model)} reaches its end of life on ${end}`;
      return end === undefined ? [] : [new Problem('brief/value', what, 'Name a newer one that is pinned.')];
    }),
  );
  return warnings.flat();
}
