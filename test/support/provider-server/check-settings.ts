import type { Wire } from './script.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What is wrong with the settings of a request: how long an answer may be, and how its model is to think. Of names that are none of
 * its own a provider's server knows nothing, and takes what it gets.
 */
export const wrongSetting = (wire: Wire, body: Fields, model: string): string | undefined =>
  checks[wire](body, model.replace(/^.*\//, ''));

const checks: Readonly<Record<Wire, (body: Fields, model: string) => string | undefined>> = {
  anthropic: ofMessages,
  openai: ofChat,
  responses: ofResponses,
  google: ofContents,
};

const fieldsIn = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? (value as Fields[]) : []);

/** The longest answers of its models, thoughts among them; of later ones at least the last. */
const longest: readonly (readonly [RegExp, number])[] = [
  [/^claude-3-(opus|sonnet|haiku)-/, 4_096],
  [/^claude-3-5-/, 8_192],
  [/^claude-opus-4(-1)?-20/, 32_000],
  [/^claude-/, 64_000],
];

function ofMessages({ max_tokens, thinking, messages, system, tools }: Fields, model: string): string | undefined {
  const most = longest.find(([name]) => name.test(model))?.[1] ?? Number.POSITIVE_INFINITY;
  if (Number(max_tokens) > most)
    return `max_tokens: ${max_tokens} > ${most}, which is the maximum allowed number of output tokens for ${model}`;
  const { type, budget_tokens: budget } = fieldsIn(thinking);
  if (type !== undefined && type !== 'disabled' && /^claude-3-(5-|opus|sonnet|haiku)/.test(model))
    return `'${model}' does not support thinking.`;
  if (type === 'adaptive' && /^claude-([a-z]+-4-([0-5]-)?20|3-7)/.test(model))
    return 'adaptive thinking is not supported on this model';
  if (type === 'enabled' && Number(budget) < 1_024)
    return 'thinking.enabled.budget_tokens: Input should be at least 1024';
  if (type === 'enabled' && Number(budget) >= Number(max_tokens))
    return '`max_tokens` must be greater than `thinking.budget_tokens`.';
  if (listIn(messages)[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  const blocks = [...listIn(system), ...listIn(tools), ...listIn(messages).flatMap(({ content }) => listIn(content))];
  const marks = blocks.filter(({ cache_control }) => fieldsIn(cache_control).type !== undefined).length;
  return marks > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.` : undefined;
}

const isOpenAis = (model: string): boolean => /^(gpt-[345]|o\d|chatgpt-|codex-)/.test(model);
const isReasoning = (model: string): boolean => /^(o\d|gpt-5(?!.*-chat)|codex-)/.test(model);

function ofChat({ max_tokens, reasoning_effort, tools }: Fields, model: string): string | undefined {
  if (listIn(tools).some((one) => !/^[\w-]{1,64}$/.test(String(fieldsIn(one.function).name))))
    return 'Invalid tool name.';
  if (!isOpenAis(model)) return undefined;
  if (isReasoning(model) && max_tokens !== undefined)
    return `Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.`;
  if (!isReasoning(model) && reasoning_effort !== undefined)
    return 'Unrecognized request argument supplied: reasoning_effort';
  return undefined;
}

function ofResponses({ max_output_tokens, reasoning }: Fields, model: string): string | undefined {
  if (max_output_tokens !== undefined && Number(max_output_tokens) < 16)
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.`;
  if (isOpenAis(model) && !isReasoning(model) && fieldsIn(reasoning).effort !== undefined)
    return `Unsupported parameter: 'reasoning.effort' is not supported with this model.`;
  return undefined;
}

/** How many tokens the thoughts of Gemini 2.5 may take, or -1, which leaves it to the model. */
const budgets: readonly (readonly [RegExp, number, number])[] = [
  [/^gemini-2\.5-flash-lite/, 512, 24_576],
  [/^gemini-2\.5-flash/, 1, 24_576],
  [/^gemini-2\.5-pro/, 128, 32_768],
];

function ofContents({ generationConfig, contents }: Fields, model: string): string | undefined {
  const { thinkingConfig, maxOutputTokens } = fieldsIn(generationConfig);
  const { thinkingBudget: budget, thinkingLevel: level } = fieldsIn(thinkingConfig);
  if (maxOutputTokens !== undefined && Number(maxOutputTokens) > 65_536)
    return `Unable to submit request because it has a maxOutputTokens value of ${maxOutputTokens} but the supported range is from 1 to 65537`;
  if (listIn(contents)[0]?.role === 'model') return 'Please ensure that multiturn requests begin with a user turn.';
  if (!/^gemini-\d/.test(model)) return undefined;
  if (level !== undefined && budget !== undefined) return 'You can only set one of thinking_budget and thinking_level.';
  if (level !== undefined && /^gemini-[12]\./.test(model)) return 'Thinking level is not supported for this model.';
  if (budget === undefined) return undefined;
  if (/^gemini-(1|2\.0)/.test(model)) return 'Thinking is not enabled for this model.';
  const [, least, most] = budgets.find(([name]) => name.test(model)) ?? [undefined, 0, Number.POSITIVE_INFINITY];
  const isOff = Number(budget) === 0 && !model.includes('-pro');
  return isOff || Number(budget) === -1 || (Number(budget) >= least && Number(budget) <= most)
    ? undefined
    : `The thinking budget ${budget} is invalid. Please choose a value between ${least} and ${most}.`;
}
