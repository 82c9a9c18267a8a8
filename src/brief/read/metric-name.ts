/** A name that the harness prints and records hold as a key; names that every object has already are none. */
export const isMetricName = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(name) && !(name in Object.prototype);
