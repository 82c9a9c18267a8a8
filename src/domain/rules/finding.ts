/** Something that the org's history does not hold up: where, what it should be, and what it is. */
export interface AuditFinding {
  /** The commit that does not hold, or the object, or the ref when it is not about a commit. */
  readonly where: string;
  /** What it calls itself: the commit's title. */
  readonly title: string;
  /** When it was written, in seconds since 1970: findings are told in that order. */
  readonly at: number;
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

export const oldestFirst = (findings: readonly AuditFinding[]): AuditFinding[] =>
  [...findings].sort((a, b) => a.at - b.at);
