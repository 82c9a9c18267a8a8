import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeRepository } from './repository.ts';

/** How often a comparison said what is true. */
export interface Compared {
  readonly times: number;
  /** Of so many comparisons of an org with itself, whose luck differs: those that showed no difference. */
  readonly same: number;
  /** Of so many with a junior that ruins half of its work, and of as many with one that ruins three quarters: those that called it worse. */
  readonly half: number;
  readonly most: number;
  readonly seconds: number;
}

/** A junior by luck: brings the sum down by something from 0 to 9, and no seed of ours has a say in it. */
const junior = `set -- $(od -An -N2 -tu1 /dev/urandom)
echo "luck $(( $(cut -d' ' -f2 sandbox/numbers.txt) - $1 % 10 ))" > next && cat next > sandbox/numbers.txt && rm next
`;
const damage = (unless: string): string =>
  `if [ $(( ${unless} )) != 0 ]; then echo "luck 1000000" > sandbox/numbers.txt; fi\n`;

/** Real nights of 3 experiments: 10 pairs for each comparison of equals, and 20, as many as people get who name no number, of others. */
export function measureCompare(times: number, worseTimes: number): Compared {
  const repository = makeRepository({
    files: 10,
    brief: { slots: '2' },
    harness: {
      run: 'cat sandbox/numbers.txt > "$ORGREPO_OUT/numbers"\n',
      score: `awk '$1 == "luck" { sum += $2; seen = 1 } END { print "score: " (seen ? sum : 100) }' "$ORGREPO_OUT/numbers"\n`,
    },
  });
  const started = performance.now();
  try {
    repository.git('rm', '--quiet', '--cached', 'sandbox/numbers.txt');
    writeFileSync(path.join(repository.dir, 'sandbox/numbers.txt'), 'luck 100\n');
    repository.git('add', 'sandbox');
    repository.git('commit', '--quiet', '-m', 'a number that luck brings down');
    for (const [name, code] of [
      ['junior', junior],
      ['half', junior + damage('$2 % 2')],
      ['most', junior + damage('$2 % 4')],
    ] as const) {
      const script = path.join(repository.dir, `${name}.sh`);
      writeFileSync(script, `${code}echo luck\n`);
      const brief = repository.git('show', 'HEAD:program.md');
      writeFileSync(
        path.join(repository.dir, `${name}.md`),
        brief.replace('agent: search', `agent: { command: "sh ${script}" }`),
      );
    }
    const count = (many: number, other: string, verdict: string, pairs: number): number => {
      let said = 0;
      for (let time = 1; time <= many; time++) {
        const args = [
          'compare',
          'junior.md',
          other,
          '--run',
          String(pairs),
          '--max',
          '3',
          '--seed',
          String(time * 100),
          '--json',
        ];
        const told = JSON.parse(repository.orgrepo(...args).stdout) as { verdict: string };
        if (told.verdict === verdict) said += 1;
      }
      return said;
    };
    const same = count(times, 'junior.md', 'no difference', 10);
    const [half, most] = ['half.md', 'most.md'].map((other) => count(worseTimes, other, 'worse', 20));
    return { times, same, half: half ?? 0, most: most ?? 0, seconds: (performance.now() - started) / 1000 };
  } finally {
    repository.remove();
  }
}
