/**
 * How what others wrote is told to a model: between marks that nobody who wrote it can have known, so that nothing has to be
 * changed in it. A file must be told as it is, or it could not be edited.
 */
export interface Quotation {
  /** `data-3f9a0c…`. */
  readonly mark: string;
  quote(text: string): string;
}

/** With the letters and digits of a task. */
export function quotationWith(letters: string): Quotation {
  const mark = `data-${letters}`;
  // Only who has heard the mark can say it: a model that was talked into handing it on.
  return { mark, quote: (text) => `<${mark}>\n${text.replaceAll(mark, 'data')}\n</${mark}>` };
}
