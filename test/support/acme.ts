import { acme } from '../org/org-examples.ts';
import { anOrg } from './builders.ts';
import { briefText, quadratic, type TestOrg } from './org.ts';

/** The company of the specification, its whole ORG.md, with models that are played from files. */

export const call = (tool: string, input: object) => ({ calls: [{ tool, input }] });

/** A conversation is played where all of `when` is among what the model is told at its beginning. */
export interface Conversation {
  readonly when?: readonly string[];
  readonly turns: readonly object[];
}

/** Words of ORG.md by which a script knows whom it plays. */
export const told = {
  engineeringLead: 'Triages technical work.',
  security: 'Small but critical.',
  marketing: 'Owns content, campaigns, and public presence.',
  qa: 'Writes and runs tests.',
} as const;
export const asChief = 'You are the chief of';
export const asChecker = 'You are a checker in';

/** A spec as a lead writes it. */
export const specFile = (what: string): object =>
  call('write', {
    path: `specs/${what.replaceAll(' ', '-')}.md`,
    content: `# ${what}\n\nHypothesis: it helps.\nPrediction: loss 90.\nControl: best.\nHeld fixed: the rest.\nWrong if: no gain.\n`,
  });

export const finish = (more: object = {}): object =>
  call('finish', { title: 'done', notes: '', text: 'done', ...more });
export const edit = (old: string, now: string, file = 'numbers.txt'): object =>
  call('edit', { path: `sandbox/${file}`, old, new: now });

export interface Acme {
  /** What those of claude-sonnet say, leads and COO, and those of claude-haiku, who work. */
  readonly sonnet?: readonly Conversation[];
  readonly haiku?: readonly Conversation[];
  /** The hour on the org's own clock while the test runs: it is open from 08:00 to 22:00. */
  readonly hour?: number;
  /** What is different in ORG.md. */
  readonly change?: (text: string) => string;
  /** By number: the lines of the front matter besides the id. */
  readonly specs?: Readonly<Record<string, string>>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

export function acmeOrg({ sonnet = [], haiku = [], hour = 15, change, specs = {}, keys, files }: Acme): TestOrg {
  const { 'specs/0001-first.md': _first, ...ground } = quadratic;
  const file = acme.replace('- **Industry:**', `- **Timezone:** ${zoneAt(hour)}\n- **Industry:**`);
  const script = (own: readonly Conversation[]): string =>
    JSON.stringify({ conversations: [...own, { turns: [finish()] }].map((one) => ({ when: [], ...one })) });
  return anOrg({
    ground: {
      ...ground,
      'program.md': briefText({
        agent: '',
        models: '{ claude-sonnet: "scripted:models/sonnet.json", claude-haiku: "scripted:models/haiku.json" }',
        budget: '{ experiment: 30s, agent: 30s, night: 1h, attempts: 1, patience: 1000 }',
        ...keys,
      }),
      'ORG.md': change === undefined ? file : changed(file, change),
      'models/sonnet.json': script(sonnet),
      'models/haiku.json': script(haiku),
      ...Object.fromEntries(
        Object.entries(specs).map(([id, lines]) => [`specs/${id}-one.md`, `---\nid: "${id}"\n${lines}\n---\nx\n`]),
      ),
      ...files,
    },
  });
}

/** A change that finds nothing to change would leave a test that shows nothing. */
function changed(text: string, change: (text: string) => string): string {
  const now = change(text);
  if (now === text) throw new Error('ORG.md has no such line any more');
  return now;
}

/** A time zone in which it is this hour now, so that the file's own hours can be tested at any time of the day. */
function zoneAt(hour: number): string {
  const ahead = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  return ahead === 0 ? 'UTC' : `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}
