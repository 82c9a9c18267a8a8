import { standsIn } from '../../../git/refs/remote-stand-in.ts';
import { charterNow } from '../../../org/force/in-force.ts';
import { budgetFile, publishReport } from '../../../records/notebook/run-end.ts';
import type { Org } from '../../../records/org.ts';
import { readNight } from '../../../report/facts/read-overview.ts';
import { formatBudgetExceeded, formatReportMarkdown } from '../../../report/pages/report-markdown.ts';
import { buildReport, reportJson } from '../../../report/pages/report-page.ts';
import { formatReport } from '../../../report/pages/report-text.ts';
import { formatProgressSvg } from '../../../report/words/svg.ts';
import { formatJson, visible } from '../../../terminal/visible.ts';
import { isProblem, Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { flagOption, readWordOption, textOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';

export const command: Command = {
  name: 'report',
  summary: 'The morning report: what needs you, the result, what was learned, what it took, what to do next.',
  options: {
    format: textOption('kind', 'text, md or json'),
    check: flagOption('exit 3 when you are needed'),
  },
  examples: ['orgrepo report', 'git show orgrepo/reports:reports/latest.md'],
  run: (call) =>
    withOrg(call, async (org) => {
      const hint = 'For example: --format md';
      const typed = readWordOption(call, 'format', ['text', 'md', 'json'], hint, 'text, md or json');
      const format = call.json ? 'json' : (typed ?? 'text');
      const written = await writeReport(org, 'read');
      if (written === undefined)
        throw new Problem('experiment/missing', 'nothing has run here yet', 'Start: orgrepo run');
      if (format === 'json') call.out(`${formatJson(reportJson(written.report))}\n`);
      else if (format === 'md') call.out(formatReportMarkdown(written.report));
      else call.out(formatReport(written.report, call.look));
      if (written.unwritable !== undefined)
        call.warn(`the report was not written to orgrepo/reports: ${visible(written.unwritable.message)}\n`);
      return call.flag('check') && written.report.needsYou.length > 0 ? 3 : 0;
    }),
};

/**
 * Writes the report of the last night from its commits to orgrepo/reports; a person who only reads it gets it also where
 * nothing can be written. `file` is where it is on orgrepo/reports, and `unwritable` why it could not be written. Undefined when
 * nothing ever ran.
 */
export async function writeReport(org: Org, aim: 'write' | 'read') {
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
  try {
    if (standsIn(org.repo) === undefined) await publishReport(org, night.run, files);
    return { file, unwritable: undefined, report };
  } catch (error) {
    if (aim === 'read' && isProblem(error) && error.code === 'disk/write') return { file, unwritable: error, report };
    throw error;
  }
}
