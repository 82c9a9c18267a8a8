import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBrief, parseBrief } from '../../src/brief/read/brief-text.ts';
import { isProblem } from '../../src/text/problem.ts';

const sonnet = 'claude-sonnet-4-5-20250929';
const brief = (lines: string): string =>
  `---\nmetric: loss\ndirection: minimize\nsandbox: [sandbox/**]\nscore: sh harness/score.sh\n${lines}\n---\nMake it small.\n`;

const docs = {
  name: 'docs',
  reach: { kind: 'command', command: 'node harness/mcp.mjs', network: false },
  key: undefined,
  tools: undefined,
  deadlineMs: 30_000,
  mostBytes: 64_000,
};
const web = {
  name: 'web',
  reach: { kind: 'url', url: 'http://127.0.0.1:9000/mcp' },
  key: 'DOCS_TOKEN',
  tools: ['search', 'read'],
  deadlineMs: 5_000,
  mostBytes: 8_000,
};
const both =
  'mcp: { docs: { command: node harness/mcp.mjs }, web: { url: "http://127.0.0.1:9000/mcp", key: DOCS_TOKEN, tools: [search, read], deadline: 5s, most: 8k } }';

test('servers are given to whom a brief names, and come back as they were written', () => {
  const cases = [
    [`model: ${sonnet}\n${both}\ntools_from: [docs, web]`, [docs, web], [docs, web]],
    [`model: ${sonnet}\n${both}\ntools_from: docs\nchief: { model: ${sonnet}, mcp: [web] }`, [docs], [web]],
    [`${both}\njunior: { model: ${sonnet}, mcp: [web, docs, web] }\nchief: { agent: search }`, [web, docs], undefined],
    [`model: ${sonnet}\nlog_every_tool_call: true`, undefined, undefined],
  ] as const;
  for (const [lines, junior, chief] of cases) {
    const read = parseBrief(brief(lines), 'program.md');
    const given = [read.staff.juniors[0], read.staff.chief].map((one) =>
      one.kind === 'api' ? one.servers : undefined,
    );
    assert.deepEqual(given, [junior, chief], lines);
    assert.deepEqual(parseBrief(formatBrief(read), 'program.md').staff, read.staff, lines);
    assert.equal(parseBrief(formatBrief(read), 'program.md').logEveryToolCall, read.logEveryToolCall);
  }
});

test('what is wrong with servers in a brief is refused, with its line', () => {
  const server = '{ docs: { command: "sh harness/run.sh" } }';
  const junior = `junior: { model: ${sonnet}, mcp: [docs] }`;
  const cases: readonly (readonly [string, number, RegExp])[] = [
    [
      `mcp: ${server}\njunior: { model: ${sonnet}, mcp: [dcos] }`,
      7,
      /is dcos, expected a server that mcp names.*Did you mean docs\?/,
    ],
    [junior, 6, /is docs, expected a server that mcp names.*Add mcp: \{ docs/],
    [`mcp: ${server}\njunior: { model: ${sonnet} }`, 6, /mcp\.docs is given to nobody.*tools_from: \[docs\]/],
    [`mcp: { docs: { comand: x } }\n${junior}`, 6, /mcp\.docs\.comand is not a known key.*Did you mean command\?/],
    [`mcp: { docs: { command: x, url: "http://x/" } }\n${junior}`, 6, /expected one of command and url/],
    [`mcp: { docs: {} }\n${junior}`, 6, /expected one of command and url/],
    [`mcp: { docs: { url: "ftp://x/" } }\n${junior}`, 6, /begins with http:/],
    [`mcp: { docs: { url: "http://me:pass@x/" } }\n${junior}`, 6, /without a password in it/],
    [`mcp: { docs: { url: "http://x/", network: true } }\n${junior}`, 6, /expected no network beside a url/],
    [`mcp: { docs: { command: x, deadline: 30 } }\n${junior}`, 6, /expected a time with its unit.*30s/],
    [`mcp: { docs: { command: x, most: -1 } }\n${junior}`, 6, /expected a whole number/],
    [`mcp: { docs: { command: x, tools: ["a b"] } }\n${junior}`, 6, /expected the name of a tool/],
    [`mcp: { Docs: { command: x } }\n${junior}`, 6, /is named Docs, expected a name such as docs/],
    [`mcp: ${server}\ntools_from: [docs]\n${junior}`, 7, /tools_from is set, and there is no model beside it/],
    [`mcp: ${server}\njunior: { agent: search, mcp: [docs] }`, 7, /there is no model beside it that could use them/],
    [`model: ${sonnet}\nlog_every_tool_call: maybe`, 7, /expected true or false/],
  ];
  for (const [lines, line, words] of cases)
    assert.throws(
      () => parseBrief(brief(lines), 'program.md'),
      (error) => {
        assert.equal(isProblem(error), true, String(error));
        const { message, hint, place } = error as { message: string; hint: string; place?: { line: number } };
        assert.match(`${message} ${hint}`, words);
        assert.equal(place?.line, line, message);
        return true;
      },
    );
  const key = `mcp: { docs: { url: "http://x/", key: sk-abc123 } }\n${junior}`;
  assert.throws(() => parseBrief(brief(key), 'program.md'), {
    message: /^(?!.*sk-abc).*mcp\.docs\.key is not the name of a variable/,
  });
});
