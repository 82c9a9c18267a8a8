import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { waitFor } from './night.ts';
import { briefText, makeOrg, type TestOrg } from './org.ts';

const made: string[] = [];
after(() => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true });
});

export const numbers = ['a 9', 'b 3', 'c 3', 'd 3', 'e 3', 'f 3', 'g 9', ''].join('\n');

/** Two juniors that begin at the same moment, from the same best; the first to work finishes first. */
export function twoJuniors(
  edits: Readonly<Record<string, string>>,
  score: string,
  rules: Readonly<Record<string, string>> = {},
): TestOrg {
  const desk = mkdtempSync(path.join(tmpdir(), 'orgrepo-juniors-'));
  const script = `
touch ${desk}/$ORGREPO_AGENT
[ $ORGREPO_ATTEMPT = 1 ] || { echo "done already"; exit 0; }
${waitFor(`${desk}/junior-1`)}
${waitFor(`${desk}/junior-2`)}
case $ORGREPO_AGENT in
junior-1) sed -i '${edits['junior-1']}' sandbox/numbers.txt ;;
junior-2) sed -i '${edits['junior-2']}' sandbox/numbers.txt ;;
esac
echo "$ORGREPO_AGENT was here"
`;
  writeFileSync(path.join(desk, 'agent.sh'), script);
  const org = makeOrg({
    'program.md': briefText({
      juniors: '2',
      agent: `{ command: "sh ${desk}/agent.sh" }`,
      budget: '{ experiment: 10s, agent: 40s, night: 1h, attempts: 1, patience: 1000 }',
      ...rules,
    }),
    'sandbox/numbers.txt': numbers,
    'harness/run.sh': 'cat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
    'harness/score.sh': score,
    'specs/0001-one.md': '---\ntitle: one\nrisk: medium\n---\n',
    'specs/0002-two.md': '---\ntitle: two\nrisk: medium\n---\n',
  });
  made.push(org.dir, desk);
  return org;
}

export const quadraticScore = `awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`;

/** The first has its change on best before the second offers one that was made without it. */
export const afterTheFirst =
  "/never/d' sandbox/numbers.txt; until git log -1 --format=%s orgrepo/best | grep -q ^keep; do sleep 0.05; done; sed -i 's/g 9/g 3/";

export const scoreOf = (a: number, g: number, both: number): string =>
  `a=$(grep -c "a 3" "$ORGREPO_OUT/numbers"); g=$(grep -c "g 3" "$ORGREPO_OUT/numbers")
case $a$g in 00) n=10 ;; 10) n=${a} ;; 01) n=${g} ;; 11) n=${both} ;; esac; echo "loss: $n"\n`;
