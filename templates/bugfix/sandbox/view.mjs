// What is on the screen.
import { countOpen, openTickets } from './store.mjs';

/** A line for each open ticket of a project. */
export const board = (store, project) => openTickets(store, project).map(({ id, title }) => `T-${id} ${title}`);

/** The number on the project's tab. */
export const badge = (store, project) => countOpen(store, project);
