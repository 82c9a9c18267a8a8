import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { anOrg } from '../support/builders.ts';
import { until } from '../support/until.ts';

/** JSON doubles every quotation mark: about twice as much as a socket and its reader hold. */
const body = Array.from({ length: 5_000 }, (_, at) => `${'"'.repeat(40)}${at}`).join('\n');

/** Whether a process sleeps, and how much time of a CPU it has used. */
function stateOf(pid: number): { readonly sleeps: boolean; readonly ticks: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return { sleeps: fields[0] === 'S', ticks: Number(fields[11]) + Number(fields[12]) };
}

test('a reader that is slower than orgrepo gets everything', async () => {
  const org = anOrg();
  org.write('ideas.md', `${body}\n`);
  const submitted = await org.orgrepo('submit', 'many ideas', '--body-file', 'ideas.md', '--json');
  const { id } = JSON.parse(submitted.stdout) as { readonly id: string };
  const child = org.start('show', id, '--json');
  const { stdout, pid } = child;
  assert.ok(stdout !== null && pid !== undefined);
  const ended = once(child, 'exit');
  await once(stdout, 'readable'); // It has begun to write, and from here on nobody reads.
  let before = stateOf(pid);
  let still = 0;
  await until('orgrepo waits for its reader', () => {
    const now = stateOf(pid);
    still = now.sleeps && now.ticks === before.ticks ? still + 1 : 0;
    before = now;
    return still >= 10;
  });
  assert.equal(child.exitCode, null, 'there is more than the pipe holds');
  let text = '';
  for await (const chunk of stdout.setEncoding('utf8')) text += chunk;
  assert.deepEqual((await ended)[0], 0);
  assert.ok(text.length > 400_000, `${text.length}`);
  assert.ok(JSON.stringify(JSON.parse(text)).includes('"4999'));
});
