import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Act, agentPrincipal, claimAct, spendAct, toolAct } from '../src/domain/rules/act.ts';
import { readPolicyFiles } from '../src/org/force/policy-files.ts';
import { openDecisionBook } from '../src/policy/decision-book.ts';
import { decideByPolicies, loadPolicies } from '../src/policy/policy.ts';
import { openOrg } from '../src/records/org.ts';
import { makeRepository } from './repository.ts';

/** How long policies take, in seconds: to be loaded, to decide an act, and to be written down, each. */
export interface PolicyCost {
  readonly load: number;
  readonly decide: number;
  readonly write: number;
}

/** So many policies as an org of some size has: some concern the act that is asked about, most do not. */
export async function measurePolicies(policies: number, decisions: number): Promise<PolicyCost> {
  const repository = makeRepository({ files: 20 });
  mkdirSync(path.join(repository.dir, 'policies'));
  writeFileSync(path.join(repository.dir, 'policies/many.cedar'), policiesOf(policies));
  repository.git('add', 'policies');
  repository.git('commit', '--quiet', '-m', 'policies');
  const org = await openOrg(repository.dir);
  try {
    const tree = repository.git('rev-parse', 'HEAD^{tree}').trim();
    const found = await readPolicyFiles(org, tree);
    if (found === undefined) throw new Error('there are no policies');
    const begun = performance.now();
    const loaded = await loadPolicies(found.files, found.tree);
    const load = (performance.now() - begun) / 1000;
    const acts = actsOf();
    const times = Array.from({ length: 3_000 }, (_, n) => {
      const at = performance.now();
      decideByPolicies(loaded, acts[n % acts.length] as Act);
      return (performance.now() - at) / 1000;
    });
    const middle = times.sort((a, b) => a - b)[1_500] ?? Number.NaN;
    const book = openDecisionBook(org);
    const allowed = decideByPolicies(loaded, acts[0] as Act);
    const from = performance.now();
    for (let n = 0; n < decisions; n++) book.note(allowed);
    await book.written();
    return { load, decide: middle, write: (performance.now() - from) / 1000 / decisions };
  } finally {
    await org.repo.close();
    repository.remove();
  }
}

const policiesOf = (count: number): string =>
  Array.from({ length: count }, (_, n) => {
    if (n === 0) return 'permit (principal is Agent, action, resource);';
    const tool = `action == Action::"tool", resource == Tool::"server-${n}.tool"`;
    if (n % 3 === 0)
      return `@id("p${n}") permit (principal in Department::"d${n}", action == Action::"claim", resource) when { principal.level > ${n % 9} };`;
    if (n % 3 === 1)
      return `@id("p${n}") @message("{amount} is too much") @approval("board")
forbid (principal, ${tool}) when { context.numbers.hasTag("amount") && context.numbers.getTag("amount").greaterThan(decimal("${n}.0")) };`;
    return `@id("p${n}") forbid (principal, action == Action::"spend", resource) when { context has usd && context.usd.greaterThan(decimal("${n * 10}.0")) };`;
  }).join('\n');

function actsOf(): readonly Act[] {
  const who = agentPrincipal('junior-1');
  const spec = { id: '0007', title: 'leave less room', by: 'chief', attempts: undefined, body: '' };
  return [
    claimAct(who, spec, 'low'),
    toolAct(who, { server: 'server-4', name: 'tool', spec: '0007' }, { amount: 600, customer: { country: 'AT' } }),
    toolAct(
      who,
      { server: 'orgrepo', name: 'write', spec: '0007' },
      { path: 'sandbox/a.ts', content: 'x'.repeat(2_000) },
    ),
    spendAct(
      who,
      { provider: 'anthropic', model: 'x', spec: '0007' },
      { usd: 0.25, tokensIn: 9_000, tokensOut: 4_000 },
    ),
  ];
}
