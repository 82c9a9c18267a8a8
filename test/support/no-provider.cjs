// Loaded before orgrepo by test/support/far-providers.ts: the real providers are at the address in ORGREPO_TEST_PROVIDERS, or nowhere.
const real = globalThis.fetch;
const far = ['api.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'];

globalThis.fetch = (input, init) => {
  const url = new URL(typeof input === 'object' && 'url' in input ? input.url : input);
  if (!far.includes(url.hostname)) return real(input, init);
  const here = process.env.ORGREPO_TEST_PROVIDERS;
  if (here) return real(`${here}${url.pathname}${url.search}`, init);
  return Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) }));
};
