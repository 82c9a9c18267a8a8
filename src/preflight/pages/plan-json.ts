import type { Charter, Quantity } from '../../domain/staff/charter.ts';
import { defaultCharter } from '../../org/read/org-file.ts';
import { mentorOf } from '../../org/rules/reviewers.ts';
import { settingsOf } from '../../org/write/charter-values.ts';
import type { Plan, PlannedAgent } from '../org-plan.ts';

/** `orgrepo/plan@1`: what is not known is left out. */
export function planJson(plan: Plan): Record<string, unknown> {
  const { brief, harness, start } = plan;
  const charter = plan.charter ?? defaultCharter();
  return {
    schema: 'orgrepo/plan@1',
    org: {
      name: plan.name,
      culture: cultureJson(charter),
      sdlc: sdlcJson(charter),
      agents: plan.agents.map((agent) => agentJson(agent, plan)),
      departments: charter.departments.map(({ id, name, lead, goal }) => given({ id, name, lead, goal })),
      people:
        plan.charter === undefined ? [] : charter.people.map(({ id, name, approves }) => ({ id, name, approves })),
      budget: { ...budgetJson(plan), ...policyJson(charter) },
      ...capsOf(plan, charter),
      playbooks: charter.playbooks.map(({ name, steps }) => ({ name, steps })),
      settings: settingsOf(charter),
    },
    brief: {
      file: plan.file,
      id: plan.briefId,
      metric: brief.metric,
      direction: brief.direction,
      ...(brief.target === undefined ? {} : { target: brief.target }),
      sandbox: brief.sandbox,
      ...(brief.run === undefined ? {} : { run: brief.run }),
      score: brief.score,
      stages: brief.run === undefined ? 1 : 2,
    },
    harness: { path: brief.harness, ...harness },
    ...(start === undefined
      ? {}
      : { start: { score: start.score, ...(start.seconds === undefined ? {} : { seconds: start.seconds }) } }),
    ...(plan.lastRun === undefined ? {} : { last_run: plan.lastRun }),
    changes: plan.changes,
    warnings: plan.warnings.map(({ message, hint, place }) => ({ ...place, message, hint })),
  };
}

function agentJson(
  { id, level, duties, reportsTo, agent, model, member }: PlannedAgent,
  { brief, charter }: Plan,
): unknown {
  const usual = level === 'chief' ? ['specs/**'] : level === 'junior' ? brief.sandbox : [];
  return given({
    id,
    name: member?.name ?? id,
    level: member?.level ?? level,
    department: member?.department,
    reports_to: reportsTo,
    model,
    agent,
    duties: member === undefined ? undefined : duties,
    domain: member?.domains ?? usual,
    spawned_by: member?.spawnedBy,
    mentor: member && charter && duties.includes('junior') ? mentorOf(charter, id)?.id : undefined,
  });
}

/** What is not known is left out. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const cultureJson = ({ culture }: Charter): Record<string, unknown> =>
  given({
    preset: culture.preset.value,
    communication: culture.communication.value,
    escalation: culture.escalation.value,
    progress: culture.progress.value,
    ack: culture.ack.value,
    ack_within_seconds: culture.ackWithinMs.value / 1000,
    hierarchy: culture.hierarchy.value,
  });

const sdlcJson = ({ sdlc }: Charter): Record<string, unknown> =>
  given({
    preset: sdlc.preset.value,
    branching: sdlc.branching.value,
    branch_naming: sdlc.branchNaming.value,
    direct_push: sdlc.directPush.value,
    pull_requests: sdlc.pullRequests.value,
    target: sdlc.target.value,
    review: sdlc.review.value,
    most_lines: given(sdlc.mostLines.value),
    pre_merge: sdlc.preMerge.value.map(({ words, command }) => command ?? words),
    verification: sdlc.verification.value,
    workspace: sdlc.workspace.value,
  });

/** What ORG.md says of money, where it does. */
function policyJson({ file, policies: { budget } }: Charter): Record<string, unknown> {
  if (file === undefined) return {};
  const quantity = (value: Quantity | undefined): unknown => value && { [value.unit]: value.amount };
  return given({
    per_agent: quantity(budget.perAgent?.value),
    total: quantity(budget.total?.value),
    period: budget.period.value,
    alert_at: budget.alertAt.value,
    overage: budget.overage.value,
    single_act_usd: budget.singleAct?.value,
    tools_usd: budget.tools?.value,
  });
}

/** What one call, spec or agent may spend, and how many agents a department may have. */
function capsOf({ brief }: Plan, { departments, policies }: Charter): { readonly caps?: Record<string, unknown> } {
  const capped = departments.flatMap(({ id, cap }) => (cap === undefined ? [] : [[id, cap.value] as const]));
  const caps = {
    ...capsJson(brief.caps),
    ...(capped.length === 0 ? {} : { departments: Object.fromEntries(capped) }),
    ...(policies.anyDepartment === undefined ? {} : { any_department: policies.anyDepartment.value }),
  };
  return Object.keys(caps).length === 0 ? {} : { caps };
}

const capsJson = (caps: Plan['brief']['caps']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(caps).map(([scope, { usd, tokensIn, tokensOut }]) => [
      scope,
      {
        ...(usd === undefined ? {} : { usd }),
        ...(tokensIn === undefined ? {} : { tokens_in: tokensIn }),
        ...(tokensOut === undefined ? {} : { tokens_out: tokensOut }),
      },
    ]),
  );

function budgetJson({ brief: { budget } }: Plan): Record<string, unknown> {
  return {
    experiment_seconds: budget.experimentMs / 1000,
    agent_seconds: budget.agentMs / 1000,
    night_seconds: budget.nightMs / 1000,
    attempts: budget.attempts,
    patience: budget.patience,
    ...(budget.usd === undefined ? {} : { usd: budget.usd }),
    ...(budget.tokensIn === undefined ? {} : { tokens_in: budget.tokensIn }),
    ...(budget.tokensOut === undefined ? {} : { tokens_out: budget.tokensOut }),
  };
}
