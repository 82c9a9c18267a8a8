#!/usr/bin/env node
// A stand-in for `opa`: `check` and `run --server` as OPA does them, for the payments policy of policies/payments.rego
// alone, whose rules stand here a second time. OPA itself cannot be had on the machines that run these tests.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [verb, ...args] = process.argv.slice(2);
const files = args.filter((arg) => /\.(rego|json)$/.test(arg));

if (verb === 'check') {
  const errors = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => {
        const at = (message) => [{ message, code: 'rego_parse_error', location: { file, row: index + 1, col: 1 } }];
        if (line.includes('!!')) return at('unexpected ! token');
        // OPA 1.0 wants `if` before the body of a rule, unless it is told that the policy is older.
        const old = /^(allow|deny\[msg\]|require_approval) \{/.test(line) && !args.includes('--v0-compatible');
        return old ? at('`if` keyword is required before rule body') : [];
      }),
  );
  if (errors.length > 0) process.stderr.write(`${JSON.stringify({ errors }, undefined, 2)}\n`);
  process.exit(errors.length > 0 ? 1 : 0);
}

if (verb !== 'run' || !args.includes('--server') || !args.includes('--v0-compatible')) process.exit(1);
const authz = readFileSync(
  files.find((file) => file.endsWith('authz.rego')),
  'utf8',
);
const token = /input\.identity == "([0-9a-f]+)"/.exec(authz)?.[1];
const data = Object.assign(
  {},
  ...files.filter((file) => file.endsWith('.json')).map((file) => JSON.parse(readFileSync(file, 'utf8'))),
);

function payments({ tool, amount_usd: amount, agent, country }) {
  const most = data.org.budget.max_single_action_without_approval;
  const allow = tool === 'stripe.charge' && amount <= most && data.departments.gtm.agents.includes(agent);
  const abroad = tool === 'wire.send' && !data.org.compliance.allowed_jurisdictions.includes(country);
  const deny = abroad ? [`wire to ${country} denied: jurisdiction not in allowed set`] : [];
  return { allow, deny, ...(tool === 'stripe.charge' && amount > most ? { require_approval: true } : {}) };
}

const address = args[args.indexOf('--addr') + 1].split(':');
createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const [path] = request.url.split('?');
    const answer = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.headers.authorization !== `Bearer ${token}`) return answer(401, { code: 'unauthorized' });
    if (path === '/v1/data/org/payments') return answer(200, { result: payments(JSON.parse(body).input) });
    return answer(200, {});
  });
}).listen(Number(address[1]), address[0]);
