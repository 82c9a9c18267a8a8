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
mkdir -p out
measure() {
  run=$(sed -n 's/^run: //p' program.md) score=$(sed -n 's/^score: //p' program.md)
  timeout 1 sh -c "$run && $score" > run.log 2>&1
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
done
echo "the night is over"
`;

export async function runNaively(
  scene: Scene,
  attempts: number,
): Promise<SceneRan & { readonly rows: readonly Row[] }> {
  const file = path.join(scene.world, 'naive.sh');
  writeFileSync(file, loop);
  const ran = await scene.run('sh', [file, String(attempts)], 6_000);
  const results = path.join(scene.org, 'results.tsv');
  const lines = existsSync(results) ? readFileSync(results, 'latin1').split('\n') : [];
  const log = path.join(scene.org, 'run.log');
  const reason = existsSync(log) ? readFileSync(log, 'latin1').slice(0, 1_000) : '';
  const rows = lines.flatMap((line) => {
    const [verdict = '', score = '', took = ''] = line.split('\t');
    if (verdict !== 'keep' && verdict !== 'discard') return [];
    return [{ kept: verdict === 'keep', score: score === '' ? undefined : Number(score), ms: Number(took), reason }];
  });
  return { ...ran, inTime: ran.inTime && ran.output.includes('the night is over'), rows };
}
