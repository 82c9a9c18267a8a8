import { standsIn } from '../../git/refs/remote-stand-in.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { type Org, openOrg, trunkTip } from '../../records/org.ts';
import { closeOrg } from '../../score/arena/measuring-room.ts';
import { signersFile } from '../../signing/allowed-signers.ts';
import { unlessProblem } from '../../text/problem.ts';
import type { VerbCall } from './command.ts';

/** Opens the org around the call's directory for as long as it takes to read what is asked for. */
export function withOrg<T>(call: VerbCall, work: (org: Org) => Promise<T>): Promise<T> {
  return withOpen(call, async (org) => {
    const remote = standsIn(org.repo);
    if (remote === undefined) await sayUnknown(call, org);
    else
      call.say(
        `this clone has not adopted the org that ${remote} has: shown as it was last fetched. Adopt it and go on: orgrepo run\n`,
      );
    return work(org);
  });
}

/** The same for what is written on orgrepo's branches: a clone adopts the org of its remote first. */
export function withOrgToWrite<T>(call: VerbCall, work: (org: Org) => Promise<T>): Promise<T> {
  return withOpen(call, async (org) => {
    const { adoptRemote } = await import('../../steps/recover/adopt-remote.ts');
    const warn = (message: string): void => call.warn(`${message}\n`);
    await adoptRemote(org, { mayAsk: call.mayAsk, say: warn, warn });
    return work(org);
  });
}

async function withOpen<T>(call: VerbCall, work: (org: Org) => Promise<T>): Promise<T> {
  const org = await openOrg(call.dir, call.jail());
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
  if (ahead !== undefined) call.say(`${ahead} has gone on from what is here. Take that up and go on: orgrepo run\n`);
  const remote = await unfollowedRemote(org.repo);
  if (remote !== undefined)
    call.say(
      `this clone does not follow the branches orgrepo/* of ${remote}, so whether it has an org is not known. orgrepo run asks it\n`,
    );
}

/** A run starts from the last commit: what is not committed is not part of it, and people forget that. */
export async function warnOfUncommitted(org: Org, note: (message: string) => void): Promise<void> {
  const { uncommitted } = await import('../../git/persons-git.ts');
  let files: readonly string[];
  try {
    files = await uncommitted(org.repo.root, await peoplesFiles(org));
  } catch (error) {
    // A damaged index or HEAD is the person's to mend, and no reason why a run that needs neither should fail.
    const said = error instanceof Error ? error.message.trim().split('\n').at(-1) : error;
    note(`git status fails here, so what is not committed is not known: ${said}`);
    return;
  }
  if (files.length === 0) return;
  const named = files.slice(0, 3).join(', ');
  note(`not committed, so not part of this run: ${named}${files.length > 3 ? ` and ${files.length - 3} more` : ''}`);
}

/** What a run reads of the trunk; where there is no brief that tells, the usual places. */
async function peoplesFiles(org: Org): Promise<readonly string[]> {
  const always = ['program.md', 'orgrepo.md', 'branches.md', 'specs', 'ORG.md', 'org.yaml', 'policies', signersFile];
  const pinned = await unlessProblem(trunkTip(org).then((trunk) => pinBrief(org, trunk)));
  if (pinned === undefined) return [...always, 'harness', 'sandbox'];
  const { harness, sandbox, include } = pinned.brief;
  const bases = [...sandbox, ...include].map((pattern) => pattern.replace(/(^|\/)[^/]*[*?[{].*$/, ''));
  return [...always, harness, ...bases.filter((base) => base !== '')];
}
