// What people do on this device. Every change notes when it was made, in the form in which it travels: `at` is text.

export function add(store, { id, project, title, at }) {
  store.set(id, { id, project, title, at, archived: false, deleted: false });
}

export const rename = (store, id, title, at) => change(store, id, { title, at });
export const archive = (store, id, at) => change(store, id, { archived: true, at });
export const restore = (store, id, at) => change(store, id, { archived: false, at });
export const remove = (store, id, at) => change(store, id, { deleted: true, at });

function change(store, id, fields) {
  Object.assign(store.get(id), fields);
}
