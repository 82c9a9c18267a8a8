import {
  type ActRequest,
  coveredBy,
  lackingOf,
  mayApprove,
  type Request,
  speakerIn,
} from '../../../domain/rules/request.ts';
import type { Person } from '../../../domain/staff/charter.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { answerRequest, readRequests } from '../../../records/requests/requests.ts';
import { formatJson } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { VerbCall } from '../../kit/command.ts';

/** `A3`: an act that waits for a person. */
export const isRequestId = (word: string): boolean => /^a[0-9]{1,9}$/i.test(word);

/** A person's word on an act that waits for it. It names the act, holds for a day, and lets it pass once. */
export async function decideRequest(org: Org, call: VerbCall, name: 'approve' | 'deny', word: string): Promise<number> {
  refuseAgents(await org.person());
  const request = await findRequest(org, word.toUpperCase());
  const { id, words } = request.asked;
  refuseSettled(request);
  const reason = oneLine(call.value('reason') ?? call.value('note') ?? '');
  if (name === 'deny' && reason === '')
    throw new Problem('usage/option', `why is ${id} denied?`, `For example: npx orgrepo deny ${id} --reason "not now"`);
  const { by, as } = await speaker(org, request.asked, call.value('as'));
  await answerRequest(org, request, { approves: name === 'approve', as, by, reason });
  const did = name === 'approve' ? 'approved' : 'denied';
  if (call.json) call.out(`${formatJson({ schema: 'orgrepo/steer@1', did: name, request: id, by, as })}\n`);
  else call.out(`${did}: ${id} ${words}\n`);
  const lacks = lackingOf(await findRequest(org, id)); // With what others have said before, or just now.
  if (name === 'approve')
    call.say(
      lacks.length > 0
        ? `It waits for ${lacks.join(' and ')} as well.\n`
        : 'It counts once, for this very act, within 24 hours.\n',
    );
  return 0;
}

/** What waits, the oldest first. */
export async function listRequests(org: Org, call: VerbCall): Promise<number> {
  const waiting = (await readRequests(org, Date.now() / 1000)).filter(({ stage }) => stage.kind === 'waits');
  if (call.json) {
    call.out(
      `${formatJson({ schema: 'orgrepo/requests@1', waiting: waiting.map((one) => ({ ...one.asked, lacks: lackingOf(one) })) })}\n`,
    );
    return 0;
  }
  for (const request of waiting) {
    const { asked } = request;
    const lacks = lackingOf(request);
    const needs = lacks.length === 0 ? '' : `; needs ${lacks.join(' and ')}`;
    call.out(`${asked.id}  ${asked.words}: ${asked.reason}${needs}; until ${utc(asked.until)}\n`);
  }
  if (waiting.length === 0) call.say('nothing waits for you here. Changes that do: npx orgrepo status\n');
  return 0;
}

/** An agent that found its way to a shell has the run's own name for it in its environment. */
export function refuseAgents({ email }: { readonly email: string }): void {
  const agent = process.env.ORGREPO_AGENT ?? (email.endsWith('@agents.invalid') ? email : undefined);
  if (agent === undefined) return;
  throw new Problem('org/approval', `${agent} is an agent, and only people approve`, 'Ask a person of the org.');
}

async function findRequest(org: Org, id: string): Promise<Request> {
  const all = await readRequests(org, Date.now() / 1000);
  const found = all.find(({ asked }) => asked.id === id);
  if (found !== undefined) return found;
  throw new Problem('usage/argument', `there is no request ${id}`, 'See what waits: npx orgrepo approve');
}

function refuseSettled({ asked, stage }: Request): void {
  if (stage.kind === 'waits' || stage.kind === 'approved') return;
  const what = {
    denied: 'was denied',
    used: 'was approved, and is done',
    expired: 'has expired: nobody answered in time',
  };
  throw new Problem('usage/argument', `${asked.id} ${what[stage.kind]}`, 'See what waits: npx orgrepo approve');
}

/** Whose word it is, and for which of the names it counts. */
async function speaker(
  org: Org,
  asked: ActRequest,
  as: string | undefined,
): Promise<{ by: string; as: readonly string[] }> {
  const git = await org.person();
  const people = await peopleOf(org);
  if (people.length === 0) return { by: git.name, as: asked.by.length === 0 ? [git.name] : asked.by };
  const person = speakerIn(people, { as, ...git });
  const covered = person === undefined ? [] : coveredBy(person, asked);
  if (person !== undefined && covered.length > 0) return { by: person.id, as: covered };
  const who = person?.id ?? as ?? git.name;
  const may = mayApprove(people, asked);
  throw new Problem(
    'org/approval',
    `${who} may not approve ${asked.id}: ${asked.words}`,
    may.length === 0
      ? `Nobody of the org approves ${asked.by.join(' and ') || asked.act}: name somebody in ORG.md.`
      : `It is for ${may.join(' or ')}: npx orgrepo approve ${asked.id} --as ${may[0]}`,
  );
}

const peopleOf = async (org: Org): Promise<readonly Person[]> =>
  (await pinBrief(org, await trunkTip(org))).charter?.charter.people ?? [];

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const utc = (at: number): string => `${new Date(at * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
