/** A value that must not be told, and the name under which it may be spoken of. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A value of fewer characters is not looked for: it would be found everywhere, and whoever guesses has it in a minute. */
export const shortestSecret = 8;

/** Where a model's key is looked for, unless a brief names another variable. */
const keyVariables = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'] as const;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * All that looks like a secret among a process's variables, whether orgrepo has a use for it or not: by its name, or as the
 * password in an address.
 */
export function secretsIn(variables: Variables): Secret[] {
  return Object.entries(variables).flatMap(([name, value = '']) => {
    const shown = /^\w+$/.test(name) ? name : 'in a variable';
    const password = passwordInAddress.exec(value)?.[1] ?? '';
    const found = [
      ...(isSecretName(name) && (isKeyVariable(name) || isNoWord(value, variables)) ? [value.trim()] : []),
      password,
    ];
    return found.filter((one) => one.length >= shortestSecret).map((one) => ({ name: shown, value: one }));
  });
}

/** Whether what is called so is for nobody to see. */
export const isSecretName = (name: string): boolean =>
  /token|secret|passw|passphrase|credential|api_?key/i.test(name) ||
  /(^|[^a-z])(keys?|pass|auth)([^a-z]|$)/i.test(name);

const isKeyVariable = (name: string): boolean => (keyVariables as readonly string[]).includes(name);

/**
 * A password such as `postgres` or a `CACHE_KEY=production` stands in every other file, and would have honest work refused.
 * Something drawn by chance has letters and digits, or is long. A variable may also hold the name of another.
 */
function isNoWord(value: string, variables: Variables): boolean {
  if (variables[value] !== undefined) return false;
  return (/[a-z]/i.test(value) && /[0-9]/.test(value)) || (value.length >= 20 && /[^0-9.,:_-]/.test(value));
}

const passwordInAddress = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i;
