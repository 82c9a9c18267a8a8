// The mail on Monday: how many tickets are open in each project, largest first.
import { countOpen } from './store.mjs';

export function digest(store) {
  const projects = [...new Set([...store.values()].map(({ project }) => project))];
  return projects
    .map((project) => ({ project, open: countOpen(store, project) }))
    .filter(({ open }) => open > 0)
    .sort((a, b) => b.open - a.open || (a.project < b.project ? -1 : 1))
    .map(({ project, open }) => `${project}: ${open}`);
}
