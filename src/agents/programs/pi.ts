import type { Provider } from '../../domain/words/model-id.ts';
import { addMoney, addUsage, isOfType, jsonLines, lastText, providerKeys, textsIn, usageAt } from './json-lines.ts';
import type { ProgramForm } from './program-contract.ts';

/** pi. Every message of the model carries what it used, what that cost, and who answered. */
export const pi: ProgramForm = {
  tellsAtEnd: false,
  tellsMoney: false,
  sums: ['message_end'],
  launch: ({ home, model, access, ownConfig }) => {
    const provider = model?.provider ?? 'anthropic';
    const isElsewhere = access.baseUrl !== undefined && model !== undefined;
    const orgrepo = {
      baseUrl: `${access.baseUrl}${behind[provider]}`,
      api: forms[provider],
      apiKey: providerKeys[provider],
      models: [{ id: model?.id }],
    };
    return {
      args: [
        ...['--print', '--mode', 'json', '--no-session', '--offline'],
        ...['--provider', access.baseUrl === undefined ? provider : 'orgrepo'],
        ...(model === undefined ? [] : ['--model', model.id]),
        ...(ownConfig ? [] : ['--no-context-files', '--no-extensions', '--no-skills', '--no-prompt-templates']),
      ],
      env: { [providerKeys[provider]]: access.key, PI_CODING_AGENT_DIR: `${home}/.pi` },
      files: {
        '.pi/models.json': JSON.stringify({ providers: isElsewhere ? { orgrepo } : {} }),
        '.pi/settings.json': JSON.stringify({ retry: { maxRetries: 1, provider: { maxRetries: 0 } } }),
      },
    };
  },
  read: ({ stdout }) => {
    const messages = jsonLines(stdout)
      .filter(isOfType('message_end'))
      .map((line) => line.at('message'))
      .filter((message) => message.at('role').text === 'assistant');
    const last = messages.at(-1);
    const failed = last !== undefined && ['error', 'aborted'].includes(last.at('stopReason').text ?? '');
    return {
      usage: addUsage(
        messages.map((message) => usageAt(message.at('usage'), 'input', 'output', 'cacheRead', 'cacheWrite')),
      ),
      usd: addMoney(messages.map((message) => message.at('usage', 'cost', 'total').number)),
      models: [...new Set(textsIn(messages.map((message) => message.at('model').text)))],
      words: lastText(last?.at('content').list.map((part) => part.at('text').text) ?? []),
      complaint: failed ? last.at('errorMessage').text : undefined,
    };
  },
};

const forms: Readonly<Record<Provider, string>> = {
  anthropic: 'anthropic-messages',
  openai: 'openai-completions',
  google: 'google-generative-ai',
  scripted: '',
};
const behind: Readonly<Record<Provider, string>> = { anthropic: '', openai: '', google: '/v1beta', scripted: '' };
