import type { Charter, CulturePreset, Department, Period, Setting } from '../../domain/staff/charter.ts';
import { idFrom, sameName } from '../../domain/staff/role-name.ts';
import type { ModelId } from '../../domain/words/model-id.ts';
import { parseFields, readFrontMatter } from '../../text/front-matter.ts';
import { cleanLine, type Place, type Problem, problemAt, shown } from '../../text/problem.ts';
import { readCulture } from '../settings/org-culture.ts';
import { giveCaps } from '../settings/org-permissions.ts';
import { readPolicies } from '../settings/org-policies.ts';
import { readSdlc } from '../settings/org-sdlc.ts';
import { isSaid } from '../settings/org-settings.ts';
import { refuseOtherFile, refuseOtherNames } from './org-agreement.ts';
import { type BuiltChart, buildChart, giveModels, type ModelNames, usualModel } from './org-chart.ts';
import { collectNotes } from './org-limits.ts';
import { depthOf } from './org-lines.ts';
import { fromPlace, inYaml, type OrgNotes, type PlacedText, paragraphs } from './org-metadata.ts';
import { type OrgPage, readPage, readPlaybooks } from './org-page.ts';
import { readQuantity } from './org-quantity.ts';
import { oneLine, readSections, type Section } from './org-sections.ts';
import { type ChartDraft, readStructure } from './org-structure.ts';
import { emptyYaml, readOrgYaml, type YamlOrg } from './org-yaml.ts';

export interface OrgFiles {
  readonly orgMd?: string | undefined;
  readonly orgYaml?: string | undefined;
}

export interface CharterOptions {
  /** The brief's own names for models, which count where the org has none of that name. */
  readonly models?: ReadonlyMap<string, string>;
  /** What a model costs, in dollars for a million tokens, for `cheapest`. */
  readonly priceOf?: (model: ModelId) => number | undefined;
  /** Whether the brief asks a server of its own, whose names of models are taken as they are. */
  readonly elsewhere?: boolean;
  /** `false` to read a chart without asking what its models mean: nobody then has one. */
  readonly resolve?: boolean;
  /** `--culture`, for one run. */
  readonly culture?: CulturePreset | undefined;
}

export interface CharterReading {
  readonly charter: Charter;
  /** What is not an error, and should not be passed over. */
  readonly warnings: readonly Problem[];
  /** Limits that would be ignored: `refuseIgnored` lets nothing begin with them. */
  readonly refused: readonly Problem[];
}

export const orgFile = 'ORG.md';
export const yamlFile = 'org.yaml';

/** The organisation as its file says it, with presets and defaults filled in. No file is the default org. */
export function readCharter({ orgMd, orgYaml }: OrgFiles, options: CharterOptions = {}): CharterReading {
  const yaml = orgYaml === undefined ? emptyYaml : readYamlFile(orgYaml, options);
  if (orgMd === undefined)
    return orgYaml === undefined
      ? { charter: defaultCharter(options.culture), warnings: [], refused: [] }
      : readOne(yamlFile, readSections('', 1, orgFile), yaml, options);
  const { fields, body, bodyLine } = readFrontMatter(orgMd, orgFile, 'org');
  const front = fields === undefined ? emptyYaml : readOrgYaml(fields, options.elsewhere ?? false);
  const reading = readOne(orgFile, readSections(body, bodyLine, orgFile), front, options);
  if (orgYaml === undefined) return reading;
  const { charter } = readOne(yamlFile, readSections('', 1, orgFile), yaml, options);
  return { ...reading, warnings: [refuseOtherFile(reading.charter, charter, yaml), ...reading.warnings] };
}

/** One file: its headings and, above them or alone, its keys. */
function readOne(file: string, root: Section, yaml: YamlOrg, options: CharterOptions): CharterReading {
  const { notes, reading } = collectNotes(file);
  const page = readPage(root, notes);
  const culture = readCulture(page.sections.get('culture'), options.culture, yaml.culture, notes);
  const sdlc = readSdlc(page.sections.get('sdlc'), yaml.sdlc, notes);
  const { policies, caps } = readPolicies(page.sections.get('policies'), yaml.budget, page.zone, notes);
  const { playbooks, context } = readPlaybooks(page.sections.get('playbooks'), notes);
  const capped = new Set(caps.departments.flatMap(({ ids }) => ids));
  const draft = chartDraft(page, yaml, capped, notes);
  const chart = buildChart(draft, file);
  const { members, models } = modelled(chart, draft, yaml, options, notes);
  const own = new Map(
    draft.departments.flatMap(({ said }, at) => {
      const cap = said.get('cap');
      return cap === undefined ? [] : [[chart.departments[at]?.id ?? '', cap] as const];
    }),
  );
  const charter: Charter = {
    name: cleanLine(sameText('the name', page.name, yaml.name)?.text ?? '') || 'org',
    file,
    mission:
      sameText('the mission', page.mission, yaml.mission)?.text ??
      (page.opening || openingOf(draft.context) || openingOf(context)),
    identity: paragraphs(page.identity, draft.context, context),
    culture,
    sdlc,
    people: chart.people,
    departments: giveCaps(chart.departments, own, caps, members) satisfies readonly Department[],
    members,
    policies,
    playbooks,
    models,
    logEveryToolCall: yaml.log?.value ?? false,
    others: [...page.others, ...yaml.others],
  };
  checkDepth(charter, notes);
  checkWorktrees(charter, page.sections.get('sdlc')?.place, notes);
  checkPeriods(draft, policies.budget.period, notes);
  return { charter, ...reading() };
}

/** The org of a repository that has no file: nobody is in its chart, and the brief's own agents do the work. */
export const defaultCharter = (culture?: CulturePreset | undefined): Charter => ({
  ...readOne(orgFile, readSections('', 1, orgFile), emptyYaml, { culture }).charter,
  file: undefined,
});

/** The first paragraph of a text, where it begins with one. */
const openingOf = (text: string): string =>
  /^(?:[-*+] |[0-9]{1,9}[.)] |#{1,6} |```|~~~|<| {4})/.test(text) ? '' : oneLine(text.split('\n\n', 1)[0] ?? '');

const maxYaml = 64 * 1024;

function readYamlFile(text: string, options: CharterOptions): YamlOrg {
  const size = Buffer.byteLength(text);
  if (size > maxYaml) {
    const what = `the file has ${size} bytes, expected at most ${maxYaml}`;
    throw problemAt('org/syntax', { file: yamlFile, line: 1, column: 1 }, what, 'Write a large org as ORG.md.');
  }
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  return readOrgYaml(parseFields(source, yamlFile, 'org'), options.elsewhere ?? false);
}

/** The people and agents: by the headings, or by the keys, which name everybody once. */
function chartDraft(page: OrgPage, yaml: YamlOrg, capped: ReadonlySet<string>, notes: OrgNotes): ChartDraft {
  const { file } = notes;
  const section = page.sections.get('structure');
  const headings = section === undefined ? emptyYaml.chart : readStructure(section, capped, notes);
  const isEmpty = headings.roles.length === 0 && headings.departments.length === 0;
  const isYaml = yaml.chart.roles.length > 0 || yaml.chart.departments.length > 0;
  if (isEmpty && !isYaml) {
    const missing = inYaml({ file }) ? 'departments' : '## Structure';
    const where = section === undefined ? `${file} has no ${missing}` : '## Structure names no role';
    const what = `${where}: the default org works, with the agents of the brief`;
    const place = section?.place ?? { file, line: 1, column: 1 };
    const hint = inYaml({ file })
      ? 'Add departments: { research: [market-mapper] }'
      : 'Add ## Structure, and a role such as ### Lead Agent under it.';
    notes.warn(problemAt('org/structure', place, what, hint));
  }
  refuseOtherNames(headings, yaml.chart, notes);
  const people = headings.people.length > 0 ? headings.people : yaml.chart.people;
  return isEmpty ? { ...yaml.chart, people, context: headings.context } : { ...headings, people };
}

/** What the keys say, where the headings do not say otherwise. */
function sameText(what: string, page: PlacedText | undefined, keys: PlacedText | undefined): PlacedText | undefined {
  if (page === undefined || keys === undefined) return page ?? keys;
  if (page.text === keys.text || sameName(page.text, keys.text)) return page;
  const words = `${what} is ${shown(keys.text)} here and ${shown(page.text)} at ${fromPlace(page.place)}`;
  throw problemAt('org/value', keys.place, words, 'Say it in one of the two places, or the same in both.');
}

function modelled(
  chart: BuiltChart,
  draft: ChartDraft,
  yaml: YamlOrg,
  options: CharterOptions,
  notes: OrgNotes,
): Pick<Charter, 'members' | 'models'> {
  const own = new Map([...yaml.models].map(([name, { model }]) => [name, model] as const));
  if (options.resolve === false) return { members: giveModels(chart, {}, notes), models: own };
  const names: ModelNames = { ...options, own };
  const usual = usualModel(draft.model, names, notes);
  if (draft.model !== undefined && usual !== undefined) own.set('default', usual);
  return { members: giveModels(chart, { usual, names }, notes), models: own };
}

/** What an agent may spend is counted in the budget's own period. */
function checkPeriods({ roles }: ChartDraft, period: Setting<Period>, notes: OrgNotes): void {
  for (const limit of roles.flatMap(({ said }) => said.get('limit') ?? [])) {
    const own = readQuantity(limit, 'Limit').period;
    if (own === undefined || own === period.value) continue;
    const what = `this limit is for a ${own}, and the budget's period is a ${period.value} (${period.from})`;
    const hint = 'Use one period for all of the budget: - **Period:** daily, weekly or monthly under ### Budget.';
    notes.refuse(problemAt('org/value', limit.place, what, hint));
  }
}

/** A preset is a starting point, so a deeper chart is worth a word; against a line of the file itself it is a mistake. */
function checkDepth({ members, culture: { hierarchy } }: Charter, notes: OrgNotes): void {
  const lines = new Map(
    members.flatMap(({ id, reportsTo }) => (reportsTo === undefined ? [] : [[id, reportsTo] as const])),
  );
  const depth = depthOf(lines);
  if (depth <= hierarchy.value.max) return;
  const what = `the chart is ${depth} levels deep, and ${hierarchy.from} allows ${hierarchy.value.max}`;
  const line = Number(/:([0-9]+)$/.exec(hierarchy.from)?.[1] ?? 1);
  const place = { file: notes.file, line, column: 1 };
  const problem = problemAt('org/structure', place, what, 'Let some report to somebody higher, or allow more levels.');
  if (isSaid(hierarchy)) throw problem;
  notes.warn(problem);
}

/** Where agents' worktrees are is orgrepo's to say; a name that nobody has is a slip. */
function checkWorktrees({ sdlc, members }: Charter, place: Place | undefined, notes: OrgNotes): void {
  const known = new Set(members.flatMap(({ id, role }) => [id, idFrom(role.name)]));
  const unknown = [...sdlc.worktrees.keys()].filter((agent) => !known.has(idFrom(agent)));
  if (unknown.length === 0) return;
  const what = `there is no agent ${unknown.slice(0, 5).map(shown).join(', ')} to have a worktree`;
  const where = place ?? { file: notes.file, line: 1, column: 1 };
  notes.warn(problemAt('org/value', where, what, 'Name roles of ## Structure.'));
}
