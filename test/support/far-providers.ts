import { createRequire } from 'node:module';
import path from 'node:path';
import { holdsHereToo } from './in-process.ts';
import { root } from './org.ts';

/**
 * Orgs that are made after this never reach a provider, whatever key they have: it is at this address on the machine, and
 * nowhere when there is none.
 */
export function moveProviders(origin = ''): void {
  const preload = path.join(root, 'test/support/no-provider.cjs');
  createRequire(import.meta.url)(preload);
  process.env.NODE_OPTIONS = `--require "${preload}"`;
  process.env.ORGREPO_TEST_PROVIDERS = origin;
  holdsHereToo(process.env.NODE_OPTIONS);
}
