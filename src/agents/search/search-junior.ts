import { basename } from 'node:path/posix';
import { randomFrom } from '../../text/random.ts';
import type { Agent, AgentTask, AgentWork } from '../agent-contract.ts';
import { fingerprint, readSandboxFiles, replaceSites, writeSandbox } from './search-files.ts';
import { formatNotes, readMemory, type SiteChange } from './search-memory.ts';
import type { Values } from './search-moves.ts';
import { makePool } from './search-numbers.ts';
import { bringTogether, makeLookup, propose, type Search, type SearchProposal } from './search-proposal.ts';
import { findSites, type Site } from './search-sites.ts';
import { formatRegion, isInRegions, readWish, type SearchWish } from './search-wish.ts';

/**
 * The search agent, no model: it changes numbers and simple choices in text files, whatever the language, and learns
 * from the notebook where and how. It keeps nothing between calls that it could not read again: the same task gives
 * the same edit.
 */
export const searchJunior: Agent = async (task) => {
  if (task.spec === undefined) return { kind: 'failed', reason: 'a junior was started without a spec' };
  const files = readSandboxFiles(task);
  const all = files.flatMap((file) => findSites(file.path, file.text));
  if (all.length === 0) return nothing('the sandbox has no numbers, no true or false and no operators to change');
  const wish = readWish(task.spec, task.files);
  const sites = all.filter((site) => isInRegions(site, wish.regions));
  if (sites.length === 0) return nothing(`there is nothing to change on ${wish.regions.map(formatRegion).join(', ')}`);

  const search: Search = {
    pool: makePool(sites, all),
    memory: readMemory(task.notebook, task.brief.direction),
    find: makeLookup(sites),
    focus: wish.focus,
    random: randomFrom([task.seed, task.spec.id, task.attempt, task.ask].join('/')),
  };
  const before = fingerprint(files);
  for (let draw = 1; draw <= mostDraws; draw++) {
    const { move, values } = draw === 1 ? proposeFirst(search, wish, task) : propose(search);
    const after = replaceSites(files, values);
    const result = fingerprint(after);
    if (result === before || search.memory.wasTried(result)) continue; // The same tree again would be no news.
    writeSandbox(task, files, after);
    const changes = changesIn(values);
    return { kind: 'edited', title: titleOf(move, values), notes: formatNotes({ move, changes, result }) };
  }
  return nothing('everything that the search could think of here was tried before');
};

const mostDraws = 60;

const nothing = (reason: string): AgentWork => ({ kind: 'nothing', reason });

/** Two kept changes that git could not merge are first tried together, whatever else the search would do. */
function proposeFirst(search: Search, wish: SearchWish, task: AgentTask): SearchProposal {
  if (wish.combine.length === 0 || task.attempt > 1 || task.ask > 1) return propose(search);
  return { move: 'combine', values: bringTogether(wish.combine, search.find) };
}

function changesIn(values: Values): readonly SiteChange[] {
  return changed(values).map(([{ file, line, place, text }, to]) => ({ file, line, place, from: text, to }));
}

function changed(values: Values): readonly (readonly [Site, string])[] {
  return [...values].filter(([site, to]) => site.text !== to);
}

/** `pack.mjs:9 gap 3: 97 -> 61`, or for several `shift: 7 numbers on lines 6 to 12 of pack.mjs`. */
function titleOf(move: string, values: Values): string {
  const changes = changed(values).toSorted(([a], [b]) => a.line - b.line);
  const [first, last] = [changes[0], changes[changes.length - 1]];
  if (first === undefined || last === undefined) return move;
  if (changes.length <= 2) return changes.map(([site, to]) => describe(site, to)).join(', ');
  const names = new Set(changes.map(([site]) => basename(site.file)));
  const where =
    names.size === 1
      ? `${formatRegion({ file: [...names][0] as string, from: first[0].line, to: last[0].line })}`
      : `${names.size} files`;
  return `${move}: ${changes.length} places on ${where}`;
}

function describe(site: Site, to: string): string {
  const label = site.label === '' ? '' : ` ${site.label}`;
  return `${basename(site.file)}:${site.line}${label}: ${site.text} -> ${to}`;
}
