// What a device knows of its team's tickets.

export const makeStore = () => new Map();

/** The tickets of a project that somebody still has to do something about, by their numbers. */
export function openTickets(store, project) {
  return [...store.values()]
    .filter((ticket) => ticket.project === project && !ticket.archived && !ticket.deleted)
    .sort((a, b) => a.id - b.id);
}

/** How many there are of them. */
export function countOpen(store, project) {
  return [...store.values()].filter((ticket) => ticket.project === project && !ticket.archived).length;
}
