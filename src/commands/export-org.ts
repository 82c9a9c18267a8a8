import { pinBrief } from '../records/brief.ts';
import { orgTextsAt } from '../records/charter.ts';
import { readEntry } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { membersSpawned, withMembers } from '../records/spawned.ts';
import { exportOrg } from '../text/org-export.ts';
import { formatCharter } from '../text/org-format.ts';
import { Problem } from '../text/problem.ts';

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
