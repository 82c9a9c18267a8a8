import type { Random } from '../../src/text/random.ts';

/** An ORG.md as somebody might write it: any of its sections, in any of the ways that are understood. */
export function generateOrg(random: Random): string {
  const names = distinctNames(random);
  const structure = generateStructure(random, names);
  const parts = [
    `# ${random.pick(['Acme', 'My Team', 'Bug-fix Factory 🏭', 'Labor für Später'])}`,
    ...maybe(random, 0.6, () => `## Identity\n\n${prose(random)}\n\n- **Industry:** tools\n- **Values:** speed, care`),
    ...maybe(random, 0.8, () => generateCulture(random)),
    ...maybe(random, 0.6, () => generateSdlc(random)),
    ...maybe(
      random,
      0.3,
      () => `## ${random.pick(['Glossary', '📎 Notes'])}\n\n${prose(random)}\n\n### More\n\n- a\n- b`,
    ),
    structure.text,
    ...maybe(random, 0.7, () => generatePolicies(random, structure.departments)),
    ...maybe(random, 0.6, () => generatePlaybooks(random)),
  ];
  const text = `${parts.join(random.pick(['\n\n', '\n\n\n']))}${random.pick(['\n', '', '\n\n'])}`;
  const ended = random.next() < 0.25 ? text.replace(/\n/g, '\r\n') : text;
  return random.next() < 0.2 ? `\ufeff${ended}` : ended;
}

const maybe = (random: Random, chance: number, make: () => string): readonly string[] =>
  random.next() < chance ? [make()] : [];

const sentences = [
  'Owns the API and the database.',
  'Reviews what others make; asks `why` twice.\nNever merges its **own** work.',
  'Writes things down.\n\n```md\n## Structure\n### Not a role\n- **Model:** none\n```\n\nAnd tidies up.',
  '> A quote: nobody is blocked for long.',
  '- knows the code\n- knows the people',
  'Über alles Wichtige informiert — 常に.',
];

const prose = (random: Random): string => random.pick(sentences);

function generateCulture(random: Random): string {
  const lines = [
    ...maybe(
      random,
      0.4,
      () =>
        `- **Escalation:** ${random.pick(['immediate', 'batched (hourly)', 'delayed'])} — we ${random.pick(['care', 'wait'])}`,
    ),
    ...maybe(
      random,
      0.4,
      () => `- **Progress updates:** ${random.pick(['every tick', 'on phase change', 'on request'])}`,
    ),
    ...maybe(
      random,
      0.4,
      () => `- **Ack required:** ${random.pick(['yes — confirm it', 'no', 'yes, within 10 minutes'])}`,
    ),
    ...maybe(random, 0.3, () => '- **Communication**: async-first'),
    ...maybe(random, 0.3, () => `- **Hierarchy depth:** ${random.pick(['2-6 levels', 'shallow (5 levels max)', '8'])}`),
  ];
  const preset = random.pick(['startup', 'enterprise', 'agency', 'research', 'military', 'remote-async']);
  return [
    '## Culture',
    ...maybe(random, 0.7, () => `preset: ${preset}`),
    ...maybe(random, 0.4, () => prose(random)),
    ...(lines.length === 0 ? [] : [lines.join('\n')]),
  ].join('\n\n');
}

function generateSdlc(random: Random): string {
  const parts = [
    ...maybe(random, 0.7, () => `preset: ${random.pick(['standard', 'strict', 'solo', 'research'])}`),
    ...maybe(
      random,
      0.5,
      () =>
        '### Source Control\n\n- **Branch strategy:** trunk-based — off `main`\n- **Orphan branches:** forbidden\n- **Direct push to main:** never\n- **Pre-work ritual:** `git fetch -- origin`',
    ),
    ...maybe(
      random,
      0.5,
      () =>
        `### Pull Requests\n\n- **Required:** ${random.pick(['yes', 'yes, with approval', 'optional'])}\n- **Max size:** ${random.pick(['400 lines', '500 lines (soft), 1000 lines (hard)', '300 lines (soft)'])}\n- **Scope:** one thing`,
    ),
    ...maybe(
      random,
      0.5,
      () =>
        '### Quality Gates\n\n- **Pre-merge:** types (`tsc --noEmit`), lint clean, `npm test -- --run`\n- **Post-deploy:** smoke test',
    ),
    ...maybe(
      random,
      0.3,
      () =>
        '### Repository\n\nclone: /opt/org\nstrategy: clone-per-agent\n\n#### Worktrees\n\n- lead → /opt/a\n- worker -> /opt/b',
    ),
  ];
  return ['## SDLC', ...parts].join('\n\n');
}

function distinctNames(random: Random): () => string {
  let number = 0;
  const first = ['Backend', 'Frontend', 'Data', 'Süd', 'Ops & Tools', 'QA', 'Growth', 'Infra'];
  const last = [
    'Lead',
    'Senior',
    'Workers',
    'Engineer',
    'Agents',
    'Interns',
    'Designers',
    'Analyst',
    'Secretaries',
    'Manager',
  ];
  return () => {
    number += 1;
    const name = `${random.pick(first)} ${['Alpha', 'Beta', 'Gamma', 'Delta'][number % 4]}${number} ${random.pick(last)}`;
    if (random.next() < 0.6) return name;
    const [person, dash] = [random.pick([`Ada ${number}`, 'Engineer', name]), random.pick(['—', '–', '-'])];
    return `${person} ${dash} ${random.pick(['Keeper of the Keys', 'Lead', 'Head of everything that nobody else wants'])} ${number}`;
  };
}

function generateStructure(
  random: Random,
  name: () => string,
): { readonly text: string; readonly departments: readonly string[] } {
  const parts: string[] = [];
  const roles: string[] = [];
  const departments: string[] = [];
  const role = (depth: number, above: readonly string[]): void => {
    const title = name();
    parts.push(roleText(random, depth, title, above));
    roles.push(title);
  };
  if (random.next() < 0.3) parts.push(`### ${random.pick(['Me (Human Principal)', 'Ann Lee (Human)'])}\n\nI decide.`);
  const top = random.pick(['COO', 'CTO', 'Program Director', 'Scribe']);
  if (random.next() < 0.8) parts.push(roleText(random, 3, top, []));
  const isTop = parts.at(-1)?.startsWith(`### ${top}`) === true;
  for (let count = random.below(3); count > 0; count--) role(3, isTop ? [top] : []);
  for (let count = random.below(4); count > 0; count--) {
    const title = `${random.pick(['Engineering', 'Security', 'Research'])} ${count}${random.pick(['', '', ' — a team'])}`;
    departments.push(title);
    const own = random.next() < 0.3 ? '\n\n- **Model:** claude-sonnet\n- **Domain:** leading' : '';
    parts.push(`### ${title}${random.next() < 0.5 ? `\n\n${prose(random)}` : ''}${own}`);
    for (let members = 1 + random.below(3); members > 0; members--) {
      role(4, [...(isTop ? [top] : [])]);
      if (random.next() < 0.3) role(5, []);
    }
  }
  if (!parts.some((part) => /^#{3,5} (?!.*\(Human)/.test(part))) parts.push(roleText(random, 3, 'Code Agent', []));
  return { text: ['## Structure', ...parts].join('\n\n'), departments };
}

function roleText(random: Random, depth: number, title: string, above: readonly string[]): string {
  const lines = [
    ...maybe(
      random,
      0.7,
      () => `- **Model:** ${random.pick(['claude-sonnet', 'same-as-lead', 'fastest', 'anthropic/claude-sonnet-4-5'])}`,
    ),
    ...maybe(random, 0.7, () => `- **Domain:** ${random.pick(['backend', 'frontend, testing', 'Ops'])}`),
    ...maybe(random, 0.4, () => `- **Count:** ${1 + random.below(4)}${random.pick(['', ' agents', ' — enough'])}`),
    ...maybe(random, 0.2, () => `- **Level:** ${random.pick(['L5', '3', '8'])}`),
    ...maybe(
      random,
      above.length > 0 ? 0.3 : 0,
      () => `- **Reports to:** ${random.pick([...above, 'Human Principal'])}`,
    ),
    ...maybe(random, 0.15, () => `- **Budget:** ${random.pick(['500 credits/period', '$5'])}`),
    ...maybe(random, 0.2, () => '- **Motto:** be kind'),
  ];
  const text = random.next() < 0.6 ? `\n\n${prose(random)}` : '';
  return `${'#'.repeat(depth)} ${title}${text}${lines.length === 0 ? '' : `\n\n${lines.join('\n')}`}`;
}

function generatePolicies(random: Random, departments: readonly string[]): string {
  const parts = [
    ...maybe(
      random,
      0.5,
      () =>
        `### Budget\n\n- **Per-agent limit:** ${random.pick(['1000 credits/period', '$20', '200k tokens'])}\n- **Alert threshold:** ${random.pick(['80%', '0.95'])}\n- **Overage behavior:** ${random.pick(['pause and escalate — gently', 'warn only', 'stop'])}\n- **Period:** ${random.pick(['daily', 'weekly', 'monthly'])}`,
    ),
    ...maybe(random, 0.4, () => '### Task Routing\n\nBy domain:\n\n1. keywords\n2. load'),
    ...maybe(
      random,
      0.4,
      () =>
        `### Permissions\n\n- **L${5 + random.below(5)}+ can spawn agents** — growth\n- All agents can escalate\n- **L6+ can review**`,
    ),
    ...maybe(
      random,
      departments.length > 0 ? 0.5 : 0,
      () =>
        `### Department Caps\n\n${departments.map((one) => `- ${one}: max ${40 + random.below(20)} agents`).join('\n')}\n- No department can exceed 90 agents without human approval`,
    ),
    ...maybe(
      random,
      0.4,
      () =>
        `### Working Hours\n\n- **Active hours:** ${random.pick(['08:00-22:00 (org timezone)', '22:00-06:00 (Europe/Vienna)', '9am-5pm'])}\n- **Exceptions:** ${random.pick(['critical priority tasks process 24/7', 'none'])}`,
    ),
    ...maybe(
      random,
      0.3,
      () =>
        '### Client SLA\n\n- Critical tasks: response within 1 cycle\n- All tasks: progress update every 2 cycles\n- Be nice',
    ),
    ...maybe(random, 0.2, () => '### Exploration Budget\n\n- **No hard stops** — flag at 90%, calmly'),
  ];
  return ['## Policies', ...parts].join('\n\n');
}

const generatePlaybooks = (random: Random): string =>
  [
    '## Playbooks',
    ...maybe(
      random,
      0.8,
      () => '### Escalation: BLOCKED\n\n1. Tell the manager\n2. Wait:\n   - two cycles\n   - no more\n3. Go up',
    ),
    ...maybe(random, 0.5, () => `### Weekly Review\n\n${prose(random)}\n\n1. Count\n2. Report`),
  ].join('\n\n');
