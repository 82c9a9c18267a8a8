import { placeOfProgram } from '../../../agents/programs/program-place.ts';
import { auditOrg } from '../../../audit/audit.ts';
import { isAllowed } from '../../../domain/rules/act.ts';
import type { Sdlc } from '../../../domain/staff/charter.ts';
import { remoteOf } from '../../../git/persons-git.ts';
import {
  commitLanding,
  findLandBranch,
  landOnBranch,
  landOnTrunk,
  refuseEdited,
  signLanding,
} from '../../../land/commit-land.ts';
import { passGates, scoreLanding } from '../../../land/land-checks.ts';
import { formatLanded, formatLandPlan, landJson, landMessage, landStory } from '../../../land/land-page.ts';
import { type LandPolicy, openLandPolicy, refuseForeseen } from '../../../land/land-policy.ts';
import { type LandRules, landRules, standardSdlc } from '../../../land/land-rules.ts';
import { type Landing, planLanding } from '../../../land/plan-land.ts';
import { refuseUnsignedOrg } from '../../../org/force/endorse-org.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command, VerbCall } from '../../kit/command.ts';
import { experimentNumber } from '../../kit/find-experiment.ts';
import { agreesTo, flagOption, jailOption, textOption, yesOption } from '../../kit/options.ts';
import { withOrgToWrite } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'land',
  summary:
    'Brings the wins on best to your branch: one commit, measured again, on a branch of its own for you to merge.',
  arguments: ['[n...]'],
  options: {
    'dry-run': flagOption('measure and show it; write nothing'),
    ...yesOption(),
    branch: textOption('name', 'what to call the branch'),
    ...jailOption,
  },
  examples: ['orgrepo land --dry-run', 'orgrepo land', 'orgrepo land 3 7 --branch land/exact-fit'],
  run: (call) =>
    withOrgToWrite(call, async (org) => {
      const { charter } = await pinBrief(org, await trunkTip(org));
      const example = 'For example: orgrepo land 3 7. All that is on best: orgrepo land';
      const numbers = call.words.map((word) => experimentNumber(word, example));
      return landBy(call, org, charter?.charter.sdlc ?? standardSdlc, numbers);
    }),
};

/** Lands the wins on best by the rules of an org: looks, refuses, measures, asks, and only then writes, once. */
export async function landBy(call: VerbCall, org: Org, sdlc: Sdlc, numbers: readonly number[]): Promise<number> {
  const landing = await planLanding(org, numbers);
  if (landing === undefined) return sayNothing(call, 'there is nothing to land: your branch has all that is on best');
  const rules = rulesFor(sdlc, landing);
  const named = call.value('branch');
  const branch =
    rules.way === 'trunk' && named === undefined ? undefined : await findLandBranch(org, landing, sdlc, named);
  if (branch?.kind === 'holds-it') {
    const again = `To make it anew: git branch -D ${branch.name}, and land again.`;
    return sayNothing(call, `there is nothing new to land: ${branch.name} holds it already. ${again}`, branch.name);
  }
  refuseByRules(rules);
  if (branch === undefined) await refuseEdited(org, landing);
  await refuseUnsignedOrg(org, landing.trunk.tree); // Its policies decide about the landing.
  await refuseUnverified(org);
  const policy = await openLandPolicy(org, landing);
  try {
    return await landUnder(call, org, { landing, rules, branch, policy });
  } finally {
    await policy?.close();
  }
}

interface Wanted {
  readonly landing: Landing;
  readonly rules: LandRules;
  readonly branch: Awaited<ReturnType<typeof findLandBranch>> | undefined;
  readonly policy: LandPolicy | undefined;
}

async function landUnder(call: VerbCall, org: Org, { landing, rules, branch, policy }: Wanted): Promise<number> {
  const { signal } = new AbortController();
  const foreseen = await policy?.foresee();
  if (foreseen !== undefined && call.flag('dry-run')) refuseForeseen(foreseen);
  // Refused before anything is measured; a yes is kept until all else is settled, since it counts once.
  else if (foreseen !== undefined && !isAllowed(foreseen)) await policy?.decide();
  call.say(`measuring what would be landed, and ${landing.trunk.name} beside it …\n`);
  const score = await scoreLanding(org, landing, signal);
  const story = landStory(landing, rules, branch?.name, score, foreseen);
  if (!call.json) call.out(formatLandPlan(story, call.look));
  if (call.flag('dry-run')) {
    if (call.json) call.out(`${formatJson(landJson(story, undefined))}\n`);
    call.say(`do it: ${['orgrepo land', ...call.words].join(' ')}\n`);
    return 0;
  }
  const question = `Land it on ${story.to}?`;
  if (!(await agreesTo(call, 'it is landed only with your word', question, 'nothing was landed'))) return 0;
  await passGates(org, landing, rules.gates, ({ command }) => call.say(`must pass: ${command} …\n`), signal);
  const decided = await policy?.decide();
  const unsigned = await commitLanding(org, landing, score, landMessage(story), decided?.id);
  const commit = await signLanding(org, unsigned, call.mayAsk);
  if (branch === undefined) await landOnTrunk(org, commit, landing);
  else await landOnBranch(org, commit, branch.name);
  const end = { commit, next: await nextSteps(org, story) };
  call.answer(landJson(story, end), formatLanded(story, end, call.look));
  return 0;
}

function sayNothing(call: VerbCall, words: string, to?: string): number {
  call.answer({ schema: 'orgrepo/land@1', did: 'nothing', to, reason: words }, `${words}\n`);
  return 0;
}

const rulesFor = (sdlc: Sdlc, { trunk, files, kept }: Landing): LandRules =>
  landRules(sdlc, {
    trunk: trunk.name,
    lines: files.reduce((sum, { added, deleted }) => sum + (added ?? 0) + (deleted ?? 0), 0),
    kept,
  });

function refuseByRules({ refusals }: LandRules): void {
  const [first] = refusals;
  if (first === undefined) return;
  const message = refusals.map((one) => one.message).join('; and ');
  throw new Problem(first.code, `nothing is landed: ${message}`, refusals.map(({ hint }) => hint).join('\n'));
}

/** Nobody should build on what cannot be believed; what does not hold anywhere may be behind any of the scores. */
async function refuseUnverified(org: Org): Promise<void> {
  const [first, ...more] = (await auditOrg(org))?.findings ?? [];
  if (first === undefined) return;
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  throw new Problem(
    'integrity/history',
    `nothing is landed: ${first.where.slice(0, 10)} ${first.title} does not hold, ${first.what}${rest}`,
    'See all of it: orgrepo verify',
  );
}

/** What a person types to bring it further; nothing of it is done for them. */
async function nextSteps(org: Org, { way, to, trunk }: ReturnType<typeof landStory>): Promise<readonly string[]> {
  const remote = await remoteOf(org.repo.root, trunk);
  if (way === 'trunk') return remote === undefined ? ['git show'] : ['git show', `git push ${remote} ${trunk}`];
  if (remote === undefined) return [`git show ${to}`, `git merge --ff-only ${to}`];
  const request = placeOfProgram('gh') === undefined ? [] : [`gh pr create --base ${trunk} --head ${to} --fill`];
  return [`git push -u ${remote} ${to}`, ...request];
}
