import type { Charter, Quantity } from '../../domain/staff/charter.ts';
import type { Cap } from '../../domain/words/spending.ts';
import { defaultCharter } from '../../org/read/org-file.ts';
import { mentorOf } from '../../org/rules/roster.ts';
import { settingsOf } from '../../org/write/charter-values.ts';
import { isoTime } from '../../terminal/visible.ts';
import type { Problem } from '../../text/problem.ts';
import type { Plan, PlannedAgent, UsedLogin } from '../org-plan.ts';

/** `orgrepo/plan@1`: what is not known is left out. */
export function planJson(plan: Plan): Record<string, unknown> {
  const { brief, harness, start, search } = plan;
  const charter = plan.charter ?? defaultCharter();
  return {
    schema: 'orgrepo/plan@1',
    org: {
      name: plan.name,
      culture: cultureJson(charter),
      sdlc: sdlcJson(charter),
      agents: plan.agents.map((agent) => agentJson(agent, plan)),
      departments: charter.departments.map(({ id, name, lead, goal }) => ({ id, name, lead, goal })),
      people:
        plan.charter === undefined ? [] : charter.people.map(({ id, name, approves }) => ({ id, name, approves })),
      budget: { ...budgetJson(plan), ...policyJson(charter) },
      caps: capsOf(plan, charter),
      playbooks: charter.playbooks.map(({ name, steps }) => ({ name, steps })),
      settings: settingsOf(charter),
    },
    brief: {
      file: plan.file,
      id: plan.briefId,
      metric: brief.metric,
      direction: brief.direction,
      target: brief.target,
      sandbox: brief.sandbox,
      run: brief.run,
      score: brief.score,
      pattern: brief.pattern,
      tests: brief.tests,
      stages: brief.run === undefined ? 1 : 2,
    },
    harness: { path: brief.harness, ...harness },
    start: start && { score: start.score, seconds: start.seconds },
    search: search && { numbers: search.numbers, choices: search.choices, files: search.files },
    last_run: plan.lastRun,
    changes: plan.changes,
    logins: plan.logins.length === 0 ? undefined : plan.logins.map(loginJson),
    warnings: plan.warnings.map(warningJson),
  };
}

const loginJson = ({ program, from, until, agents, unused }: UsedLogin): Record<string, unknown> => ({
  ...{ program, from, until: until && isoTime(until), agents, unused_key: unused },
});

export const warningJson = ({ message, hint, place }: Problem): Record<string, unknown> => ({
  ...place,
  message,
  hint,
});

function agentJson(
  { id, level, duties, reportsTo, agent, model, effort, api, member }: PlannedAgent,
  { brief, charter }: Plan,
): unknown {
  const usual = level === 'chief' ? ['specs/**'] : level === 'junior' ? brief.sandbox : [];
  return {
    id,
    name: member?.name ?? id,
    level: member?.level ?? level,
    department: member?.department,
    reports_to: reportsTo,
    model,
    speaks: api === 'responses' ? 'openai' : api,
    effort,
    agent,
    duties: member === undefined ? undefined : duties,
    domain: member?.domains ?? usual,
    spawned_by: member?.spawnedBy,
    mentor: member && charter && duties.includes('junior') ? mentorOf(charter, id)?.id : undefined,
  };
}

const cultureJson = ({ culture }: Charter): Record<string, unknown> => ({
  preset: culture.preset.value,
  communication: culture.communication.value,
  escalation: culture.escalation.value,
  progress: culture.progress.value,
  ack: culture.ack.value,
  ack_within_seconds: culture.ackWithinMs.value / 1000,
  hierarchy: culture.hierarchy.value,
});

const sdlcJson = ({ sdlc }: Charter): Record<string, unknown> => ({
  preset: sdlc.preset.value,
  branching: sdlc.branching.value,
  branch_naming: sdlc.branchNaming.value,
  direct_push: sdlc.directPush.value,
  pull_requests: sdlc.pullRequests.value,
  target: sdlc.target.value,
  review: sdlc.review.value,
  most_lines: sdlc.mostLines.value,
  pre_merge: sdlc.preMerge.value.map(({ words, command }) => command ?? words),
  verification: sdlc.verification.value,
  workspace: sdlc.workspace.value,
});

/** What ORG.md says of money, where it does. */
function policyJson({ file, policies: { budget } }: Charter): Record<string, unknown> {
  if (file === undefined) return {};
  const quantity = (value: Quantity | undefined): unknown => value && { [value.unit]: value.amount };
  return {
    per_agent: quantity(budget.perAgent?.value),
    total: quantity(budget.total?.value),
    period: budget.period.value,
    alert_at: budget.alertAt.value,
    overage: budget.overage.value,
    single_act_usd: budget.singleAct?.value,
    tools_usd: budget.tools?.value,
  };
}

/** What one call, spec or agent may spend, and how many agents a department may have. */
function capsOf({ brief }: Plan, { departments, policies }: Charter): Record<string, unknown> | undefined {
  const scopes = Object.entries(brief.caps).map(([scope, cap]) => [scope, capJson(cap)] as const);
  const capped = departments.flatMap(({ id, cap }) => (cap === undefined ? [] : [[id, cap.value] as const]));
  if (scopes.length + capped.length === 0 && policies.anyDepartment === undefined) return undefined;
  return {
    ...Object.fromEntries(scopes),
    departments: capped.length === 0 ? undefined : Object.fromEntries(capped),
    any_department: policies.anyDepartment?.value,
  };
}

const capJson = ({ usd, tokensIn, tokensOut }: Cap) => ({ usd, tokens_in: tokensIn, tokens_out: tokensOut });

const budgetJson = ({ brief: { budget } }: Plan): Record<string, unknown> => ({
  experiment_seconds: budget.experimentMs / 1000,
  experiment_times: budget.experimentTimes,
  agent_seconds: budget.agentMs / 1000,
  night_seconds: budget.nightMs / 1000,
  attempts: budget.attempts,
  patience: budget.patience,
  ...capJson(budget),
});
