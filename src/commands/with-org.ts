import type { JailWish } from '../domain/jail.ts';
import { type Org, openOrg } from '../records/org.ts';
import { closeOrg } from '../steps/close.ts';
import type { Call } from './command.ts';

/** Opens the org around the call's directory for as long as the work takes. */
export async function withOrg<T>(call: Call, work: (org: Org) => Promise<T>, jail?: JailWish): Promise<T> {
  const org = await openOrg(call.dir, jail);
  try {
    return await work(org);
  } finally {
    await closeOrg(org);
  }
}
