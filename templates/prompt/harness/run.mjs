// Stage 1: asks the stand-in every question with the sandbox's prompt, and writes its answers to $ORGREPO_OUT. Nothing is
// judged here: the right answers are in files that only stage 2 finds. Of the practice messages they are known to
// everybody, so what was wrong with those is told to whoever tries a prompt out.
import { readFileSync, writeFileSync } from 'node:fs';
import { serveStandIn } from './serve.mjs';

const mostBytes = 20_000; // A prompt is a page, not a book.

const read = (file) => readFileSync(new URL(file, import.meta.url), 'utf8');
const prompt = read('../sandbox/prompt.md');
if (Buffer.byteLength(prompt) > mostBytes) fail(`sandbox/prompt.md has more than ${mostBytes} bytes`);

const model = await serveStandIn();
const askAll = (messages) => Promise.all(messages.map((message) => model.ask(prompt, message)));
const practice = JSON.parse(read('practice.json'));
const tried = await askAll(practice.map(({ message }) => message));
const answers = await askAll(JSON.parse(read('messages.json')));
model.close();
writeFileSync(`${process.env.ORGREPO_OUT}/answers.json`, JSON.stringify(answers));

for (const [at, { message, right }] of practice.entries()) {
  const wanted = JSON.stringify(right);
  const sign = tried[at] === wanted ? 'right' : 'wrong';
  console.log(
    `${sign}: ${JSON.stringify(message)}\n  it said ${tried[at]}${sign === 'right' ? '' : `\n  wanted  ${wanted}`}`,
  );
}

function fail(why) {
  console.error(why);
  process.exit(1);
}
