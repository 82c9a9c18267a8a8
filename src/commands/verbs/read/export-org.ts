import { orgTextsAt } from '../../../org/force/charter-at.ts';
import { pinBrief } from '../../../org/force/pin-brief.ts';
import { membersSpawned, withMembers } from '../../../org/force/spawned.ts';
import { exportOrg } from '../../../org/write/org-export.ts';
import { formatCharter } from '../../../org/write/org-format-chart.ts';
import { readEntry } from '../../../records/entry.ts';
import { type Org, trunkTip } from '../../../records/org.ts';
import { Problem } from '../../../text/problem.ts';

export interface OrgExport {
  readonly text: string;
  /** ORG.md as it is committed; undefined where the org stands in org.yaml alone. */
  readonly committed: string | undefined;
}

/** ORG.md of the trunk with the org as it is: whoever was spawned is in it, and every byte that need not change stays. */
export async function exportOrgFile(org: Org): Promise<OrgExport> {
  const trunk = await trunkTip(org);
  const { charter: reading } = await pinBrief(org, trunk);
  if (reading === undefined)
    throw new Problem(
      'file/missing',
      'there is no ORG.md and no org.yaml in the last commit',
      'Write one, and commit it: docs/org.md has one of ten lines.',
    );
  const { charter } = reading;
  const { members } = withMembers(charter, await membersSpawned(org));
  const { orgMd } = await orgTextsAt(org, (await readEntry(org, trunk))?.commit.tree ?? '');
  if (orgMd === undefined) return { text: formatCharter({ ...charter, members }), committed: undefined };
  return {
    text: members.length === charter.members.length ? orgMd : exportOrg(orgMd, charter, { members }),
    committed: orgMd,
  };
}
