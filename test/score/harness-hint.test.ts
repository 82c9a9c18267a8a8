import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hintFrom } from '../../src/score/measure/check-harness.ts';

test('what a harness printed before it gave up tells what it ran into', () => {
  const cases: readonly [string, RegExp | undefined][] = [
    ['Error: getaddrinfo EAI_AGAIN registry.example.invalid', /network/],
    ['curl: (6) Could not resolve host: example.invalid', /network/],
    ['socket.gaierror: [Errno -3] Temporary failure in name resolution', /network/],
    ['OSError: [Errno 101] Network is unreachable', /network/],
    ["Error: EROFS: read-only file system, open '/etc/x'", /only \$ORGREPO_OUT and \$TMPDIR/],
    ["Error: EACCES: permission denied, open '/etc/x'", /no right to a file/],
    ["PermissionError: [Errno 13] Permission denied: '/etc/x'", /no right to a file/],
    ['sh: 1: cannot create /etc/x: Permission denied', /no right to a file/],
    ['sh: 1: harness/run.sh: Permission denied', undefined],
    ['loss went up, the network did not learn', undefined],
    ['', undefined],
  ];
  for (const [printed, hint] of cases) {
    const found = hintFrom(printed);
    if (hint === undefined) assert.equal(found, undefined, printed);
    else assert.match(found ?? '', hint, printed);
  }
});
