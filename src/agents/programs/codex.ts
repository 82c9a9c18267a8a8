import { isOfType, type Json, jsonLines, lastText, usageFromCounts } from './json-lines.ts';
import type { ProgramForm } from './program-contract.ts';

/** Codex. It makes helpers in its home and refuses to do so below the directory for temporary files. */
export const codex: ProgramForm = {
  tellsAtEnd: true,
  tellsMoney: false,
  launch: ({ dir, home, model, access, jailed, ownConfig }) => ({
    args: [
      ...['exec', '--json', '--color', 'never', '--skip-git-repo-check', '--ephemeral', '-C', dir],
      // Walls within walls cannot be built: its own stand where there are no others.
      ...['-s', jailed ? 'danger-full-access' : 'workspace-write'],
      ...(model === undefined ? [] : ['-m', model.id]),
      ...(ownConfig ? [] : ['--ignore-rules']),
      '-', // What it is to do comes on its input.
    ],
    env: { CODEX_HOME: `${home}/.codex`, OPENAI_API_KEY: access.key },
    files: {
      '.codex/config.toml': [
        'approval_policy = "never"',
        'model_provider = "orgrepo"',
        'check_for_update_on_startup = false',
        ...(ownConfig ? [] : ['project_doc_max_bytes = 0']),
        // It takes no notice of OPENAI_BASE_URL, and of keys only where a provider names the variable.
        '[model_providers.orgrepo]',
        'name = "orgrepo"',
        `base_url = ${JSON.stringify(access.baseUrl ?? 'https://api.openai.com/v1')}`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        `[projects.${JSON.stringify(dir)}]`,
        `trust_level = "${ownConfig ? 'trusted' : 'untrusted'}"`,
        '',
      ].join('\n'),
    },
  }),
  waiting: (stdout) => {
    const lines = jsonLines(stdout);
    const isAnswer = (line: Json): boolean =>
      line.at('item', 'type').text !== undefined && !isOfType('error')(line.at('item'));
    return lines.some(isAnswer) ? undefined : lines.findLast(isOfType('error'))?.at('message').text;
  },
  read: ({ stdout }) => {
    const lines = jsonLines(stdout);
    // Counted from the beginning of the thread, so the last one is the sum; and what was cached is part of the input.
    const used = lines.findLast(isOfType('turn.completed'))?.at('usage');
    const count = (name: string): number | undefined => used?.at(name).number;
    const [all, read, wrote] = [count('input_tokens'), count('cached_input_tokens'), count('cache_write_input_tokens')];
    const plain = all === undefined ? undefined : Math.max(0, all - (read ?? 0) - (wrote ?? 0));
    const messages = lines
      .filter(isOfType('item.completed'))
      .map((line) => line.at('item'))
      .filter(isOfType('agent_message'))
      .map((item) => item.at('text').text);
    const failed = lines.findLast(isOfType('turn.failed', 'error'));
    return {
      usage: usageFromCounts(plain, count('output_tokens'), read, wrote),
      usd: undefined,
      models: [],
      words: lastText(messages),
      complaint: used === undefined ? (failed?.at('error', 'message').text ?? failed?.at('message').text) : undefined,
    };
  },
};
