import type { NeedsYou } from '../domain/overview.ts';
import type { Org } from '../records/org.ts';
import { readNight } from '../records/overview.ts';
import { publishReport } from '../records/reports.ts';
import type { Look } from '../views/look.ts';
import { buildReport, type Report, reportJson } from '../views/report.ts';
import { formatReportMarkdown } from '../views/report-markdown.ts';
import { formatReport } from '../views/report-text.ts';
import { formatProgressSvg } from '../views/svg.ts';

export interface Written {
  /** `reports/2026-11-16.md`, on orgrepo/reports. */
  readonly file: string;
  readonly commit: string;
  readonly report: Report;
  text(look: Look): string;
  json(): Record<string, unknown>;
}

/** Tells the last night from its commits, and puts the telling on orgrepo/reports. Undefined when nothing ever ran. */
export async function writeReport(org: Org, needsYou: readonly NeedsYou[]): Promise<Written | undefined> {
  const night = await readNight(org, { needsYou });
  if (night === undefined) return undefined;
  const report = buildReport(night);
  const markdown = formatReportMarkdown(report);
  const file = `reports/${night.run}.md`;
  const files = new Map([
    [file, markdown],
    ['reports/latest.md', markdown],
    ['reports/progress.svg', formatProgressSvg(night)],
  ]);
  const commit = await publishReport(org, night.run, files);
  return { file, commit, report, text: (look) => formatReport(report, look), json: () => reportJson(report) };
}
