import type { Provider } from '../../domain/words/model-id.ts';
import { addMoney, addUsage, isOfType, jsonLines, lastText, usageFromCounts } from './json-lines.ts';
import type { ProgramForm } from './program-contract.ts';

/** opencode. It does not say which model answered. */
export const opencode: ProgramForm = {
  tellsAtEnd: false,
  tellsMoney: false,
  sums: ['step_finish', 'text', 'error'],
  launch: ({ dir, model, access, ownConfig }) => {
    const provider = model?.provider ?? 'anthropic';
    const name = model === undefined ? undefined : `${provider}/${model.id}`;
    return {
      args: [
        ...['run', '--format', 'json', '--auto', '--title', 'orgrepo', '--dir', dir],
        ...['--print-logs', '--log-level', 'ERROR'], // It tries again for a minute and longer, and says so there alone.
        ...(name === undefined ? [] : ['-m', name]),
        ...(ownConfig ? [] : ['--pure']),
      ],
      env: {
        ORGREPO_PROVIDER_KEY: access.key,
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: 'disabled',
          permission: 'allow',
          ...(name === undefined ? {} : { model: name, small_model: name }),
          provider: { [provider]: providerOf(provider, model?.id, access.baseUrl) },
        }),
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_SHARE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        // The list of all models is for those whose model is not named here, and where there is no network it waits for it.
        ...(model === undefined || access.baseUrl === undefined ? {} : { OPENCODE_DISABLE_MODELS_FETCH: '1' }),
        ...(ownConfig ? {} : alone),
      },
    };
  },
  refusal: (stderr) =>
    [...stderr.matchAll(/ message="stream error" .*? error\.error="(.*)"$/gm)].at(-1)?.[1]?.replace(/^AI_\w+: /, ''),
  read: ({ stdout }) => {
    const lines = jsonLines(stdout);
    const steps = lines.filter(isOfType('step_finish')).map((line) => line.at('part'));
    const error = lines.findLast(isOfType('error'))?.at('error');
    const used = steps.map((step) => {
      const tokens = step.at('tokens');
      const [plain, out, thoughts = 0] = ['input', 'output', 'reasoning'].map((name) => tokens.at(name).number);
      const [read, wrote] = ['read', 'write'].map((name) => tokens.at('cache', name).number);
      return usageFromCounts(plain, out === undefined ? undefined : out + thoughts, read, wrote);
    });
    return {
      usage: addUsage(used),
      usd: addMoney(steps.map((step) => step.at('cost').number)),
      models: [],
      words: lastText(lines.filter(isOfType('text')).map((line) => line.at('part', 'text').text)),
      complaint: error?.at('data', 'message').text ?? error?.at('message').text ?? error?.at('name').text,
    };
  },
};

/** With nothing of what the repository and the machine would tell it. */
const alone = {
  OPENCODE_DISABLE_PROJECT_CONFIG: '1',
  OPENCODE_DISABLE_CLAUDE_CODE: '1',
  OPENCODE_DISABLE_EXTERNAL_SKILLS: '1',
};

/** Its addresses end where those of the provider's own SDK go on by themselves. */
const behind: Readonly<Record<Provider, string>> = { anthropic: '/v1', google: '/v1beta', openai: '', scripted: '' };

const providerOf = (provider: Provider, model: string | undefined, baseUrl: string | undefined): object => ({
  options: {
    apiKey: '{env:ORGREPO_PROVIDER_KEY}',
    ...(baseUrl === undefined ? {} : { baseURL: `${baseUrl}${behind[provider]}` }),
  },
  // A server of one's own has models that nobody has heard of.
  ...(model === undefined || baseUrl === undefined ? {} : { models: { [model]: {} } }),
});
