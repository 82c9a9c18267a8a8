import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { obedientOrg } from './night.ts';
import type { TestOrg } from './org.ts';

/** An org in which people do the work: its harness says whatever the sandbox's program says. */
export const personsOrg = (keys: Readonly<Record<string, string>> = {}): TestOrg =>
  obedientOrg('human', {
    budget: '{ experiment: 10s, agent: 10s, night: 1h, attempts: 5, patience: 1000 }',
    ...keys,
  });

export const benchOf = (org: TestOrg, spec: string): string => path.join(org.dir, '.worktrees', `human-${spec}`);

/** A person at work: one file of their bench becomes this. */
export function edit(org: TestOrg, spec: string, text: string, file = 'sandbox/program'): void {
  const place = path.join(benchOf(org, spec), file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
}

export const edited = (org: TestOrg, spec: string, file = 'sandbox/program'): string | undefined => {
  const place = path.join(benchOf(org, spec), file);
  return existsSync(place) ? readFileSync(place, 'utf8') : undefined;
};

/** What waits for a person, as `status --json` tells it. */
export const needsYou = async (org: TestOrg): Promise<string[]> =>
  (
    JSON.parse((await org.orgrepo('status', '--json')).stdout) as { needs_you: { what: string; command: string }[] }
  ).needs_you.map(({ what, command }) => `${what} | ${command}`);
