import { after } from 'node:test';
import type { TestOrg } from './org.ts';

/** Orgs of one file of tests: gone when it is done, with whatever still runs in them. */
export function keepOrgs(): (org: TestOrg) => TestOrg {
  const orgs: TestOrg[] = [];
  after(() => {
    for (const org of orgs) org.remove();
  });
  return (org) => {
    orgs.push(org);
    return org;
  };
}
