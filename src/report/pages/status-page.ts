import type { NeedsYou } from '../../domain/rules/request.ts';
import { triedIn } from '../../domain/words/experiment.ts';
import type { NightSpent } from '../../domain/words/spent.ts';
import { cut, fit, fitRight, type Look, mostOf, spell, widthOf, wrap } from '../../terminal/look.ts';
import { spanWord, visible } from '../../terminal/visible.ts';
import { healthJson, healthWords } from '../advice/health-score.ts';
import type { BestKnown, Status } from '../facts/overview.ts';
import {
  changeWord,
  checkpointWords,
  costCell,
  countOf,
  reservedWords,
  scoreWord,
  shortCommit,
  singleStageWords,
  spentJson,
  spentWords,
  tokenWords,
} from '../words/numbers.ts';
import { tallyWords } from '../words/verdict-words.ts';

export function formatStatus(status: Status, look: Look): string {
  const lines = [
    look.paint.bold(cut(`${visible(status.name)} · ${farWords(status)}${look.typed(stateWords(status))}`, look.edge)),
    ...hintsOf(status).map((hint) => cut(`  ${look.typed(hint)}`, look.edge)),
    '',
    ...factLines(status).map((line) => cut(line, look.edge)),
    ...healthLines(status, look.columns),
    ...agentLines(status, look),
    ...needsYouLines(status.needsYou, look),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/status@1`: what is not known is left out. */
export function statusJson(status: Status): Record<string, unknown> {
  const { spent, health } = status;
  return {
    schema: 'orgrepo/status@1',
    name: status.name,
    remote: status.remote,
    state: status.state,
    paused: status.paused,
    paused_by: status.pausedBy,
    pid: status.pid,
    why: status.why,
    since_seconds: status.since,
    heartbeat_seconds_ago: status.heartbeatAgo,
    metric: status.metric,
    direction: status.direction,
    stages: status.stages,
    baseline: status.baseline,
    best: status.best,
    tried: triedBy(status),
    kept: status.tally.keep - (status.again ?? 0),
    taken: status.taken,
    waiting: status.waiting || undefined,
    tally: status.tally,
    last_keep_ago: status.lastKeepAgo,
    patience: status.patience,
    queue: status.queue,
    spent: spent === undefined ? {} : spentJson(spent.total),
    set_aside: spent?.held && spentJson(spent.held),
    limits: status.limits,
    agents: status.agents.map((agent) => ({ ...agent, spent: undefined, ...(agent.spent && spentJson(agent.spent)) })),
    agents_of_last: status.agentsOfLast,
    needs_you: status.needsYou,
    health: health && healthJson(health),
    checkpoint: status.checkpoint,
  };
}

const farWords = ({ remote }: Status): string =>
  remote === undefined ? '' : `as ${visible(remote)} had it when it was last fetched: `;

function stateWords({ state, pid, since, heartbeatAgo, why, paused, pausedBy }: Status): string {
  const heartbeat = heartbeatAgo === undefined ? [] : [`heartbeat ${spanWord(heartbeatAgo)} ago`];
  const details = [...(pid === undefined ? [] : [`pid ${pid}`]), ...heartbeat].join(', ');
  const brackets = details === '' ? '' : ` (${details})`;
  const pausing = paused ? `, paused${pausedBy === undefined ? '' : ` by ${visible(pausedBy)}`}` : '';
  switch (state) {
    case 'never':
      return `never started${pausing}`;
    case 'running':
      return `running${since === undefined ? '' : ` ${spanWord(since)}`}${pausing}${brackets}`;
    case 'silent':
      if (pid === undefined && why !== undefined) return `running${pausing}: ${visible(why)}`;
      return `running but silent for ${heartbeatAgo === undefined ? 'a while' : spanWord(heartbeatAgo)}${pausing}${pid === undefined ? '' : ` (pid ${pid})`}`;
    case 'stopped':
    case 'crashed':
      return `${state}${since === undefined ? '' : ` ${spanWord(since)} ago`}${why === undefined ? '' : `: ${visible(why)}`}${pausing}`;
  }
}

function hintsOf({ state, paused, pid, remote }: Status): readonly string[] {
  if (remote !== undefined) return ['take it up and go on from the best: orgrepo run'];
  const hints = {
    never: ['start it: orgrepo run'],
    running: [],
    silent: [`a long measurement, or it hangs; stop it: orgrepo stop${pid === undefined ? '' : `, or kill ${pid}`}`],
    stopped: ['go on from the best: orgrepo run'],
    crashed: ['resume: orgrepo run   (nothing that was recorded is lost, what was saved is measured first)'],
  }[state];
  return paused ? [...hints, 'no new work while paused: orgrepo resume'] : hints;
}

const triedBy = ({ tally, waiting = 0 }: Status): number => triedIn(tally) + waiting;

function factLines(status: Status): readonly string[] {
  const { best, baseline, tally, metric, queue, spent } = status;
  const tried = triedBy(status);
  const from = baseline === undefined ? '' : `   baseline ${scoreWord(baseline)}`;
  const change = baseline === undefined || best === undefined ? '' : `   ${changeWord(baseline, best.score)}`;
  const sought = status.direction === 'minimize' ? 'lower is better' : 'higher is better';
  return [
    best === undefined
      ? `  best     none yet: ${visible(metric)}, ${sought}${from}`
      : `  best     ${scoreWord(best.score)} ${visible(metric)}, ${sought}  (${bestWords(best)}, ${shortCommit(best.commit)})${from}${change}`,
    ...(status.stages === 1 ? [`           ${singleStageWords}`] : []),
    tried === 0 ? '  tried    nothing yet' : `  tried    ${tried}: ${tallyWords(tally, status)}`,
    ...(tried === 0 ? [] : [`           ${lastKeepWords(status, tried)}`]),
    ...(status.limits ?? []).map((limit) => `  limit    ${visible(limit)}`),
    `  queue    ${queue.open} open, ${queue.claimed} claimed`,
    ...(spent === undefined ? [] : [`  spent    ${spentLine(spent, status.usdCap)}`]),
    ...(status.checkpoint === undefined ? [] : [`  signed   checkpoint ${checkpointWords(status.checkpoint)}`]),
  ];
}

const bestWords = ({ n, remeasured }: BestKnown): string =>
  n === 0 ? 'baseline' : `#${n}${remeasured ? ', measured again' : ''}`;

/** How long nothing was taken, and what of that counts for the run's patience: every run begins with all of it. */
function lastKeepWords({ lastKeepAgo, inVain, patience }: Status, tried: number): string {
  const since = lastKeepAgo ?? tried;
  const counted = countOf(since, 'try', 'tries');
  const what = lastKeepAgo === undefined ? `nothing taken in ${counted}` : `last taken ${counted} ago`;
  const ofRun = inVain === undefined || inVain >= since ? '' : `, ${inVain} of them in the last run`;
  return `${what}${ofRun}${patience === undefined ? '' : ` (stops at ${patience})`}`;
}

function spentLine({ total, held }: NightSpent, cap: number | undefined): string {
  const aside = held === undefined ? [] : [reservedWords(held)];
  return [spentWords(total, cap), tokenWords(total), ...aside].join(' · ');
}

/** All of it, on as many lines as it takes: a part that is cut off would be missed. */
function healthLines({ health, isCharted }: Status, columns: number): readonly string[] {
  const lines = health === undefined || isCharted !== true ? [] : wrap(healthWords(health), columns - 11);
  return lines.map((line, index) => cut(`  ${index === 0 ? 'health' : '      '}   ${line}`, columns));
}

function agentLines({ agents, spent, agentsOfLast }: Status, look: Look): readonly string[] {
  if (agents.length === 0) return [];
  const rows = agents.map((agent) => ({
    id: visible(agent.id),
    doing: visible(doingWords(agent)),
    tried: String(agent.tried),
    kept: String(agent.kept),
    cost: costCell(agent.spent),
    trust:
      agent.trust === undefined
        ? ''
        : `${agent.trust} ${agent.rank}${agent.mentor ? `, mentor ${visible(agent.mentor)}` : ''}`,
  }));
  const widest = (words: readonly string[], most: number): number => Math.min(most, Math.max(...words.map(widthOf)));
  const id = widest(['agent', ...rows.map((row) => row.id)], mostOf(look, 16));
  const doing = widest(['doing', ...rows.map((row) => row.doing)], mostOf(look, 40));
  const trusts = agents.some(({ trust }) => trust !== undefined);
  const line = (row: (typeof rows)[number]): string =>
    cut(
      `  ${fit(row.id, id)}  ${fit(row.doing, doing)}  ${fitRight(row.tried, 6)}  ${fitRight(row.kept, 5)}${spent === undefined ? '' : `  ${fitRight(row.cost, 6)}`}${trusts ? `  ${row.trust}` : ''}`,
      look.edge,
    );
  return [
    '',
    ...(agentsOfLast === undefined ? [] : [look.paint.dim(`  of the last ${agentsOfLast} tries:`)]),
    look.paint.dim(line({ id: 'agent', doing: 'doing', tried: 'tried', kept: 'won', cost: '$', trust: 'trust' })),
    ...rows.map(line),
  ];
}

/** What keeps somebody from working is worth more than what it would work on. */
function doingWords({ doing, spec, presence, held }: Status['agents'][number]): string {
  const what = presence ?? doing;
  const where = spec === undefined ? what : `${what}, spec ${spec}`;
  return held === undefined ? where : `${where}; ${held}`;
}

function needsYouLines(needs: readonly NeedsYou[], { edge, paint, typed }: Look): readonly string[] {
  if (needs.length === 0) return [];
  const lines = needs.flatMap(({ what, command }) => [`  ! ${visible(what)}`, `      ${typed(visible(command))}`]);
  return ['', paint.yellow(`  needs you (${needs.length})`), ...lines.map((line) => cut(line, edge))];
}
