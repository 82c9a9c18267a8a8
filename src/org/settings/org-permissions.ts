import { acts, type Permissions, type Permitted, type Setting } from '../../domain/staff/charter.ts';
import { shown } from '../../text/clean.ts';
import { problemAt } from '../../text/problem.ts';
import { fromPlace, type OrgNotes, splitWhy } from '../read/org-metadata.ts';
import { type Item, plainWords } from '../read/org-sections.ts';
import { isSaid } from './org-settings.ts';

/** As the specification's table of levels has it, and as its own example says of creating. */
export const defaultPermissions: Permissions = {
  create: { value: 7, from: 'default' },
  spawn: { value: 7, from: 'default' },
  review: { value: 6, from: 'default' },
  delegate: { value: 6, from: 'default' },
  escalate: { value: 0, from: 'default' },
};

/** Above every level: nobody may. */
const nobody = 11;

/** `**L7+ can spawn agents** — leads can grow their team`, an item each. */
export function readPermissions(items: readonly Item[], notes: OrgNotes): Permissions {
  const found = new Map<Permitted, Setting<number>>();
  for (const item of items) {
    const place = { file: notes.file, line: item.line, column: item.column };
    const rule = ruleOf(item);
    if (rule === undefined) {
      const what = `no permission is read out of ${shown(plainWords(item.head))}: agents are told of it`;
      notes.warn(problemAt('org/value', place, what, 'Write - L7+ can spawn agents, or All agents can escalate.'));
      continue;
    }
    const { act, level, why } = rule;
    if (level > 10 && level !== nobody)
      throw problemAt('org/value', place, `L${level} is no level, expected 1 to 10`, 'Write - L7+ can spawn agents');
    const before = found.get(act);
    if (before !== undefined)
      throw problemAt(
        'org/key',
        place,
        `who can ${act} is said twice, first at ${before.from}`,
        'Keep one of the two.',
      );
    found.set(act, { value: level, ...(why === undefined ? {} : { why }), from: fromPlace(place) });
  }
  const of = (act: Permitted): Setting<number> => found.get(act) ?? defaultPermissions[act];
  return {
    create: of('create'),
    spawn: of('spawn'),
    review: of('review'),
    delegate: of('delegate'),
    escalate: of('escalate'),
  };
}

export const isPermission = (item: Item): boolean => ruleOf(item) !== undefined;

const objects: Readonly<Record<Permitted, string>> = {
  create: 'create tasks',
  spawn: 'spawn agents',
  review: 'review',
  delegate: 'delegate',
  escalate: 'escalate',
};

export const formatPermissions = (permissions: Permissions): readonly string[] =>
  acts
    .filter((act) => isSaid(permissions[act]))
    .map((act) => {
      const { value, why } = permissions[act];
      const who = value === 0 ? 'All agents' : value === nobody ? 'Nobody' : `L${value}+`;
      return `- **${who} can ${objects[act]}**${why === undefined ? '' : ` — ${why}`}`;
    });

function ruleOf(
  item: Item,
): { readonly act: Permitted; readonly level: number; readonly why: string | undefined } | undefined {
  const { value, why } = splitWhy(plainWords(item.head));
  const [, who = '', number, verb = ''] =
    /^(l(?:evel )?\s?([0-9]{1,3})(?:\+| and above| or above)?|all(?: agents)?|everybody|everyone|anyone|nobody|no one|no agent)\s+(?:can|may)\s+([a-z]+)/i.exec(
      value,
    ) ?? [];
  const act = acts.find((one) => one === verb.toLowerCase());
  if (act === undefined) return undefined;
  const level = number !== undefined ? Number(number) : /^no/i.test(who) ? nobody : 0;
  return { act, level, why };
}
