import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatStatement, type Statement } from '../src/domain/rules/statement.ts';
import { anOrgId, endorseOrg } from '../src/org/force/endorse-org.ts';
import { writeCheckpoint } from '../src/records/checkpoints.ts';
import { type Org, openOrg, trunkTip } from '../src/records/org.ts';
import { answerAct, askPeople, decisionsNow, readActs } from '../src/records/requests/requests.ts';
import { readSshKey } from '../src/signing/ssh-key.ts';
import { signText } from '../src/signing/ssh-signature.ts';
import { wireString } from '../src/signing/ssh-wire.ts';
import { type BenchRepository, makeRepository } from './repository.ts';

const middleOf = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;

/** Seconds of an `approve`, unsigned and signed by a key in a file, in alternating pairs. */
export async function measureSigning(pairs: number): Promise<{ readonly unsigned: number; readonly signed: number }> {
  const repositories = [makeRepository({ files: 20 }), makeRepository({ files: 20 })] as const;
  const [plain, signing] = repositories;
  const key = path.join(signing.dir, '.git/key');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key]);
  commitSigners(signing, `ada ${execFileSync('cat', [`${key}.pub`], { encoding: 'utf8' })}`);
  signing.git('config', 'user.signingkey', key);
  for (const one of repositories) await withOrgOf(one, (org) => askFor(org, pairs + 1));
  for (const one of repositories) one.orgrepo('approve', `A${pairs + 1}`); // The first one puts the signers into force.
  const times = Array.from({ length: pairs }, (_, n) => ({
    unsigned: plain.orgrepo('approve', `A${n + 1}`).seconds,
    signed: signing.orgrepo('approve', `A${n + 1}`).seconds,
  }));
  for (const one of repositories) one.remove();
  return {
    unsigned: middleOf(times.map(({ unsigned }) => unsigned)),
    signed: middleOf(times.map(({ signed }) => signed)),
  };
}

/** Seconds to judge so many signed decisions, as `verify` and the first look of a run do. */
export async function measureStatements(count: number): Promise<number> {
  const repository = makeRepository({ files: 20 });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const blob = Buffer.concat([wireString('ssh-ed25519'), wireString(point)]);
  const read = readSshKey(blob);
  const fingerprint = typeof read === 'string' ? '' : read.fingerprint;
  commitSigners(repository, `ada ssh-ed25519 ${blob.toString('base64')}\n`);
  await withOrgOf(repository, async (org) => {
    await endorseOrg(org, await trunkTip(org), 'ada');
    await askFor(org, count);
    const now = Date.now() / 1000;
    const { asked } = await decisionsNow(org);
    for (const request of await readActs(org, now)) {
      const subject = asked.get(request.id);
      if (subject === undefined) continue;
      const { id, ask, act, agents } = subject;
      const statement: Statement = {
        ...{ org: await anOrgId(org), kind: 'approve', about: [{ id, ask, act, agents }], policies: undefined },
        ...{ rights: undefined, machine: undefined, by: 'ada', until: Math.ceil(now) + 86_400, note: '' },
      };
      const signature = signText(formatStatement(statement), 'orgrepo-approval@1', privateKey, blob);
      const said = { approves: true, as: ['ada'], by: 'ada', reason: '' };
      await answerAct(org, request, said, { statement, signature, fingerprint });
    }
  });
  const seconds = await withOrgOf(repository, async (org) => {
    const begun = performance.now();
    const approved = (await readActs(org, Date.now() / 1000)).filter(({ stage }) => stage.kind === 'approved');
    if (approved.length !== count) throw new Error(`${approved.length} of ${count} statements count`);
    return (performance.now() - begun) / 1000;
  });
  repository.remove();
  return seconds;
}

/** Seconds of a checkpoint of an org that has run once. */
export async function measureCheckpoint(rounds: number): Promise<number> {
  const repository = makeRepository({ files: 20 });
  repository.orgrepo('run', '--max', '1');
  const seconds = await withOrgOf(repository, async (org) => {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const begun = performance.now();
      await writeCheckpoint(org, 'measured');
      times.push((performance.now() - begun) / 1000);
    }
    return middleOf(times);
  });
  repository.remove();
  return seconds;
}

function commitSigners(repository: BenchRepository, text: string): void {
  writeFileSync(path.join(repository.dir, 'allowed_signers'), text);
  repository.git('add', 'allowed_signers');
  repository.git('commit', '--quiet', '-m', 'ada signs');
}

async function askFor(org: Org, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const draft = {
      key: `${n}`.padStart(40, '0'),
      agent: 'junior-1',
      act: 'spend',
      words: `act ${n}`,
      reason: 'a limit',
    };
    await askPeople(org, { ...draft, by: [], usd: undefined, decision: undefined }, Date.now() / 1000);
  }
}

async function withOrgOf<T>(repository: BenchRepository, work: (org: Org) => Promise<T>): Promise<T> {
  const org = await openOrg(repository.dir);
  try {
    return await work(org);
  } finally {
    await org.repo.close();
  }
}
