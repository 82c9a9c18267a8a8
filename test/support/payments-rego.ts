/** The payments policy as it was first written down, with the import that OPA wants for `in` and the figures of its org. */
export const paymentsRego: Readonly<Record<string, string>> = {
  'policies/payments.rego': `package org.payments

import future.keywords.in

default allow = false

# allow agent-initiated payments under the auto-approve threshold
allow {
  input.tool == "stripe.charge"
  input.amount_usd <= data.org.budget.max_single_action_without_approval
  input.agent in data.departments.gtm.agents
}

# explicit deny: the org can never wire to a country we have no compliance for
deny[msg] {
  input.tool == "wire.send"
  not input.country in data.org.compliance.allowed_jurisdictions
  msg := sprintf("wire to %v denied: jurisdiction not in allowed set", [input.country])
}

# require human approval above the threshold
require_approval {
  input.tool == "stripe.charge"
  input.amount_usd > data.org.budget.max_single_action_without_approval
}
`,
  'policies/data.json': `${JSON.stringify({
    org: {
      budget: { max_single_action_without_approval: 500 },
      compliance: { allowed_jurisdictions: ['AT', 'DE', 'US'] },
    },
    departments: { gtm: { agents: ['seller', 'mallory'] } },
  })}\n`,
};
