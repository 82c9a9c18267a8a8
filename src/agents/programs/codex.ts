import type { ProviderAccess } from '../models/model-contract.ts';
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
    env: {
      CODEX_HOME: `${home}/.codex`,
      // It says by the clock when a window is over.
      ...(access.login === undefined ? { OPENAI_API_KEY: access.key } : { TZ: 'UTC0' }),
    },
    files: {
      ...(access.login === undefined ? {} : { '.codex/auth.json': access.login }),
      '.codex/config.toml': [
        'approval_policy = "never"',
        'check_for_update_on_startup = false',
        ...(ownConfig ? [] : ['project_doc_max_bytes = 0']),
        ...(access.login === undefined ? byKey(access) : byLogin(access)),
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
    const items = lines.filter(isOfType('item.started', 'item.completed')).map((line) => line.at('item'));
    const messages = items.filter(isOfType('agent_message')).map((item) => item.at('text').text);
    const failed = lines.findLast(isOfType('turn.failed', 'error'));
    return {
      usage: usageFromCounts(plain, count('output_tokens'), read, wrote),
      usd: undefined,
      models: [],
      words: lastText(messages),
      ...(used === undefined && !items.every(isOfType('error')) && { hasActed: true }),
      complaint: used === undefined ? (failed?.at('error', 'message').text ?? failed?.at('message').text) : undefined,
    };
  },
};

/** It takes no notice of OPENAI_BASE_URL, and of keys only where a provider names the variable. */
const byKey = ({ baseUrl }: ProviderAccess): readonly string[] => [
  'model_provider = "orgrepo"',
  '[model_providers.orgrepo]',
  'name = "orgrepo"',
  `base_url = ${JSON.stringify(baseUrl ?? 'https://api.openai.com/v1')}`,
  'env_key = "OPENAI_API_KEY"',
  'wire_api = "responses"',
];

/** With a login it would load what the person's account has besides: plugins, and the apps that are connected to it. */
const byLogin = ({ baseUrl }: ProviderAccess): readonly string[] => [
  'cli_auth_credentials_store = "file"',
  ...(baseUrl === undefined
    ? []
    : ['openai_base_url', 'chatgpt_base_url'].map((key) => `${key} = ${JSON.stringify(baseUrl)}`)),
  '[features]',
  ...['apps', 'plugins', 'plugin_sharing', 'remote_plugin', 'tool_suggest'].map((feature) => `${feature} = false`),
  '[analytics]',
  'enabled = false',
];
