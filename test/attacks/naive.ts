import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scene, SceneRan } from './scene.ts';
import type { Row } from './witness.ts';

/**
 * The loop of autoresearch, as people write it in an evening: edit, commit, run with a timeout, grep the metric from the
 * log, keep it if it is lower, else reset. Nothing in it is made weak on purpose.
 */
const loop = `
export ORGREPO_OUT="$PWD/out"
limit=$2
mkdir -p out
measure() {
  run=$(sed -n 's/^run: //p' program.md) score=$(sed -n 's/^score: //p' program.md)
  timeout "$limit" sh -c "$run && $score" > run.log 2>&1
  grep '^loss:' run.log | tail -1 | sed 's/^loss: *//'
}
best=$(measure)
for attempt in $(seq "$1"); do
  title=$(ORGREPO_ATTEMPT=$attempt ORGREPO_SPEC=specs/0001.md sh tools/agent.sh)
  git add -A && git commit -q --allow-empty -m "$title"
  git --no-pager diff HEAD~1 > change.diff
  began=$(date +%s%N)
  score=$(measure)
  took=$(( ($(date +%s%N) - began) / 1000000 ))
  if awk -v score="$score" -v best="$best" 'BEGIN { exit !(score + 0 < best + 0) }'; then
    best=$score verdict=keep
  else
    verdict=discard
    git reset -q --hard HEAD~1
  fi
  printf '%s\\t%s\\t%s\\t%s\\n' "$verdict" "$score" "$took" "$title" | tee -a results.tsv
  echo "- $verdict $score: $title" >> report.md
done
echo "the night is over"
`;

interface Naivety {
  readonly attempts: number;
  /** What one measurement may take. */
  readonly limitSeconds: number;
  /** What the whole night may take. */
  readonly mostMs: number;
}

export async function runNaively(
  scene: Scene,
  { attempts, limitSeconds, mostMs }: Naivety,
): Promise<
  SceneRan & { readonly rows: readonly Row[]; readonly texts: readonly string[]; readonly pages: readonly string[] }
> {
  const file = path.join(scene.world, 'naive.sh');
  writeFileSync(file, loop);
  const ran = await scene.run('sh', [file, String(attempts), String(limitSeconds)], mostMs);
  const results = path.join(scene.org, 'results.tsv');
  const lines = existsSync(results) ? readFileSync(results, 'latin1').split('\n') : [];
  // What a person looks at in the morning, on a terminal.
  const [log = '', diff = '', report = ''] = ['run.log', 'change.diff', 'report.md']
    .map((name) => path.join(scene.org, name))
    .map((place) => (existsSync(place) ? readFileSync(place, 'latin1').slice(0, 100_000) : ''));
  const rows = lines.flatMap((line) => {
    const [verdict = '', score = '', took = ''] = line.split('\t');
    if (verdict !== 'keep' && verdict !== 'discard') return [];
    return [
      {
        kept: verdict === 'keep',
        score: score === '' ? undefined : Number(score),
        ms: Number(took),
        reason: log.slice(0, 1_000),
      },
    ];
  });
  return {
    ...ran,
    inTime: ran.inTime && ran.output.includes('the night is over'),
    rows,
    texts: [ran.output, log, diff],
    pages: [report],
  };
}
