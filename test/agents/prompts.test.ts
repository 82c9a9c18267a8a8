import { test } from 'node:test';
import { errandOf } from '../../src/agents/prompts.ts';
import { assertGolden } from '../contract/golden.ts';
import { programTasks, promptTasks, requestFor, requestInWords } from '../support/prompt-tasks.ts';

/** What models and programs are told, whole, so that a change to a prompt is read like code. */

const recorded = {
  place: 'test/agents/golden-prompts',
  says: 'Agents read this. If the change is meant, record it',
  test: 'test/agents/prompts.test.ts',
};

for (const [name, task] of Object.entries(promptTasks))
  test(`the first request of ${name} is the recorded one`, async () => {
    assertGolden(name, requestInWords(await requestFor(task)), recorded);
  });

for (const [name, task] of Object.entries(programTasks))
  test(`the text for ${name} is the recorded one`, () => assertGolden(name, errandOf(task), recorded));
