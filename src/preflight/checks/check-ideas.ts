import { chiefFindsIdeasIn } from '../../agents/choose-agent.ts';
import { type PinnedBrief, problemInBrief } from '../../org/force/pin-brief.ts';
import type { Org } from '../../records/org.ts';
import { readQueue } from '../../records/queue/queue.ts';
import { contentOf, entriesOfZones, zonesOf } from '../../score/arena/zone-files.ts';
import type { Problem } from '../../text/problem.ts';
import { importSpecs, type TrunkSpec } from '../trunk-specs.ts';

/** A night of a person's own agents that nobody has given anything to do: it would end before it began. */
export async function missingIdeas(
  org: Org,
  tree: string,
  pinned: PinnedBrief,
  specs: readonly TrunkSpec[],
): Promise<Problem[]> {
  const { chief, juniors } = pinned.brief.staff;
  const waits = chief.kind === 'human' || (chief.kind === 'search' && juniors.every(({ kind }) => kind !== 'search'));
  if (!waits || (await hasOpenSpecs(org, specs))) return [];
  if (chief.kind === 'human') {
    const hint = 'Say what to try: npx orgrepo submit "what to try", or a file in specs/.';
    return [
      await problemInBrief(
        org,
        pinned,
        'spec/missing',
        ['chief', 'agent'],
        'no spec is open, and the chief is a person',
        hint,
      ),
    ];
  }
  const zones = zonesOf(pinned.brief);
  for (const [path, { oid, mode }] of await entriesOfZones(org.repo, tree, zones)) {
    const mayChange = zones.sandbox.names(path) && mode.startsWith('100');
    if (mayChange && chiefFindsIdeasIn(path, await contentOf(org.repo, oid))) return [];
  }
  const what = 'no spec is open, and the chief finds no number or choice in the sandbox to write one about';
  const hint = 'Say what to try, or the night ends at once: npx orgrepo submit "what to try", or a file in specs/.';
  return [await problemInBrief(org, pinned, 'spec/missing', ['agent'], what, hint)];
}

/** On the queue, or on the trunk and still to be put there. */
async function hasOpenSpecs(org: Org, specs: readonly TrunkSpec[]): Promise<boolean> {
  const queue = await readQueue(org);
  if (queue === undefined) return specs.length > 0;
  return queue.specs.length > 0 || (await importSpecs(org, queue, specs)).added.length > 0;
}
