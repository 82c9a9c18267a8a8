import type { NeedsYou } from '../../domain/rules/request.ts';
import { isWin } from '../../domain/words/experiment.ts';
import { reaches } from '../../domain/words/score.ts';
import { isOnBest } from '../../domain/words/taken.ts';
import type { NightStory } from '../facts/overview.ts';
import { countOf } from '../words/numbers.ts';

/** What a person might do after a night, and what to type. */
export function nextSteps(night: NightStory): readonly NeedsYou[] {
  const { best, baseline, experiments, target, direction } = night;
  const running = night.endedAt === undefined && !night.crashed;
  const last = night.taken.findLast(isOnBest);
  const won = experiments.findLast(isWin);
  const unscored = experiments.length > 0 && experiments.every(({ score }) => score === undefined);
  const reached = target !== undefined && best !== undefined && reaches(best.score, target, direction);
  return [
    ...((baseline === undefined && !running) || unscored
      ? [{ what: 'find out why nothing gets a score', command: 'orgrepo doctor' }]
      : []),
    ...(last === undefined
      ? []
      : [
          { what: `look at the last change on best, #${last.n}`, command: `orgrepo show ${last.n}` },
          { what: 'read all that is better now', command: 'git diff HEAD...orgrepo/best' },
        ]),
    ...(night.ready === undefined || night.ready === 0
      ? []
      : [
          {
            what: `land  ${countOf(night.ready, 'win on best is', 'wins on best are')} ready`,
            command: 'orgrepo land --dry-run',
          },
        ]),
    ...(reached ? [{ what: 'the target is reached: set a new one', command: '$EDITOR program.md' }] : []),
    ...(last === undefined &&
    baseline !== undefined &&
    experiments.length > 0 &&
    !experiments.some(({ waits }) => waits)
      ? [
          won === undefined
            ? { what: 'nothing won: say in the brief what else to try', command: '$EDITOR program.md' }
            : { what: `nothing was taken: look at the last win, #${won.n}`, command: `orgrepo show ${won.n}` },
        ]
      : []),
    { what: 'add an idea of your own', command: 'orgrepo submit "what to try"' },
    running
      ? { what: 'see how it stands', command: 'orgrepo status' }
      : { what: 'go on from here', command: 'orgrepo run' },
  ];
}
