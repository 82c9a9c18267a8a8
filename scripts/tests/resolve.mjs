// Where a file of tests says node:test, it gets hooks that are for this file alone.
const own = new URL('file-hooks.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
  if (specifier === 'node:test' && context.parentURL !== own && context.parentURL?.includes('/build/test/'))
    return { url: own, shortCircuit: true };
  return next(specifier, context);
}
