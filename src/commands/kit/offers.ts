import { actKinds } from '../../domain/rules/act.ts';
import { culturePresets } from '../../domain/staff/charter.ts';
import { verdictEvents } from '../../domain/words/experiment.ts';
import { priorities, risks } from '../../domain/words/spec.ts';
import { jailChoices } from '../../jail/jail.ts';
import type { Command } from './command.ts';
import { templateNames } from './templates.ts';

/** What a shell offers for a word: these very words, names that the org has now, or what the shell finds by itself. */
export type WordOffer = readonly string[] | OrgNames | 'verbs' | 'files' | 'directories';

/** Names that only the org knows. */
export type OrgNames = 'experiments' | 'specs' | 'agents' | 'departments' | 'people' | 'requests' | 'wins';

/** What may follow a verb beside options. */
export const offersForWords = ({ name }: Pick<Command, 'name'>): readonly WordOffer[] =>
  Object.hasOwn(words, name) ? (words[name] ?? []) : [];

/** What may follow an option; nothing where its value is a person's to write. */
export function offerForOption({ name }: Pick<Command, 'name'>, option: string): WordOffer {
  const own = `${name} --${option}`;
  const key = Object.hasOwn(options, own) ? own : option;
  return Object.hasOwn(options, key) ? (options[key] ?? []) : [];
}

const agentOrDepartment = ['agents', 'departments'] as const;

const words: Readonly<Record<string, readonly WordOffer[]>> = {
  approve: ['requests'],
  compare: ['files'],
  completion: [['bash', 'zsh', 'fish']],
  demo: ['directories'],
  deny: ['requests'],
  help: ['verbs', ['exit-codes', 'formats', 'files', 'environment']],
  land: ['wins'],
  pause: agentOrDepartment,
  replay: ['experiments'],
  resume: agentOrDepartment,
  show: ['experiments', 'specs'],
  stop: agentOrDepartment,
};

/** By the option, or by verb and option where it means something else there. */
const options: Readonly<Record<string, WordOffer>> = {
  C: 'directories',
  agent: 'agents',
  as: 'people',
  'body-file': 'files',
  close: 'specs',
  culture: culturePresets,
  done: 'specs',
  edit: 'files',
  event: verdictEvents,
  'export --format': ['org', 'tsv', 'json'],
  for: ['human'],
  from: ['autoresearch'],
  harness: 'files',
  jail: jailChoices,
  kind: [...actKinds, 'overage'],
  'log --format': ['text', 'json', 'tsv'],
  out: 'files',
  priority: priorities,
  'report --format': ['text', 'md', 'json'],
  risk: risks,
  sort: ['n', 'delta'],
  spec: 'specs',
  template: templateNames,
  ui: ['live', 'lines', 'json'],
};
