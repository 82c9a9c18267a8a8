import { reachOf, type SearchReach } from '../../agents/search/search-reach.ts';
import { textIn } from '../../agents/search/search-sites.ts';
import { agentsWithDuty, choiceOf } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { filesOf } from '../../git/objects/tree.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { contentOf } from '../../score/arena/arena-directory.ts';
import { zonesOf } from '../../score/judge/boundary.ts';
import type { Problem } from '../../text/problem.ts';

/** Of a sandbox with more files the first ones show what there is. */
const mostFiles = 500;

/** What the search agents among the juniors can change in this tree; undefined where there are none. */
export async function findReach(org: Org, tree: string, brief: Brief): Promise<SearchReach | undefined> {
  if (searchersIn(brief).length === 0) return undefined;
  const { names, leadsTo } = zonesOf(brief).sandbox;
  const entries = [...(await filesOf(org.repo, tree, names, leadsTo))].filter(([, { mode }]) => mode.startsWith('100'));
  const files = entries.slice(0, mostFiles).map(async ([path, { oid }]) => {
    const text = textIn(await contentOf(org.repo, oid));
    return text === undefined ? [] : [{ path, text }];
  });
  return reachOf((await Promise.all(files)).flat());
}

const searchersIn = (brief: Brief): readonly string[] =>
  agentsWithDuty(brief, 'junior').filter((id) => choiceOf(brief.staff, id).kind === 'search');

/** A sandbox that needs an agent that reads. */
export async function doubtfulSearch(org: Org, tree: string, pinned: PinnedBrief): Promise<Problem[]> {
  const reach = await findReach(org, tree, pinned.brief);
  if (reach === undefined || !(reach.isProse || reach.files.length === 0)) return [];
  const what = reach.isProse
    ? `the sandbox is prose, and a search agent only changes ${reach.words}`
    : 'a search agent finds nothing to change in the sandbox: no number, no operator and no true or false';
  const hint = 'Name an agent that reads: model: claude-sonnet-4-6, or agent: claude.';
  return [await problemInBrief(org, pinned, { code: 'brief/value', at: ['agent'], what, hint })];
}

/** What becomes of the words of a new spec; undefined where no search agent may get it. */
export async function searchNote(org: Org, tree: string, brief: Brief): Promise<string | undefined> {
  const reach = await findReach(org, tree, brief);
  if (reach === undefined) return undefined;
  const [first] = reach.files;
  const lines =
    first === undefined ? '' : `, or only the lines that you name, such as "line ${first.from} of ${first.file}"`;
  const readers = agentsWithDuty(brief, 'junior').length - searchersIn(brief).length;
  return [
    `A search agent ${readers === 0 ? 'works it' : 'may get it'}, and does not read it: it changes ${reach.words}${lines}.`,
    'For anything else write model: claude-sonnet-4-6 into the brief, or do it yourself: --for human',
  ].join(' ');
}
