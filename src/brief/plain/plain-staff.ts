import type { AgentChoice, Staff } from '../../domain/staff/staff.ts';
import { readModelId } from '../../domain/words/model-id.ts';
import { shown } from '../../text/clean.ts';
import { problemAt } from '../../text/problem-at.ts';
import { linesBeginning, type PlainPage, placeOfLine } from './plain-page.ts';

/** Who works under a plain brief: the model that its budget names, as one agent; the embedded ones where it names none. */
export function readPlainStaff(page: PlainPage): { readonly juniors: number; readonly staff: Staff } {
  const choice = readModelLine(page);
  const staff = (one: AgentChoice): Staff => ({ chief: one, juniors: [one], checkers: [], critics: [] });
  return choice === undefined ? { juniors: 3, staff: staff({ kind: 'search' }) } : { juniors: 1, staff: staff(choice) };
}

/** `Model: claude-sonnet-4-6-2026-01-08 (pinned; never "latest").` */
function readModelLine(page: PlainPage): AgentChoice | undefined {
  const [line] = linesBeginning(page, 'budget', /^model\s*:/i);
  if (line === undefined) return undefined;
  const [name = ''] = line.text.slice(line.text.indexOf(':') + 1).match(/[^\s,;()"'`]+/) ?? [];
  const model = readModelId(name.replace(/[.]+$/, ''), false);
  if (typeof model === 'object') return { kind: 'api', model, baseUrl: undefined };
  const what = `Model is ${shown(name)}, expected a pinned model such as claude-sonnet-4-6`;
  throw problemAt(
    'brief/value',
    placeOfLine(page, line),
    what,
    'Name the dated id, with anthropic/, openai/ or google/ before it.',
  );
}
