// What is on the screen when everything is as it should be: the rules of program.md, written by other hands than the
// sandbox's code. Only stage 2 finds this file.

export function rightAnswer({ steps, asks: [screen, project] }) {
  const tickets = new Map();
  for (const step of steps) play(tickets, step);
  const open = [...tickets.values()].filter(({ archived, deleted }) => !archived && !deleted);
  const own = open.filter((ticket) => ticket.project === project).sort((a, b) => a.id - b.id);
  if (screen === 'board') return own.map(({ id, title }) => `T-${id} ${title}`);
  if (screen === 'badge') return own.length;
  return own.length === 0 ? [] : [`${project}: ${own.length}`]; // Histories are of one project.
}

function play(tickets, [verb, ...rest]) {
  if (verb === 'add') tickets.set(rest[0].id, { archived: false, deleted: false, ...rest[0] });
  else if (verb === 'merge') {
    const [theirs] = rest;
    const ours = tickets.get(theirs.id);
    if (ours === undefined || Number(theirs.at) > Number(ours.at)) tickets.set(theirs.id, { ...theirs });
  } else {
    const [id, at] = rest;
    const change = { archive: { archived: true }, restore: { archived: false }, remove: { deleted: true } }[verb];
    tickets.set(id, { ...tickets.get(id), ...change, at });
  }
}
