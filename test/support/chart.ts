import { anOrg } from './builders.ts';
import { briefText, quadratic, type TestOrg } from './org.ts';

/** A lead and two workers, each of a field of its own. */
export const twoFields = `### Lead
- **Level:** 7

#### Backend Worker
- **Domain:** backend
- **Level:** 3

#### Frontend Worker
- **Domain:** frontend
- **Level:** 3
`;

export interface Chartered {
  readonly structure?: string;
  readonly culture?: string;
  readonly policies?: string;
  /** By number: the lines of the front matter besides the id. */
  readonly specs?: Readonly<Record<string, string>>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** The org of four numbers, under a chart, with search agents. */
export function chartedOrg({ structure = twoFields, culture, policies, specs, keys, files }: Chartered): TestOrg {
  const { 'specs/0001-first.md': first = '', ...ground } = quadratic;
  const sections = [
    '# Acme',
    ...(culture === undefined ? [] : [`## Culture\n${culture}`]),
    `## Structure\n\n${structure}`,
    ...(policies === undefined ? [] : [`## Policies\n\n${policies}`]),
  ];
  const written = Object.entries(specs ?? {}).map(([id, lines]) => [
    `specs/${id}-one.md`,
    `---\nid: "${id}"\n${lines}\n---\nx\n`,
  ]);
  return anOrg({
    ground: {
      ...ground,
      'program.md': briefText({
        budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 2, patience: 1000 }',
        ...keys,
      }),
      'ORG.md': `${sections.join('\n\n')}\n`,
      ...(specs === undefined ? { 'specs/0001-first.md': first } : Object.fromEntries(written)),
      ...files,
    },
  });
}

/** `author|subject|Org-Reason` of the queue's commits with this event, oldest first. */
export const onQueue = (org: TestOrg, event: string): string[] =>
  org
    .git(
      'log',
      '--reverse',
      '--format=%(trailers:key=Org-Event,valueonly,separator=%x2C)|%an|%s|%(trailers:key=Org-Reason,valueonly,separator=%x2C)',
      'orgrepo/queue',
      '^main',
    )
    .split('\n')
    .filter((line) => line.startsWith(`${event}|`))
    .map((line) => line.slice(event.length + 1));

/** The trailers of the claim in the notebook of a spec. */
export function claimOf(org: TestOrg, spec: string): Readonly<Record<string, string>> {
  const text = org.git(
    'log',
    '-1',
    '--first-parent',
    '--format=%(trailers)',
    `--grep=^claim: ${spec} `,
    `orgrepo/work/${spec}`,
  );
  return Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.split(': '))
      .map(([key = '', ...value]) => [key.replace('Org-', ''), value.join(': ')]),
  );
}
