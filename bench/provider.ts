import { startProviderServer } from '../test/support/provider-server/server.ts';

// A provider in a process of its own, so that what it does is not taken for ours: says where it is, and ends with us.
const server = await startProviderServer(({ turn }) => ({
  text: 'I look at the next file.',
  calls: [{ tool: 'read', input: { path: `sandbox/${turn % 10}.txt` } }],
}));
process.stdout.write(`${server.baseUrl('anthropic')}\n`);
process.stdin.resume();
process.stdin.on('end', () => void server.close());
