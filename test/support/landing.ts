import { rmSync } from 'node:fs';
import path from 'node:path';
import { landBy } from '../../src/commands/verbs/decide/land.ts';
import type { Sdlc } from '../../src/domain/staff/charter.ts';
import type { JailChoice } from '../../src/jail/jail.ts';
import { standardSdlc } from '../../src/land/land-rules.ts';
import { openOrg } from '../../src/records/org.ts';
import { closeOrg } from '../../src/score/arena/measuring-room.ts';
import { formatJson } from '../../src/terminal/visible.ts';
import { exitCodeOf, isProblem } from '../../src/text/problem.ts';
import { anOrg } from './builders.ts';
import { silentStreams } from './in-process.ts';
import { plain } from './look.ts';
import { scriptAgent } from './night.ts';
import { briefText, type TestOrg } from './org.ts';

/** `sandbox/one.txt` and two others hold a number each, and the loss is how far they are from 3. */
export const threeFiles = {
  'sandbox/one.txt': 'first 9\n',
  'sandbox/two.txt': 'second 7\n',
  'sandbox/three.txt': 'third 8\n',
  'harness/run.sh': 'cat sandbox/*.txt > "$ORGREPO_OUT/numbers"\n',
  'harness/score.sh': `awk '{ loss += ($2 - 3) ^ 2 } END { print "loss: " loss }' "$ORGREPO_OUT/numbers"\n`,
  'specs/0001-first.md': '---\nid: "0001"\ntitle: Bring them to three\nby: people\n---\nAny number may change.\n',
};

const set = (file: string, text: string): string => `echo "${text}" > sandbox/${file}.txt; echo "${file} is ${text}"`;

const agent = scriptAgent([set('one', 'first 5'), set('two', 'second 4'), set('one', 'first 3')]);

/** An org after a night that kept three changes: #1 and #3 of the same line, #2 of another file. From 77 to 26. */
export async function landingOrg(files: Readonly<Record<string, string>> = {}): Promise<TestOrg> {
  rmSync(path.join(agent.dir, 'count'), { force: true }); // It begins anew with every org.
  const budget = '{ experiment: 20s, agent: 10s, night: 1h, attempts: 100, patience: 1000 }';
  const org = anOrg({ ground: { 'program.md': briefText({ agent: agent.brief, budget }), ...threeFiles, ...files } });
  const ran = await org.orgrepo('run', '--max', '3');
  if (ran.code !== 0) throw new Error(ran.stderr);
  return org;
}

export interface Landed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The code of the problem; undefined where there was none. */
  readonly problem: string | undefined;
}

/** `orgrepo land` under rules that differ from the usual ones in this. */
export async function landUnder(
  org: TestOrg,
  rules: Partial<Sdlc>,
  call: {
    readonly numbers?: readonly number[];
    readonly flags?: readonly string[];
    readonly json?: boolean;
    readonly jail?: JailChoice;
  } = {},
): Promise<Landed> {
  const said = { out: '', err: '' };
  const opened = await openOrg(org.dir, call.jail ?? 'none');
  const ended = await landBy(
    {
      ...{ dir: org.dir, json: call.json === true, quiet: false, mayAsk: false, words: [], isTerminal: false },
      flag: (name) => name === 'yes' || call.flags?.includes(name) === true,
      value: () => undefined,
      jail: () => call.jail,
      look: plain(200),
      out: (text) => {
        said.out += text;
      },
      answer: (value, text) => {
        said.out += call.json === true ? `${formatJson(value)}\n` : text;
      },
      say: (text) => {
        said.err += text;
      },
      streams: silentStreams(org.dir),
      warn: (text) => {
        said.err += text;
      },
    },
    opened,
    { ...standardSdlc, ...rules },
    call.numbers ?? [],
  )
    .then((code) => ({ code, problem: undefined }))
    .catch((error: unknown) => {
      if (!isProblem(error)) throw error;
      said.err += `${error.message}\n${error.hint}\n`;
      return { code: exitCodeOf(error), problem: error.code };
    })
    .finally(() => closeOrg(opened));
  return { ...said, ...ended };
}

export const rule = <T>(value: T) => ({ value, from: 'ORG.md:7' });

/** Every ref and the state of the person's files: what must be the same where nothing was written. */
export const everything = (org: TestOrg): string =>
  org.git('for-each-ref', '--format=%(refname) %(objectname)') + org.git('status', '--porcelain', '--branch');
