import { addUsage, isOfType, type Json, jsonLines, lastText, textsIn, usageAt } from './json-lines.ts';
import type { ProgramForm, ProgramReport } from './program-contract.ts';

/** Claude Code. In its default mode of permissions it is denied every write, and still ends as completed. */
export const claude: ProgramForm = {
  tellsAtEnd: true,
  tellsMoney: true,
  newer: ['--permission-prompts', '--safe-mode'], // Without the first nobody is asked either, because its input is not a terminal.
  launch: ({ model, access, ownConfig, mostUsd }) => ({
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--no-session-persistence'],
      ...['--permission-mode', 'acceptEdits', '--permission-prompts=none'],
      ...['--allowedTools', 'Read,Edit,Write,Glob,Grep,Bash'],
      ...(model === undefined ? [] : ['--model', model.id]),
      ...(mostUsd === undefined ? [] : ['--max-budget-usd', String(mostUsd)]),
      // Neither CLAUDE.md nor hooks, plugins, skills or servers of tools: not of the repository, and not of the machine.
      ...(ownConfig ? [] : ['--strict-mcp-config', '--setting-sources', '', '--disable-slash-commands']),
      // With --bare it takes keys alone. Without, it has thirty tools more, whose description is most of what it reads.
      ...(ownConfig ? [] : access.login === undefined ? ['--bare'] : ['--safe-mode', '--tools', 'Bash,Edit,Read']),
    ],
    env: {
      ...(access.login === undefined
        ? { ANTHROPIC_API_KEY: access.key }
        : { CLAUDE_CODE_OAUTH_TOKEN: access.login, TZ: 'UTC' }), // It says by the clock when a window is over.
      ...(access.baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: access.baseUrl }),
      // Small errands would go to another model than the one that was asked for.
      ...(model === undefined ? {} : { ANTHROPIC_SMALL_FAST_MODEL: model.id, ANTHROPIC_DEFAULT_HAIKU_MODEL: model.id }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_RETRIES: '3', // Ten of them, also with a key that is refused, would take all of its time.
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
    },
  }),
  read: ({ stdout }) => {
    const lines = jsonLines(stdout);
    const result = lines.findLast(isOfType('result'));
    const said = lines.filter(isOfType('assistant'));
    const byModel = (result?.at('modelUsage').entries ?? []).map(([, used]) =>
      usageAt(used, 'inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens'),
    );
    // Where no model answered there is none to name.
    const usage = byModel.length > 0 ? byModel : [usageAt(result?.at('usage'), 'input_tokens', 'output_tokens')];
    const models = textsIn(said.map((line) => line.at('message', 'model').text));
    const spoken = said.flatMap((line) => line.at('message', 'content').list.map((part) => part.at('text').text));
    const words = lastText([...spoken, result?.at('result').text]);
    // It says `success` of a turn that the provider refused, and this beside it.
    const failed = result?.at('is_error').isTrue === true || result?.at('subtype').text !== 'success';
    return {
      usage: addUsage(usage),
      usd: result?.at('total_cost_usd').number,
      models: [...new Set(models)].filter((model) => model !== '<synthetic>'), // Its own words, in place of an answer.
      words,
      complaint: result === undefined ? retried(lines) : failed ? failureOf(result) : undefined,
      ...windowOf(lines, failed ? result : undefined),
    };
  },
};

/** In its own words: those of the model may speak of authentication or of a limit that are its subject. */
function failureOf(result: Json): string {
  const subtype = result.at('subtype').text ?? 'no success';
  return subtype === 'success' ? (result.at('result').text ?? 'an error') : subtype;
}

/** What the last answer said of the window of a subscription. Where it is used up, and the person has agreed to pay for more, work goes on. */
function windowOf(lines: readonly Json[], failed: Json | undefined): Pick<ProgramReport, 'resetsAt' | 'isExtra'> {
  const window = lines.findLast(isOfType('rate_limit_event'))?.at('rate_limit_info');
  const isExtra = window?.at('isUsingOverage').isTrue === true;
  const isUsedUp = window?.at('status').text === 'rejected' && failed !== undefined;
  if (isUsedUp && (!isExtra || failed.at('api_error_status').number === 429))
    return { resetsAt: window?.at('resetsAt').number };
  return isExtra ? { isExtra } : {};
}

/** Why it asked again, the last time. */
function retried(lines: readonly Json[]): string | undefined {
  const retry = lines.findLast((line) => line.at('subtype').text === 'api_retry');
  const error = retry?.at('error').text;
  return error === undefined ? undefined : `${retry?.at('error_status').number ?? ''} ${error}`.trim();
}
