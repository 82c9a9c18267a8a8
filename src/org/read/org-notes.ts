import type { Place, Problem } from '../../text/problem.ts';

/** Where what cannot be refused, and should not be passed over, is told while a file is read. */
export interface OrgNotes {
  readonly file: string;
  readonly warn: (problem: Problem) => void;
}

/** A text of the file's, and where it stands. */
export interface PlacedText {
  readonly text: string;
  readonly why?: string | undefined;
  readonly place: Place;
  /** Its key as it is spelt there, where it stands in YAML. */
  readonly key?: string | undefined;
}

/** What to write instead, in the language that the value stands in. */
export const lineFor = ({ key }: PlacedText, label: string, value: string): string =>
  key === undefined ? `Write - **${label}:** ${value}` : `Write ${key}: ${value}`;

export const inYaml = ({ file }: Place): boolean => file.endsWith('.yaml');

/** `ORG.md:12`: where a value was said. */
export const fromPlace = ({ file, line }: Place): string => (line === undefined ? file : `${file}:${line}`);
