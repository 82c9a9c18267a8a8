import { signingKeyOf } from '../../git/persons-git.ts';
import { pinBrief } from '../../org/force/pin-brief.ts';
import { type Org, trunkTip } from '../../records/org.ts';
import { decisionsNow } from '../../records/requests/requests.ts';
import { readSigners } from '../../records/signers.ts';
import { findPersonKey, guardOf } from '../../signing/person-key.ts';
import { isProblem, orProblem } from '../../text/problem.ts';

interface Forgery {
  readonly level: 'ok' | 'note' | 'warn';
  readonly what: string;
  readonly fix?: string;
}

/** What it would take to decide in a person's name: nothing where no person decides anything. */
export async function findForgery(org: Org): Promise<Forgery[]> {
  const trunk = await trunkTip(org);
  const signers = (await decisionsNow(org)).signing?.signers ?? (await readSigners(org));
  if (signers === undefined) {
    const pinned = await pinBrief(org, trunk);
    if (pinned.charter === undefined) return [];
    const what =
      'decisions are not signed: anybody who can write to this repository can approve in your name, also an agent with --jail none';
    const fix =
      'name whose keys count, and commit it: echo "<id in ORG.md> $(cat ~/.ssh/id_ed25519.pub)" > allowed_signers';
    return [{ level: 'note', what, fix }];
  }
  const own = await orProblem(
    findPersonKey({ env: process.env, configured: await signingKeyOf(org.repo.root), isAttended: false }, signers),
  );
  if (isProblem(own)) return [{ level: 'note', what: own.message, fix: own.hint }];
  const said = `decisions are signed with ${own.from}`;
  const takes = {
    device: [{ level: 'ok', what: `${said}: a forged yes takes a touch of your device` }],
    agent: [
      {
        level: 'ok',
        what: `${said}: a forged yes takes your ssh-agent, which programs of your user can ask while it holds the key`,
        fix: 'let the agent ask you each time: ssh-add -c <key>',
      },
    ],
    passphrase: [{ level: 'ok', what: `${said}: a forged yes takes your passphrase` }],
    file: [
      {
        level: 'warn',
        what: `${said}, a key without a passphrase: a forged yes takes no more than to read that file, as an agent with --jail none can`,
        fix: 'ssh-keygen -p -f <key>, or a key in a device: ssh-keygen -t ed25519-sk',
      },
    ],
  } as const satisfies Record<string, readonly Forgery[]>;
  return [...takes[guardOf(own)]];
}
