import path from 'node:path';
import { root } from './org.ts';

/**
 * Orgs that are made after this never reach a provider, whatever key they have: it is at this address on the machine, and
 * nowhere when there is none.
 */
export function moveProviders(origin = ''): void {
  process.env.NODE_OPTIONS = `--require "${path.join(root, 'test/support/no-provider.cjs')}"`;
  process.env.ORGREPO_TEST_PROVIDERS = origin;
}
