import type { Counts } from '../support/provider-server/script.ts';
import type { ProviderServer } from '../support/provider-server/server.ts';
import type { Line } from './book.ts';
import type { Played } from './conversation.ts';
import type { Stalls } from './stalls.ts';

/** An agent that has not ended so long after its deadline hangs. */
const graceMs = 1_000;

/** What does not hold of conversations that are over, and of what they spent. */
export function checkConversations(
  lines: readonly Line[],
  all: readonly Played[],
  server: ProviderServer,
  honest: ReadonlyMap<number, Counts>,
  stalls: Stalls,
): readonly string[] {
  const busy = stalls.ownMs > graceMs ? [`nothing else was done for ${Math.round(stalls.ownMs)} ms of work`] : [];
  const ends = all.flatMap((played) => {
    const own = lines.filter(({ agent }) => agent === played.script.agent);
    return [...checkEnd(played, stalls), ...checkMoney(played, own, server, honest)].map(
      (finding) => `script ${played.script.number} (${played.script.provider}): ${finding}`,
    );
  });
  return [...busy, ...ends];
}

const kinds = ['edited', 'nothing', 'failed', 'capped', 'busy', 'unable'];

function checkEnd({ script, work, thrown, ms }: Played, { wallMs }: Stalls): readonly string[] {
  const findings: string[] = [];
  if (work === undefined) findings.push(`it threw: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
  else {
    if (!kinds.includes(work.kind)) findings.push(`it ended as ${work.kind}`);
    const words = work.kind === 'edited' ? work.title : work.kind === 'said' ? work.text : work.reason;
    if (words.trim() === '' || words.length > 2_000) findings.push(`it ended without a reason: ${words.slice(0, 100)}`);
    if (words.includes(script.key)) findings.push('its reason tells the key');
  }
  if (ms > script.deadlineMs + graceMs + wallMs)
    findings.push(`it took ${Math.round(ms)} ms, and had ${script.deadlineMs}: ${JSON.stringify(work).slice(0, 200)}`);
  return findings;
}

function checkMoney(
  { script, work }: Played,
  own: readonly Line[],
  server: ProviderServer,
  honest: ReadonlyMap<number, Counts>,
): readonly string[] {
  const findings: string[] = [];
  const of = (event: string): readonly Line[] => own.filter((line) => line.event === event);
  const served = server.said.filter(({ heard }) => heard.key === script.key && honest.has(heard.turn));
  const heard = server.heard.filter(({ key }) => key === script.key);
  const [asked, reserved] = [heard.length, of('reserve').length];
  if (asked > reserved) findings.push(`it asked ${asked} times and reserved ${reserved} times`);
  const left = heard.flatMap(({ turn }) => honest.get(turn) ?? []).map((one) => `${one.tokensIn} ${one.tokensOut}`);
  for (const line of of('settle').filter(({ reason }) => reason === '')) {
    const at = left.indexOf(`${line.tokensIn} ${line.tokensOut}`);
    if (at === -1) findings.push(`the book believes ${line.tokensIn} and ${line.tokensOut}, which nobody said`);
    else left.splice(at, 1);
  }
  for (const what of ['tokensIn', 'tokensOut'] as const) {
    const counted = sum(of('settle').map((line) => line[what]));
    const really = sum(served.map(({ counts }) => Number(counts[what])));
    if (counted < really) findings.push(`the book counts ${counted} ${what}, and ${really} were served`);
    const told = work?.spent?.[what];
    if (work !== undefined && told !== counted) findings.push(`it tells of ${told} ${what}, the book of ${counted}`);
  }
  return findings;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
