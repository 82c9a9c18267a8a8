import { standsIn } from '../../../git/refs/remote-stand-in.ts';
import { charterNow } from '../../../org/force/in-force.ts';
import { budgetFile, publishReport } from '../../../records/notebook/run-end.ts';
import type { Org } from '../../../records/org.ts';
import { readNight } from '../../../report/facts/read-overview.ts';
import { formatBudgetExceeded, formatReportMarkdown } from '../../../report/pages/report-markdown.ts';
import { buildReport, type Report } from '../../../report/pages/report-page.ts';
import { formatProgressSvg } from '../../../report/words/svg.ts';
import { isProblem, type Problem } from '../../../text/problem.ts';

interface WrittenReport {
  /** `reports/2026-11-16.md`, on orgrepo/reports. */
  readonly file: string;
  /** Why it could not be written. */
  readonly unwritable: Problem | undefined;
  readonly report: Report;
}

/**
 * Tells the last night from its commits, and puts the telling on orgrepo/reports; who only wants to read it is told it also where
 * nothing can be written. Undefined when nothing ever ran.
 */
export async function writeReport(org: Org, aim: 'write' | 'read'): Promise<WrittenReport | undefined> {
  const night = await readNight(org, Date.now() / 1000, await charterNow(org));
  if (night === undefined) return undefined;
  const report = buildReport(night);
  const markdown = formatReportMarkdown(report);
  const file = `reports/${night.run}.md`;
  const files = new Map<string, string | undefined>([
    [file, markdown],
    ['reports/latest.md', markdown],
    ['reports/progress.svg', formatProgressSvg(night)],
    [budgetFile, night.capped && formatBudgetExceeded(night, night.capped)],
  ]);
  const published = standsIn(org.repo) === undefined ? await publish(org, night.run, files, aim) : undefined;
  return { file, unwritable: isProblem(published) ? published : undefined, report };
}

async function publish(
  org: Org,
  run: string,
  files: ReadonlyMap<string, string | undefined>,
  aim: 'write' | 'read',
): Promise<string | undefined | Problem> {
  try {
    return await publishReport(org, run, files);
  } catch (error) {
    if (aim === 'read' && isProblem(error) && error.code === 'disk/write') return error;
    throw error;
  }
}
