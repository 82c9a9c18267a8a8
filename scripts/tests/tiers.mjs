// The tests that `npm test` leaves to `npm run test:all`: each of them tries the same promise in many ways, or needs programs that
// are not part of the project. They run on disk, as a night does; all others run in memory where there is room.
const campaigns = [
  'test/agents/programs.test.ts',
  'test/agents/real-programs.test.ts',
  'test/attacks/',
  'test/cheats.test.ts',
  'test/cheats-models.test.ts',
  'test/commands/attack.test.ts',
  'test/commands/attack-templates.test.ts',
  'test/commands/compare.test.ts',
  'test/commands/unwritable.test.ts',
  'test/domain/compare.test.ts',
  'test/examples.test.ts',
  'test/faults/',
  'test/jail/ideas.test.ts',
  'test/git/packing-races.test.ts',
  'test/jail/survivors.test.ts',
  'test/kill/',
  'test/mutations/',
  'test/records/spend-kill.test.ts',
  'test/steps/caps-of-night.test.ts',
  'test/steps/disturbed.test.ts',
  'test/steps/full-night.test.ts',
  'test/steps/large-output.test.ts',
  'test/steps/noise.test.ts',
  'test/steps/power-failure.test.ts',
  'test/steps/secrets.test.ts',
  'test/steps/two-clones.test.ts',
  'test/template-nights.test.ts',
  'test/templates.test.ts',
  'test/text/mutation.test.ts',
  'test/text/org-refusals.test.ts',
  'test/text/org-round-trip.test.ts',
];

export const isCampaign = (file) => campaigns.some((place) => file === place || file.startsWith(place));

/** The longest first, so that none of them is alone at the end; of all others what the last run took counts. */
const longest = [
  'test/attacks/resource-exhaustion.test.ts',
  'test/agents/programs.test.ts',
  'test/cheats.test.ts',
  'test/steps/caps-of-night.test.ts',
  'test/records/spend-kill.test.ts',
  'test/commands/attack.test.ts',
  'test/examples.test.ts',
  'test/steps/busy.test.ts',
  'test/steps/reviews.test.ts',
  'test/commands/land.test.ts',
  'test/steps/person-bench.test.ts',
  'test/steps/tool-servers.test.ts',
  'test/steps/ack.test.ts',
];

/** More is earlier; 0 for those that are not known to be long. */
export const lengthOf = (file) => longest.length - (longest.includes(file) ? longest.indexOf(file) : longest.length);
