// How a report is read, by both stages.

/** More in one week are for a person to look at. */
export const mostBullets = 25;

const kinds = ['pricing', 'feature', 'positioning', 'hiring', 'other'];
const bullet = /^- \[(?<kind>[a-z]+)\] (?<url>https:\/\/\S+) \((?<date>\d{4}-\d\d-\d\d)\): (?<summary>.{5,200})$/;

/** The bullets of a report; throws at a line that begins like one and is none. */
export function bulletsIn(text, file) {
  return text.split('\n').flatMap((line, at) => {
    if (!/^\s*[-*+] /.test(line)) return [];
    const read = bullet.exec(line)?.groups;
    if (read !== undefined && kinds.includes(read.kind)) return [{ ...read, line }];
    throw new Error(
      `${file}:${at + 1}: ${line.slice(0, 80)}\nexpected - [${kinds.join(' | ')}] https://source/url (YYYY-MM-DD): one line of 5 to 200 characters`,
    );
  });
}
