import { type Audit, auditOrg } from '../../../audit/audit.ts';
import { askWitness, type Witnessed } from '../../../audit/witness.ts';
import { signingKeyOf } from '../../../git/persons-git.ts';
import { checkpointsRef } from '../../../git/refs/ref-names.ts';
import { type CheckpointId, newestCheckpointId } from '../../../records/checkpoint-id.ts';
import { countersignNamespace, writeCheckpoint } from '../../../records/checkpoints.ts';
import type { Org } from '../../../records/org.ts';
import { decisionsNow } from '../../../records/requests/requests.ts';
import { readSigners, signInName } from '../../../records/signers.ts';
import { checkpointWords, countOf } from '../../../report/words/numbers.ts';
import { type Look, spell } from '../../../terminal/look.ts';
import { visible } from '../../../terminal/visible.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { flagOption, textOption } from '../../kit/options.ts';
import { refuseAgents } from '../../kit/person-who-may.ts';
import { withOrg, withOrgToWrite } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'verify',
  summary:
    'Recomputes the whole history from git alone, without running a candidate; exit 5 when something does not hold.',
  options: {
    witness: textOption('remote', 'also compare the checkpoints with those of a remote that nobody can rewrite'),
    sign: flagOption('where everything holds, sign a checkpoint with your own key (allowed_signers)'),
  },
  examples: ['orgrepo verify', 'orgrepo verify --witness archive'],
  run: (call) =>
    (call.flag('sign') ? withOrgToWrite : withOrg)(call, async (org) => {
      const audit = await auditOrg(org);
      if (audit === undefined) call.say('nothing has run here: there is nothing to verify\n');
      const remote = call.value('witness');
      const witnessed = remote === undefined ? undefined : await askWitness(org, remote, call.mayAsk);
      const recomputed = audit ?? { findings: [], experiments: 0, keeps: 0, commits: 0, objects: 0 };
      const found = [...recomputed.findings, ...(witnessed?.findings ?? [])];
      const toSign = found.filter(({ isToSign }) => isToSign && call.flag('sign'));
      const verified = { ...recomputed, findings: found.filter((one) => !toSign.includes(one)) };
      const checkpoint = await newestCheckpointId(org);
      call.answer(verifiedJson(verified, witnessed, checkpoint), formatVerified(verified, witnessed, call.look));
      if (checkpoint !== undefined && verified.findings.length === 0)
        call.say(`The newest checkpoint is ${checkpointWords(checkpoint)}, the same for all who have this history.\n`);
      if (verified.findings.length > 0) return 5;
      if (call.flag('sign')) {
        await refuseAgents(org);
        for (const { title, found: machine } of toSign)
          call.say(`You name ${machine}, which signed ${shown(title)}.\n`);
        await countersign(org, call);
      }
      return 0;
    }),
};

function formatVerified(verified: Audit, witnessed: Witnessed | undefined, look: Look): string {
  const [first, ...more] = verified.findings;
  const agreed = witnessed === undefined ? '' : `; ${witnessed.remote} agrees up to checkpoint ${witnessed.number}`;
  if (first === undefined) return `${countsIn(verified)}: ${look.paint.green('everything holds')}${agreed}\n`;
  const where = /^[0-9a-f]{40,64}$/.test(first.where) ? first.where.slice(0, 10) : first.where;
  const lines = [
    `${look.paint.red('does not hold')}  ${shown(`${where} ${first.title}`)}`,
    `  ${shown(first.what)}`,
    `  expected  ${shown(first.expected)}`,
    `  found     ${shown(first.found)}`,
    ...(more.length === 0 ? [] : [look.typed(`and ${more.length} more: orgrepo verify --json`)]),
  ];
  return spell(`${lines.join('\n')}\n`, look);
}

/** A checkpoint that a person has signed too is worth most: nobody else can make another one in its place. */
async function countersign(org: Org, call: VerbCall): Promise<void> {
  const side = { env: process.env, configured: await signingKeyOf(org.repo.root), isAttended: call.mayAsk };
  // An unsigned change on the branch lets nobody sign.
  const signers = (await decisionsNow(org)).signing?.signers ?? (await readSigners(org));
  let by = '';
  const commit = await writeCheckpoint(org, 'verified by a person', async (text) => {
    const signed = await signInName(signers, text, countersignNamespace, side);
    by = signed.by;
    return signed;
  });
  call.say(
    `${by} has signed checkpoint ${commit.slice(0, 7)}. Give it to a witness: git push <remote> ${checkpointsRef}\n`,
  );
}

/** A person who rewrites a commit may write anything into it. */
const shown = (text: string): string => visible(text.slice(0, 500));

const verifiedJson = (
  verified: Audit,
  witnessed: Witnessed | undefined,
  checkpoint: CheckpointId | undefined,
): Record<string, unknown> => ({
  schema: 'orgrepo/verify@1',
  holds: verified.findings.length === 0,
  ...verified,
  checkpoint,
  ...(witnessed && { witness: { remote: witnessed.remote, number: witnessed.number } }),
  findings: verified.findings.map(({ at: _, isToSign: __, ...finding }) => finding),
});

/** `300 experiments, 61 keep verdicts, 1,204 commits, 3,911 objects` */
function countsIn({ experiments, keeps, commits, objects }: Audit): string {
  const counted = { experiment: experiments, 'keep verdict': keeps, commit: commits, object: objects };
  return Object.entries(counted)
    .map(([word, count]) => countOf(count, word).replace(/^\d+/, inThousands))
    .join(', ');
}

const inThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');
