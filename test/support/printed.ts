/** A value as a program reads it: JSON leaves out what is not known. */
export const printed = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
