// Stage 2: counts the bullets that people marked as useful, over the four weeks up to this one. Only this stage finds this
// file and holdout/.
//
// By the brief's formula alone one safe bullet would be a perfect week. Its mission is to surface every change, so a change
// that nobody wrote a bullet for counts as a bullet that was of no use.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { bulletsIn } from './report.mjs';

const marks = JSON.parse(readFileSync(new URL('holdout/marks.json', import.meta.url), 'utf8'));
const dir = `${process.env.ORGREPO_OUT}/reports`;
const reportOf = (week) => `weekly-${week}.md`;

try {
  const reports = new Map(
    readdirSync(dir).map((file) => [file, bulletsIn(readFileSync(`${dir}/${file}`, 'utf8'), file)]),
  );
  refuseOtherWeeks(reports);
  const weeks = [...marks.past.map(pastWeek), thisWeek(reports)];
  const sum = (key) => weeks.reduce((total, week) => total + week[key], 0);
  console.log(`change_recall_score: ${(sum('useful') / (sum('bullets') + sum('missed'))).toFixed(4)}`);
  for (const key of ['useful', 'bullets', 'missed']) console.log(`${key}: ${weeks.at(-1)[key]}`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Reports are appended to, and only to this week's: what stood in the others was marked by people as it stood. */
function refuseOtherWeeks(reports) {
  const known = [...marks.past.map(({ week }) => week), marks.week].map(reportOf);
  const stray = [...reports.keys()].find((file) => !known.includes(file));
  if (stray !== undefined) throw new Error(`reports/${stray}: the week is ${marks.week}`);
}

function pastWeek({ week, sha256, useful, bullets, missed }) {
  const file = `${dir}/${reportOf(week)}`;
  const now = existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : '';
  if (now !== sha256) throw new Error(`reports/${reportOf(week)}: this week is over, and its report has been changed`);
  return { useful: useful.length, bullets, missed };
}

/** A bullet is useful when it tells a change that people wanted to hear of, at its place and as what it is; each one once. */
function thisWeek(reports) {
  const bullets = reports.get(reportOf(marks.week)) ?? [];
  const open = new Set(marks.changes);
  for (const bullet of bullets) {
    if (bullet.date < marks.first || bullet.date > marks.last) continue;
    const told = [...open].find((change) => tells(bullet, change));
    if (told !== undefined) open.delete(told);
  }
  return { useful: marks.changes.length - open.size, bullets: bullets.length, missed: open.size };
}

function tells({ url, kind, summary }, change) {
  const isThere = (words) => new RegExp(words, 'i').test(summary);
  return url === change.url && kind === change.kind && change.says.every(isThere);
}
