import { endOfLife } from '../../agents/choose-agent.ts';
import { everybodyIn } from '../../domain/staff/staff.ts';
import type { Brief } from '../../domain/words/brief.ts';
import { formatModelId } from '../../domain/words/model-id.ts';
import { Problem } from '../../text/problem.ts';

/** Models that will be gone on a day that is known: a night after it would come to nothing. Each is told once. */
export async function agingModels({ staff }: Brief): Promise<Problem[]> {
  const asked = everybodyIn(staff).flatMap((choice) => (choice.kind === 'api' ? [choice] : []));
  const models = new Map(asked.map((choice) => [`${formatModelId(choice.model)} ${choice.baseUrl}`, choice]));
  const told = await Promise.all(
    [...models.values()].map(async (choice) => {
      const end = await endOfLife(choice);
      const what = `model ${formatModelId(choice.model)} reaches its end of life on ${end}`;
      return end === undefined ? [] : [new Problem('brief/value', what, 'Name a newer one that is pinned.')];
    }),
  );
  return told.flat();
}
