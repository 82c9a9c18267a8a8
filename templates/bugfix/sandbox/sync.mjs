// What other devices did: their tickets arrive whole, as they are there.

/** Takes a ticket of another device over when it was changed later than ours. */
export function merge(store, theirs) {
  const ours = store.get(theirs.id);
  if (ours === undefined) {
    store.set(theirs.id, { ...theirs });
    return;
  }
  if (theirs.at > ours.at) {
    ours.title = theirs.title;
    ours.at = theirs.at;
  }
}
