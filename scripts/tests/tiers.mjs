// The tests that `npm test` leaves to `npm run test:all`: each of them tries the same promise in many ways, or needs programs that
// are not part of the project. They run on disk, as a night does; all others run in memory where there is room.
const campaigns = [
  'test/agents/programs.test.ts',
  'test/agents/real-acp.test.ts',
  'test/agents/real-programs.test.ts',
  'test/agents/real-servers.test.ts',
  'test/attacks/',
  'test/contract/nights.test.ts',
  'test/examples/cheats.test.ts',
  'test/examples/cheats-models.test.ts',
  'test/attack/attack.test.ts',
  'test/attack/attack-templates.test.ts',
  'test/compare/compare.test.ts',
  'test/commands/unwritable.test.ts',
  'test/compare/comparison.test.ts',
  'test/examples/examples.test.ts',
  'test/faults/',
  'test/house.test.ts',
  'test/jail/ideas.test.ts',
  'test/git/packing-races.test.ts',
  'test/jail/survivors.test.ts',
  'test/kill/',
  'test/mutations/',
  'test/spend/spend-kill.test.ts',
  'test/spend/caps-of-night.test.ts',
  'test/score/disturbed.test.ts',
  'test/nights/attempt/full-night.test.ts',
  'test/score/large-output.test.ts',
  'test/score/noise.test.ts',
  'test/nights/recover/power-failure.test.ts',
  'test/nights/recover/adopt-hostile.test.ts',
  'test/nights/recover/lost-refs.test.ts',
  'test/agents/unruly.test.ts',
  'test/agents/slow-servers.test.ts',
  'test/nights/attempt/bad-agents.test.ts',
  'test/nights/attempt/secrets-night.test.ts',
  'test/nights/recover/two-clones.test.ts',
  'test/examples/template-nights.test.ts',
  'test/examples/templates.test.ts',
  'test/text/mutation.test.ts',
  'test/org/org-refusals.test.ts',
  'test/org/org-round-trip.test.ts',
];

export const isCampaign = (file) => campaigns.some((place) => file === place || file.startsWith(place));

/** The longest first, so that none of them is alone at the end; of all others what the last run took counts. */
const longest = [
  'test/attacks/resource-exhaustion.test.ts',
  'test/agents/real-programs.test.ts',
  'test/agents/programs.test.ts',
  'test/agents/real-acp.test.ts',
  'test/contract/nights.test.ts',
  'test/examples/cheats.test.ts',
  'test/spend/caps-of-night.test.ts',
  'test/spend/spend-kill.test.ts',
  'test/attack/attack.test.ts',
  'test/examples/examples.test.ts',
  'test/agents/busy.test.ts',
  'test/nights/people/reviews.test.ts',
  'test/land/land.test.ts',
  'test/nights/people/person-bench.test.ts',
  'test/agents/tool-servers.test.ts',
  'test/nights/people/ack.test.ts',
];

/** More is earlier; 0 for those that are not known to be long. */
export const lengthOf = (file) => longest.length - (longest.includes(file) ? longest.indexOf(file) : longest.length);
