import { isOfType, type Json, jsonLines, textsIn, usageFromCounts } from './json-lines.ts';
import type { ProgramForm } from './program-contract.ts';

/** Gemini CLI. Without a kind of login in its settings it ends with 41, in a folder that nobody trusts with 55. */
export const gemini: ProgramForm = {
  tellsAtEnd: true,
  tellsMoney: false,
  launch: ({ home, model, access, ownConfig }) => ({
    args: [
      ...['-p', 'Do what the text above says.', '--approval-mode', 'yolo', '-o', 'stream-json', '--skip-trust'],
      ...(model === undefined ? [] : ['-m', model.id]),
      ...(ownConfig ? [] : ['-e', 'none', '--allowed-mcp-server-names', 'none']),
    ],
    env: {
      GEMINI_API_KEY: access.key,
      GEMINI_CLI_HOME: home,
      GEMINI_CLI_NO_RELAUNCH: 'true', // It would start itself again with more memory, which takes it as long as its work.
      // Settings of the system stand above those of a repository, which could say anything.
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: `${home}/.gemini/system.json`,
      ...(access.baseUrl === undefined ? {} : { GOOGLE_GEMINI_BASE_URL: access.baseUrl }),
    },
    files: {
      // Both: it leaves out settings of the system below a directory that others can write to, as /tmp is.
      '.gemini/settings.json': JSON.stringify(ownConfig ? settings : { ...settings, ...alone }),
      '.gemini/system.json': JSON.stringify(ownConfig ? settings : { ...settings, ...alone }),
    },
  }),
  refusal,
  read: ({ stdout, stderr }) => {
    const lines = jsonLines(stdout);
    const result = lines.findLast(isOfType('result'));
    const stats = result?.at('stats');
    const [all, total] = [stats?.at('input_tokens').number, stats?.at('total_tokens').number];
    const read = stats?.at('cached').number ?? 0;
    const failed = result !== undefined && result.at('status').text !== 'success';
    const errors = [
      result?.at('error', 'message').text,
      ...lines.filter(isOfType('error')).map((line) => line.at('message').text),
    ];
    const plain = all === undefined ? undefined : Math.max(0, all - read);
    // Thoughts are in the total only, and cost as much as words.
    const said = Math.max(stats?.at('output_tokens').number ?? 0, (total ?? 0) - (all ?? 0));
    return {
      usage: usageFromCounts(plain, total === undefined ? undefined : said, read),
      usd: undefined,
      models: (stats?.at('models').entries ?? []).map(([model]) => model),
      words: wordsOf(lines),
      // Once a model has spoken, what it has asked of tools is told there too.
      complaint:
        failed || result === undefined
          ? (textsIn(errors)[0] ??
            (lines.some((line) => isWord(line) || isOfType('tool_use')(line))
              ? undefined
              : (refusal(stderr) ?? lastLine(stderr))))
          : undefined,
    };
  },
};

/** In the middle of a trace of its own source, whose last line says nothing. */
function refusal(stderr: string): string | undefined {
  return stderr.match(/^Attempt \d+ failed.*$/gm)?.at(-1);
}

/** By itself it asks ten times, which takes it longer than most attempts may; then nobody would hear why. */
const maxAttempts = 2;

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts },
};

/** Trusted for the session only, a folder's own settings are not read. */
const alone = {
  security: { ...settings.security, folderTrust: { enabled: true } },
  context: { fileName: 'there-is-no-such-file.md', discoveryMaxDirs: 0 },
  hooksConfig: { enabled: false },
  skills: { enabled: false },
};

/** The last thing that it said, which comes in pieces. */
function wordsOf(lines: ReturnType<typeof jsonLines>): string {
  let words = '';
  let speaking = false;
  for (const line of lines) {
    if (isWord(line)) words = (speaking ? words : '') + (line.at('content').text ?? '');
    speaking = isWord(line);
  }
  return words;
}

const isWord = (line: Json): boolean => isOfType('message')(line) && line.at('role').text === 'assistant';

const lastLine = (text: string): string | undefined => textsIn(text.split('\n')).at(-1);
