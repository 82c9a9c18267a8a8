/** Something that only a person can do, and what to type. */
export interface NeedsYou {
  readonly what: string;
  readonly command: string;
}
