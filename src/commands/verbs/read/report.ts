import { formatReportMarkdown } from '../../../report/pages/report-markdown.ts';
import { reportJson } from '../../../report/pages/report-page.ts';
import { formatReport } from '../../../report/pages/report-text.ts';
import { formatJson, visible } from '../../../terminal/visible.ts';
import { Problem } from '../../../text/problem.ts';
import type { Command } from '../../kit/command.ts';
import { flagOption, readWordOption, textOption } from '../../kit/options.ts';
import { withOrg } from '../../kit/with-org.ts';
import { writeReport } from './write-report.ts';

export const command: Command = {
  name: 'report',
  summary: 'The morning report: what needs you, the result, what was learned, what it took, what to do next.',
  arguments: [],
  options: {
    format: textOption('kind', 'text, md or json'),
    check: flagOption('exit 3 when you are needed'),
  },
  examples: ['npx orgrepo report', 'git show orgrepo/reports:reports/latest.md'],
  run: (call) =>
    withOrg(call, async (org) => {
      const typed = readWordOption(
        call,
        'format',
        ['text', 'md', 'json'],
        'For example: --format md',
        'text, md or json',
      );
      const format = call.json ? 'json' : (typed ?? 'text');
      const written = await writeReport(org, 'read');
      if (written === undefined)
        throw new Problem('experiment/missing', 'nothing has run here yet', 'Start: npx orgrepo run');
      if (format === 'json') call.out(`${formatJson(reportJson(written.report))}\n`);
      else if (format === 'md') call.out(formatReportMarkdown(written.report));
      else call.out(formatReport(written.report, call.look));
      if (written.unwritable !== undefined)
        call.warn(`the report was not written to orgrepo/reports: ${visible(written.unwritable.message)}\n`);
      return call.flag('check') && written.report.needsYou.length > 0 ? 3 : 0;
    }),
};
