import { existsSync } from 'node:fs';
import { queueRef } from '../../git/refs/ref-names.ts';
import { pace } from '../../process/pace.ts';
import { readEntry } from '../../records/entry.ts';
import { ledgerAt } from '../../records/queue/queue.ts';
import { Problem } from '../../text/problem.ts';
import type { Night } from '../night/night.ts';
import type { OrdersOnQueue } from './night-standing.ts';

/** What people last said on the queue. Looked up a few times a second, not before every attempt. */
export async function steeringOf(night: Pick<Night, 'run' | 'standing'>): Promise<OrdersOnQueue> {
  const now = performance.now();
  if (now - night.standing.steered.at <= pace().ordersMs) return night.standing.steered.ledger;
  const ledger = await readSteering(night);
  if (night.standing.steered.at <= now) night.standing.steered = { at: now, ledger }; // Unless somebody has read it later, and was faster.
  return night.standing.steered.ledger;
}

/**
 * Ends the night where a person has said so: whoever waits for somebody else does not look. What was read here is not kept for
 * the next attempt, which would begin by it although a stop has come since.
 */
export async function noteStop(night: Pick<Night, 'run' | 'standing'>): Promise<void> {
  if ((await readSteering(night)).state === 'stopping') night.standing.ending ??= 'stopped';
}

async function readSteering({
  run: { org },
  standing: { steered },
}: Pick<Night, 'run' | 'standing'>): Promise<OrdersOnQueue> {
  const tip = await readEntry(org, queueRef);
  if (tip === undefined && !existsSync(org.repo.gitDir))
    throw new Problem('repo/none', `${org.repo.gitDir} is gone: somebody removed it`, 'Clone it again, and run.');
  return tip === undefined ? steered.ledger : ledgerAt(org, tip);
}
