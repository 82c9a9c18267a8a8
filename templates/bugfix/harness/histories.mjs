// What is played to the sandbox's code: histories of a few tickets on one device, drawn anew from the seed of each
// measurement, so that none can be learnt by heart. What the right answers are is known to stage 2 alone.

/** Fourteen kinds of history, each with several draws: `{ kind, steps, asks }`. */
export function drawHistories(seed) {
  const draw = drawsFrom(Number(seed));
  return Object.keys(kinds).flatMap((kind) => Array.from({ length: 8 }, () => ({ kind, ...kinds[kind](draw) })));
}

const projects = ['apollo', 'gemini', 'vostok'];
const verbs = ['paint', 'mend', 'order', 'measure', 'clean', 'ask about'];
const things = ['the door', 'the stairs', 'the lamp', 'the roof', 'the letters', 'the well'];

/** Three tickets of one project at times of four digits, and what is asked of them in the end. */
function begin(draw, asks = 'board') {
  const project = draw.of(projects);
  const base = 2000 + draw.below(6000);
  const tickets = [1, 2, 3].map((step) => ({
    id: step * 100 + draw.below(99),
    project,
    title: draw.title(),
    at: base + draw.below(500),
  }));
  const steps = tickets.map((ticket) => ['add', { ...ticket, at: String(ticket.at) }]);
  return { tickets, steps, one: draw.of(tickets), asks: [asks, project], later: base + 600 + draw.below(900) };
}

const remote = (ticket, fields) => [
  'merge',
  { archived: false, deleted: false, ...ticket, ...fields, at: String(fields.at ?? ticket.at) },
];

const and = ({ steps, asks }, ...more) => ({ steps: [...steps, ...more], asks });

const kinds = {
  added: (draw) => and(begin(draw)),
  archivedHere: (draw) => here(begin(draw), 'archive'),
  removedHere: (draw) => here(begin(draw), 'remove'),
  arrived: (draw) =>
    elsewhere(begin(draw), (story) => ({ id: 900 + draw.below(90), title: draw.title(), at: story.later })),
  renamedLater: (draw) => elsewhere(begin(draw), ({ later }) => ({ title: draw.title(), at: later })),
  renamedEarlier: (draw) =>
    elsewhere(begin(draw), ({ one }) => ({ title: draw.title(), at: one.at - 1 - draw.below(400) })),
  renamedAtOnce: (draw) => elsewhere(begin(draw), ({ one }) => ({ title: draw.title(), at: one.at })),
  archivedThere: (draw) => elsewhere(begin(draw), ({ later }) => ({ archived: true, at: later })),
  restoredThere: (draw) => {
    const story = begin(draw);
    return and(story, ['archive', story.one.id, String(story.later)], remote(story.one, { at: story.later + 5 }));
  },
  removedThere: (draw) => elsewhere(begin(draw), ({ later }) => ({ deleted: true, at: later })),
  longTimeAfter: (draw) => elsewhere(begin(draw), () => ({ title: draw.title(), at: 10_000 + draw.below(900) })),
  longTimeBefore: (draw) => elsewhere(begin(draw), () => ({ title: draw.title(), at: 990 + draw.below(9) })),
  counted: (draw) => here(begin(draw, 'badge'), 'remove'),
  mailed: (draw) => here(begin(draw, 'digest'), 'remove'),
};

function here(story, verb) {
  return and(story, [verb, story.one.id, String(story.later)]);
}

function elsewhere(story, change) {
  return and(story, remote(story.one, change(story)));
}

function drawsFrom(start) {
  let state = start | 0;
  const below = (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
  const of = (list) => list[below(list.length)];
  let last = '';
  const title = () => {
    const next = `${of(verbs)} ${of(things)}`;
    last = next === last ? `${next} again` : next; // A new name is another one.
    return last;
  };
  return { below, of, title };
}
