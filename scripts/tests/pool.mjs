// Hands files of tests out to a few workers and collects what they say.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const worker = fileURLToPath(new URL('worker.mjs', import.meta.url));
const reporter = fileURLToPath(new URL('reporter.mjs', import.meta.url));

/** Little of what a test runs pays for being optimised: compiling it would take longer than it saves. */
const hurried = ['--enable-source-maps', '--interrupt-budget=1000000', '--disable-warning=ExperimentalWarning'];

/** Starting processes from a large one is slow, so a worker that has grown is replaced. */
const mostBytes = 400_000_000;

/**
 * Runs all files; `heard` is told of each test as it ends, with its file. A worker that says nothing for `silenceMs` is killed, and
 * the file it was at has failed.
 */
export function runPool({ files, workers, env, silenceMs, heard, fileDone }) {
  const waiting = [...files];
  return Promise.all(Array.from({ length: workers }, () => work()));

  async function work() {
    while (waiting.length > 0) await useWorker();
  }

  function useWorker() {
    return new Promise((resolve) => {
      let file;
      let begun = 0;
      let alarm;
      let loaded = 0;
      const child = fork(worker, [], {
        env,
        execArgv: [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout', ...hurried],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const listen = () => {
        clearTimeout(alarm);
        alarm = setTimeout(() => child.kill('SIGKILL'), silenceMs);
      };
      const next = () => {
        file = waiting.shift();
        begun = performance.now();
        child.send({ file });
      };
      child.on('message', (message) => {
        listen();
        if (message.kind === 'test') heard({ ...message, file });
        if (message.kind === 'broken')
          heard({ name: 'the file itself', nesting: 0, passed: false, ms: 0, error: message.error, file });
        if (message.kind === 'done') {
          fileDone({ file, ms: performance.now() - begun, assertions: message.assertions, cpu: message.cpu });
          file = undefined;
          loaded += 1;
        }
        if (message.kind !== 'ready' && message.kind !== 'done') return;
        if (message.bytes > mostBytes) child.send({});
        else next();
      });
      listen();
      child.on('exit', (code, signal) => {
        clearTimeout(alarm);
        if (file !== undefined) {
          const why = signal === 'SIGKILL' ? `nothing was heard for ${silenceMs / 1000} s` : `exit ${code ?? signal}`;
          heard({
            name: 'the file itself',
            nesting: 0,
            passed: false,
            ms: 0,
            error: `the process of tests ended: ${why}`,
            file,
          });
          fileDone({ file, ms: performance.now() - begun, assertions: 0, cpu: 0 });
        }
        resolve(loaded);
      });
    });
  }
}
