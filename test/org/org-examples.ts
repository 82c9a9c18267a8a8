/** The examples of the specification, with the line breaks that its page has lost. */

export const acmeIdentity = `# Acme Engineering

## Identity

We build developer tools that make infrastructure invisible.
Every agent in this org serves that mission.

- **Industry:** Developer tools / SaaS
- **Stage:** Series A, 18 months old
- **Values:** Ship fast, measure everything, customers first
`;

export const acmeCulture = `## Culture

We're a startup. Move fast, communicate openly, escalate immediately.
Nobody should be blocked for more than one cycle.

- **Communication:** async-first
- **Escalation:** immediate — we're too small to batch problems
- **Progress updates:** on phase change — not every tick, but don't go silent
- **Ack required:** yes — if you get a task, confirm it
- **Hierarchy depth:** shallow (3 levels max)
`;

export const acmeSdlc = `## SDLC

preset: standard

### Source Control

- **Branch strategy:** trunk-based — always branch off \`main\`
- **Branch naming:** \`<role>/<feature>\` (e.g., \`web-eng/auth-flow\`)
- **Orphan branches:** forbidden — never \`git init\`, never create disconnected history
- **Direct push to main:** never
- **Pre-work ritual:** \`git fetch origin && git checkout -b <branch> origin/main\`

### Pull Requests

- **Required:** yes — every change, even typo fixes
- **Target:** \`main\`
- **Max size:** 500 lines (soft), 1000 lines (hard)
- **Naming:** conventional commits (\`feat:\`, \`fix:\`, \`docs:\`, \`chore:\`)
- **Scope:** one feature per PR — don't accumulate large batches

### Quality Gates

- **Pre-merge:** typecheck passes (\`tsc --noEmit\`), lint clean, tests pass
- **Post-deploy:** smoke test required (Playwright or equivalent)
- **Dependency additions:** must be checked for framework compatibility

### Deploy

- **Pipeline:** PR merge → build → deploy → verify → announce
- **Verification:** HTTP 200 on primary routes + no client-side JS errors
- **Communication:** post to #alerts (or equivalent channel) on every deploy

### Incident Response

- **Flag immediately** in the team channel — don't wait
- **Document:** what happened, root cause, what changed
- **Post-mortem:** update SDLC rules if a process gap caused the incident

### Repository

clone: /opt/org/openspawn
strategy: worktree-per-agent

#### Worktrees

- designer → /opt/org/openspawn-designer
- web-eng → /opt/org/openspawn-web-eng
- docs-writer → /opt/org/openspawn-docs
`;

export const acmeStructure = `## Structure

### COO

The operational backbone. Receives orders from the human principal,
breaks them into departmental work, ensures nothing falls through cracks.

- **Model:** claude-sonnet
- **Domain:** operations
- **Reports to:** Human Principal

### Engineering

Our largest team. Owns code, infrastructure, testing, and deployment.

#### Engineering Lead

Triages technical work. Delegates to specialists. Reviews output.

- **Model:** claude-sonnet
- **Domain:** engineering

#### Backend Senior

Owns API, database, and server infrastructure.

- **Model:** claude-haiku
- **Domain:** backend
- **Count:** 2

#### Frontend Workers

Build and maintain the dashboard and marketing site.

- **Model:** claude-haiku
- **Domain:** frontend
- **Count:** 3

#### QA Worker

Writes and runs tests. Reviews PRs for quality.

- **Model:** claude-haiku
- **Domain:** testing

### Security

Small but critical. Every deploy needs their sign-off.

#### Security Lead

- **Model:** claude-sonnet
- **Domain:** appsec

#### Security Worker

- **Model:** claude-haiku
- **Domain:** infrastructure-security

### Marketing

Owns content, campaigns, and public presence.

#### Marketing Lead

- **Model:** claude-sonnet
- **Domain:** content

#### Content Workers

- **Model:** claude-haiku
- **Domain:** copywriting
- **Count:** 2
`;

export const acmePolicies = `## Policies

### Budget

- **Per-agent limit:** 1000 credits/period
- **Alert threshold:** 80%
- **Overage behavior:** pause and escalate — don't hard-stop
- **Period:** weekly

### Task Routing

Tasks are auto-routed to the right department by matching:

1. Domain keywords in the task title/description
2. Agent domain expertise
3. Current workload (prefer idle agents)
4. Trust score (higher trust gets harder tasks)

If no match is found, task goes to the COO for manual delegation.

### Permissions

- **L7+ can create tasks** — leads and above can break work into subtasks
- **L7+ can spawn agents** — leads can grow their team (up to department cap)
- **L6+ can review** — seniors and above can approve/reject work
- **All agents can escalate** — nobody should be silently stuck

### Department Caps

- Engineering: max 10 agents
- Security: max 4 agents
- Marketing: max 6 agents
- No department can exceed 15 agents without human approval

### Working Hours

- **Active hours:** 08:00-22:00 (org timezone)
- **Off-hours behavior:** queue tasks, don't process
- **Exceptions:** critical priority tasks process 24/7
`;

export const acmePlaybooks = `## Playbooks

### New Task Arrives

1. COO receives task from Human Principal
2. COO categorizes by domain and priority
3. COO delegates to appropriate department lead
4. Lead acks (auto) and breaks into subtasks if needed
5. Lead assigns to available workers by trust score
6. Workers ack and begin — progress logged to task activity

### Escalation: BLOCKED

1. Agent creates escalation message with blocker details
2. Escalation goes to direct manager (never skip levels)
3. Manager has 2 cycles to respond:
   - Provide the missing resource/context
   - Reassign to a different agent
   - Escalate further up
4. If unresolved after 2 levels, alert Human Principal

### Escalation: OUT_OF_DOMAIN

1. Agent flags task as wrong domain
2. Manager receives escalation
3. Manager re-delegates to correct department lead
4. Original agent is freed for other work
5. No penalty to original agent's trust score

### New Agent Onboarding

1. New agent spawned by a lead
2. First 3 tasks are LOW priority (warm-up period)
3. Trust score starts at 30 (PROBATION)
4. Mentor assigned: closest senior in same domain
5. After 5 successful tasks, promoted to TRUSTED
6. After 20 successful tasks, eligible for VETERAN

### Weekly Review (automated)

1. System compiles: tasks completed, escalation rate, budget burn
2. Generates org health score
3. Flags anomalies: sudden escalation spikes, idle agents, budget overruns
4. Sends digest to Human Principal
5. Proposes optimizations: "Engineering is bottlenecked, consider +1 senior"
`;

export const acme = [acmeIdentity, acmeCulture, acmeSdlc, acmeStructure, acmePolicies, acmePlaybooks].join('\n');

export const solo = `# My Dev Team

## Culture

preset: startup

## Structure

### Me (Human Principal)

I make the decisions. Agents do the work.

### Code Agent

Writes code, runs tests, submits PRs.

- **Model:** claude-sonnet
- **Domain:** fullstack

### Review Agent

Reviews PRs, checks for bugs and style issues.

- **Model:** claude-haiku
- **Domain:** code-review

### Docs Agent

Keeps documentation in sync with code changes.

- **Model:** claude-haiku
- **Domain:** documentation
`;

export const agency = `# Creative Agency

## Culture

preset: agency

- **Progress updates:** every tick — clients expect visibility

## Structure

### Account Director

Manages client relationships. Routes work to the right team.

- **Model:** claude-sonnet
- **Domain:** account-management

### Design Team

#### Design Lead

- **Model:** claude-sonnet
- **Domain:** visual-design

#### Designers

- **Model:** claude-haiku
- **Domain:** ui-ux
- **Count:** 3

### Content Team

#### Content Lead

- **Model:** claude-sonnet
- **Domain:** content-strategy

#### Writers

- **Model:** claude-haiku
- **Domain:** copywriting
- **Count:** 4

## Policies

### Client SLA

- Critical tasks: response within 1 cycle
- Normal tasks: completion within 10 cycles
- All tasks: progress update every 2 cycles
`;

export const lab = `# AI Research Lab

## Culture

preset: research

- **Escalation:** delayed — let researchers explore before flagging blockers

## Structure

### Principal Investigator

Sets research direction. Reviews findings. Publishes papers.

- **Model:** claude-opus
- **Domain:** ml-research

### Senior Researchers

- **Model:** claude-sonnet
- **Domain:** experimentation
- **Count:** 2

### Research Assistants

Run experiments, collect data, write up results.

- **Model:** claude-haiku
- **Domain:** data-collection
- **Count:** 3

## Policies

### Exploration Budget

- **Per-agent limit:** 5000 credits/period — research needs room to explore
- **No hard stops** — flag at 90%, but don't interrupt an experiment
`;

/** The org.yaml of the other document, with its indentation. */
export const growthLab = `org:
  name: acme-growth-lab
  mission: grow revenue for vertical SaaS using AI-native outbound
  budget:
    monthly_compute: 12000
    monthly_tools: 3000
    max_single_action_without_approval: 500
  models:
    primary: claude-opus-4-6-2026-02-15 # pinned. never "latest".
    fallback: claude-sonnet-4-6-2026-01-08
departments:
  research:
    goal: identify high-intent accounts
    agents: [market-mapper, competitor-watcher, hiring-signal-scanner]
  gtm:
    goal: generate qualified pipeline
    agents: [list-builder, personalization-writer, sequence-operator]
  engineering:
    goal: maintain internal systems and customer automations
    agents: [integration-builder, qa-reviewer, deployment-operator]
governance:
  humans:
    - role: board
      can_pause_any_agent: true
      approves: [payments_over_500, production_deployments, outbound_over_1000_contacts]
  audit:
    log_every_tool_call: true
    retain_for_days: 365
`;
