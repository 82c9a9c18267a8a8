import { triedIn } from '../domain/experiment.ts';
import type { NeedsYou, Status } from '../domain/overview.ts';
import { type Look, type Paint, spell } from './look.ts';
import { changeWord, countOf, scoreWord, shortCommit } from './numbers.ts';
import { singleStageWords } from './single-stage.ts';
import { spanWord } from './times.ts';
import { tallyWords } from './verdict-words.ts';
import { visible } from './visible.ts';
import { cut, fit, fitRight, widthOf } from './width.ts';

export function formatStatus(status: Status, look: Look): string {
  const lines = [
    look.paint.bold(cut(`${visible(status.name)} · ${stateWords(status)}`, look.columns)),
    ...hintsOf(status).map((hint) => cut(`  ${hint}`, look.columns)),
    '',
    ...factLines(status).map((line) => cut(line, look.columns)),
    ...agentLines(status, look),
    ...needsYouLines(status.needsYou, look.columns, look.paint),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** `orgrepo/status@1`: what is not known is left out. */
export function statusJson(status: Status): Record<string, unknown> {
  return {
    schema: 'orgrepo/status@1',
    name: status.name,
    state: status.state,
    paused: status.paused,
    ...known({ pid: status.pid, why: status.why }),
    ...known({ since_seconds: status.since, heartbeat_seconds_ago: status.heartbeatAgo }),
    metric: status.metric,
    direction: status.direction,
    ...known({ stages: status.stages }),
    ...known({ baseline: status.baseline, best: status.best }),
    tried: triedIn(status.tally),
    kept: status.tally.keep,
    tally: status.tally,
    ...known({ last_keep_ago: status.lastKeepAgo, patience: status.patience }),
    queue: status.queue,
    spent: known(status.spent),
    agents: status.agents.map(known),
    needs_you: status.needsYou,
  };
}

const known = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function stateWords({ state, pid, since, heartbeatAgo, why, paused }: Status): string {
  const heartbeat = heartbeatAgo === undefined ? [] : [`heartbeat ${spanWord(heartbeatAgo)} ago`];
  const details = [...(pid === undefined ? [] : [`pid ${pid}`]), ...heartbeat].join(', ');
  const brackets = details === '' ? '' : ` (${details})`;
  const pausing = paused ? ', paused' : '';
  switch (state) {
    case 'never':
      return `never started${pausing}`;
    case 'running':
      return `running${since === undefined ? '' : ` ${spanWord(since)}`}${pausing}${brackets}`;
    case 'silent':
      return `running but silent for ${heartbeatAgo === undefined ? 'a while' : spanWord(heartbeatAgo)}${pausing}${pid === undefined ? '' : ` (pid ${pid})`}`;
    case 'stopped':
      return `stopped${since === undefined ? '' : ` ${spanWord(since)} ago`}${why === undefined ? '' : `: ${visible(why)}`}${pausing}`;
    case 'crashed':
      return `crashed${since === undefined ? '' : ` ${spanWord(since)} ago`}${why === undefined ? '' : `: ${visible(why)}`}${pausing}`;
  }
}

function hintsOf({ state, paused, pid }: Status): readonly string[] {
  const hints = {
    never: ['start it: orgrepo run'],
    running: [],
    silent: [`a long measurement, or it hangs; stop it: orgrepo stop${pid === undefined ? '' : `, or kill ${pid}`}`],
    stopped: ['go on from the best: orgrepo run'],
    crashed: ['resume: orgrepo run   (nothing that was recorded is lost, what was saved is measured first)'],
  }[state];
  return paused ? [...hints, 'no new work while paused: orgrepo resume'] : hints;
}

function factLines(status: Status): readonly string[] {
  const { best, baseline, tally, metric, queue, spent, lastKeepAgo, patience } = status;
  const tried = triedIn(tally);
  const from = baseline === undefined ? '' : `   baseline ${scoreWord(baseline)}`;
  const change = baseline === undefined || best === undefined ? '' : `   ${changeWord(baseline, best.score)}`;
  const patienceWords = patience === undefined ? '' : ` (stops at ${patience})`;
  const lastKeep =
    lastKeepAgo === undefined
      ? []
      : [`           last keep ${countOf(lastKeepAgo, 'try', 'tries')} ago${patienceWords}`];
  const sought = status.direction === 'minimize' ? 'lower is better' : 'higher is better';
  return [
    best === undefined
      ? `  best     none yet: ${visible(metric)}, ${sought}${from}`
      : `  best     ${scoreWord(best.score)} ${visible(metric)}, ${sought}  (${best.n > 0 ? `#${best.n}, ` : 'baseline, '}${shortCommit(best.commit)})${from}${change}`,
    ...(status.stages === 1 ? [`           ${singleStageWords}`] : []),
    tried === 0 ? '  tried    nothing yet' : `  tried    ${tried}: ${tallyWords(tally)}`,
    ...lastKeep,
    `  queue    ${queue.open} open, ${queue.claimed} claimed`,
    ...(spent.usd === undefined && spent.tokens_in === undefined && spent.tokens_out === undefined
      ? []
      : [`  spent    ${spentWords(spent)}`]),
  ];
}

function spentWords({ usd, tokens_in, tokens_out }: Status['spent']): string {
  return [
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
    ...(tokens_in === undefined ? [] : [`${tokens_in} tokens in`]),
    ...(tokens_out === undefined ? [] : [`${tokens_out} tokens out`]),
  ].join(', ');
}

function agentLines({ agents }: Status, look: Look): readonly string[] {
  if (agents.length === 0) return [];
  const rows = agents.map((agent) => ({
    id: visible(agent.id),
    doing: visible(agent.doing) + (agent.spec === undefined ? '' : `, spec ${visible(agent.spec)}`),
    tried: String(agent.tried),
    kept: String(agent.kept),
  }));
  const widest = (words: readonly string[], most: number): number => Math.min(most, Math.max(...words.map(widthOf)));
  const id = widest(['agent', ...rows.map((row) => row.id)], 16);
  const doing = widest(['doing', ...rows.map((row) => row.doing)], 40);
  const line = (row: (typeof rows)[number]): string =>
    cut(
      `  ${fit(row.id, id)}  ${fit(row.doing, doing)}  ${fitRight(row.tried, 6)}  ${fitRight(row.kept, 5)}`,
      look.columns,
    );
  return ['', look.paint.dim(line({ id: 'agent', doing: 'doing', tried: 'tried', kept: 'kept' })), ...rows.map(line)];
}

function needsYouLines(needs: readonly NeedsYou[], columns: number, paint: Paint): readonly string[] {
  if (needs.length === 0) return [];
  const lines = needs.flatMap(({ what, command }) => [`  ! ${visible(what)}`, `      ${visible(command)}`]);
  return ['', paint.yellow(`  needs you (${needs.length})`), ...lines.map((line) => cut(line, columns))];
}
