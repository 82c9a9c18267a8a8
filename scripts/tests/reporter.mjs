// What a worker's tests came to, told to the runner as it happens.
import { inspect } from 'node:util';

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:stderr' || type === 'test:stdout') yield data.message;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details?.type === 'suite') continue;
    const error = type === 'test:fail' ? data.details.error : undefined;
    const skipped = data.skip !== undefined && data.skip !== false;
    process.send?.({
      kind: 'test',
      name: data.name,
      nesting: data.nesting,
      passed: type === 'test:pass',
      skipped: skipped ? String(data.skip) : undefined,
      ms: data.details.duration_ms,
      error: error === undefined ? undefined : inspect(error.cause ?? error, { depth: 6 }),
    });
  }
}
