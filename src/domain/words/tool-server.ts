/** A server of tools (MCP) that a brief gives to some of its models, by name. */
export interface ToolServer {
  readonly name: string;
  readonly reach: ServerReach;
  /** The variable that holds its key. */
  readonly key: string | undefined;
  /** The tools of it that may be used; undefined for all that it has. */
  readonly tools: readonly string[] | undefined;
  /** How long a call may take, and how much of its result a model is told. */
  readonly deadlineMs: number;
  readonly mostBytes: number;
}

export type ServerReach =
  /** A program that is started for every attempt, and speaks on its stdin and stdout. */
  | { readonly kind: 'command'; readonly command: string; readonly network: boolean }
  | { readonly kind: 'url'; readonly url: string };

export const serverDefaults = { deadlineMs: 30_000, mostBytes: 64_000 };
