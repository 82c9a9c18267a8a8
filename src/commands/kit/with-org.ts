import { standsIn } from '../../git/refs/remote-stand-in.ts';
import type { JailChoice } from '../../jail/jail.ts';
import { type Org, openOrg } from '../../records/org.ts';
import { closeOrg } from '../../score/arena/measuring-room.ts';
import type { VerbCall } from './command.ts';

/** Opens the org around the call's directory for as long as it takes to read what is asked for. */
export function withOrg<T>(call: VerbCall, work: (org: Org) => Promise<T>, jail?: JailChoice): Promise<T> {
  return withOpen(call, jail, async (org) => {
    const remote = standsIn(org.repo);
    if (remote === undefined) await sayUnknown(call, org);
    else
      call.say(
        `this clone has not taken up the org that ${remote} has: shown as it was last fetched. Take it up and go on: npx orgrepo run\n`,
      );
    return work(org);
  });
}

/** The same for what is written on orgrepo's branches: a clone takes up the org of its remote first. */
export function withOrgToWrite<T>(call: VerbCall, work: (org: Org) => Promise<T>, jail?: JailChoice): Promise<T> {
  return withOpen(call, jail, async (org) => {
    const { takeUp } = await import('../../steps/recover/adopt-remote.ts');
    const warn = (message: string): void => call.warn(`${message}\n`);
    await takeUp(org, { mayAsk: call.mayAsk, say: warn, warn });
    return work(org);
  });
}

async function withOpen<T>(call: VerbCall, jail: JailChoice | undefined, work: (org: Org) => Promise<T>): Promise<T> {
  const org = await openOrg(call.dir, jail);
  try {
    return await work(org);
  } finally {
    await closeOrg(org);
  }
}

/** What a clone cannot show: nothing has run here, but one of a single branch would not know; or it went on elsewhere. */
async function sayUnknown(call: VerbCall, org: Org): Promise<void> {
  const { remoteAhead, unfollowedRemote } = await import('../../steps/recover/adopt-remote.ts');
  const ahead = await remoteAhead(org);
  if (ahead !== undefined)
    call.say(`${ahead} has gone on from what is here. Take that up and go on: npx orgrepo run\n`);
  const remote = await unfollowedRemote(org.repo);
  if (remote !== undefined)
    call.say(
      `this clone does not follow the branches orgrepo/* of ${remote}, so whether it has an org is not known. npx orgrepo run asks it\n`,
    );
}
