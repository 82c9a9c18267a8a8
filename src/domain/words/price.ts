/** What a person says that a model costs, in dollars for a million tokens. What is left out of the caches costs as much as the rest. */
export interface OwnPrice {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number | undefined;
  readonly cache_write?: number | undefined;
}
