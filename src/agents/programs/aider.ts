import type { ModelId, Provider } from '../../domain/words/model-id.ts';
import { addMoney, addUsage, jsonLines, lastText, providerKeys, textsIn, usageAt } from './json-lines.ts';
import type { ProgramForm } from './program-contract.ts';

const log = 'analytics.jsonl';

/** aider. What it used stands in its own log; what it says is text for people. */
export const aider: ProgramForm = {
  tellsAtEnd: false,
  tellsMoney: false,
  log,
  launch: ({ home, model, access, ownConfig, task }) => ({
    args: [
      ...['--message-file', task, '--yes-always', '--no-auto-commits', '--no-dirty-commits', '--no-gitignore'],
      ...['--no-pretty', '--no-stream', '--no-check-update', '--no-show-model-warnings', '--no-suggest-shell-commands'],
      ...['--analytics-disable', '--analytics-log', `${home}/${log}`, '--no-show-release-notes'],
      ...['--input-history-file', `${home}/input`, '--chat-history-file', `${home}/chat`, '--no-cache-prompts'],
      ...(model === undefined ? [] : ['--model', nameOf(model), '--weak-model', nameOf(model)]),
      // An empty file in the place of the one that it would look for.
      ...(ownConfig
        ? []
        : ['--config', `${home}/aider.yml`, '--env-file', `${home}/aider.env`, '--aiderignore', `${home}/aiderignore`]),
    ],
    env: {
      [providerKeys[model?.provider ?? 'openai']]: access.key,
      ...(access.baseUrl === undefined ? {} : { [urls[model?.provider ?? 'openai']]: access.baseUrl }),
    },
    files: {
      'aider.yml': '{}\n',
      'aider.env': '',
      aiderignore: '',
      // Where git tells it no name it writes one into the repository's own config, or fails where it cannot.
      '.gitconfig': '[user]\n\tname = aider\n\temail = aider@agents.invalid\n',
    },
  }),
  read: ({ stdout, log: events }) => {
    const sent = jsonLines(events)
      .filter((line) => line.at('event').text === 'message_send')
      .map((line) => line.at('properties'));
    const models = textsIn(sent.map((line) => line.at('main_model').text));
    const said = stdout.split('\n').filter((line) => !/^(Tokens:|Applied edit to |Added .* to the chat)/.test(line));
    const fault = /^litellm\.\w*(?:Error|Exception)[^\n]*/m.exec(stdout)?.[0];
    return {
      usage: addUsage(sent.map((line) => usageAt(line, 'prompt_tokens', 'completion_tokens'))),
      usd: addMoney(sent.map((line) => line.at('cost').number)),
      // The names of models that it does not know it keeps to itself.
      models: [...new Set(models.map((model) => model.replace(/^(anthropic|openai|gemini)\//, '')))].filter(
        (model) => !/REDACTED/i.test(model),
      ),
      words: lastText(said).trim(),
      complaint: sent.length === 0 ? fault : undefined,
    };
  },
};

const nameOf = ({ provider, id }: ModelId): string => `${prefix[provider]}${id}`;

const prefix: Readonly<Record<Provider, string>> = {
  anthropic: 'anthropic/',
  openai: 'openai/',
  google: 'gemini/',
  scripted: '',
};
const urls: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC_API_BASE',
  openai: 'OPENAI_API_BASE',
  google: 'GEMINI_API_BASE',
  scripted: 'NONE',
};
