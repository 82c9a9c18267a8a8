import { Problem } from '../../../text/problem.ts';
import { type Command, formatCommandHelp } from '../../kit/command.ts';
import { flagOption } from '../../kit/options.ts';

/** The help on each verb of the list. The list is given, because it is where this file is loaded. */
export function helpOnVerbs(verbs: Verbs, find: (name: string) => Verbs[string] | undefined): Command {
  return {
    name: 'help',
    summary: 'Help on orgrepo, a command or a topic.',
    arguments: ['[command or topic]'],
    options: { all: flagOption('every command') },
    examples: ['orgrepo help run', 'orgrepo help exit-codes'],
    run: async (call) => {
      const [word] = call.words;
      const text =
        word !== undefined ? await helpOn(word, find(word)) : call.flag('all') ? await allCommands(verbs) : shortHelp();
      call.answer({ schema: 'orgrepo/help@1', on: word, text }, call.look.typed(text));
      return 0;
    },
  };
}

type Verbs = Readonly<Record<string, () => Promise<Command>>>;

async function helpOn(word: string, load: Verbs[string] | undefined): Promise<string> {
  if (Object.hasOwn(topics, word)) return topics[word] ?? '';
  if (load !== undefined) return formatCommandHelp(await load());
  throw new Problem(
    'usage/argument',
    `there is no help on ${JSON.stringify(word)}`,
    `Topics: ${Object.keys(topics).join(', ')}. Commands: orgrepo help --all`,
  );
}

/** Every verb in its group: on one screen of 80 columns and 24 lines. */
function shortHelp(): string {
  return `orgrepo ${__VERSION__}   a small AI organisation inside a git repository

Begin    demo              a tour of 60 seconds: no key, and no network
         init              set this repository up
         doctor            check the machine, your files and the harness
Run      plan              what a run would do, and what has changed
         run               start; it stops by itself
         submit            add an idea of your own
         pause, resume     the run, or one agent
         stop              end the run
Read     status, report    how it stands now; what the night brought
         log, show         every experiment; one of them in full
         export            the org as it is, or the results
Decide   approve, deny     what waits for you
         apply             put a changed ORG.md or policies into force
         land              bring what won to your branch
         freeze, thaw      keep every run from starting, for a while
Check    replay, verify    measure one again; check the whole history
         attack            try to cheat your harness
         compare           which of two briefs, orgs or commits does better
Shell    completion        commands, options and names, in bash, zsh and fish
Help     orgrepo help <command>: options and examples; --all: every command
Manual   orgrepo help ${Object.keys(topics).join(' | ')}
`;
}

async function allCommands(verbs: Verbs): Promise<string> {
  const commands = await Promise.all(Object.values(verbs).map((load) => load()));
  const lines = commands.map((one) => `  ${[one.name, ...(one.arguments ?? [])].join(' ').padEnd(28)} ${one.summary}`);
  return `${lines.join('\n')}\n\n  orgrepo <command> --help tells the options of one.\n`;
}

/** The manual, topic by topic. */
const topics: Readonly<Record<string, string>> = {
  'exit-codes': `0    done
1    failed
2    a cap on money or tokens stopped it, cleanly
3    a person is needed
4    credentials missing or refused
5    integrity: harness, history or provenance does not verify
6    a file of yours is invalid: file, line, column, what was found, what to do
8    still running (status --check)
10   plan --exit-code: there are changes
64   wrong usage
70   a bug in orgrepo
75   busy: another orgrepo runs here, or git is locked
130  interrupted (Ctrl-C)    143  terminated
`,
  formats: `Every command takes --json. Each object has a schema; fields are only ever added.
  status   one object,          orgrepo/status@1
  log      one line each,       orgrepo/experiment@1   (--format tsv: autoresearch's results.tsv)
  report   one object,          orgrepo/report@1
  plan     one object,          orgrepo/plan@1
  run      one line per fact,   orgrepo/fact@1
  replay   one line each,       orgrepo/replay@1       (--all: and orgrepo/replays@1 at the end; of D12: orgrepo/decision@1)
  verify   one object,          orgrepo/verify@1
  land     one object,          orgrepo/land@1
  apply    one object,          orgrepo/apply@1
  errors   {"error": {code, message, file, line, column, hint}} on stdout, nothing else
A try wins (kept, event keep); a win is taken when orgrepo/best moves to it (taken, replaced_by).
A value that is not known is left out; it is never 0.
Tables for people are cut at the edge of a terminal; in a pipe or a file nothing is.
`,
  files: `program.md     the brief: what to improve, the metric, the budget, what may be touched   (people)
orgrepo.md     the brief, where program.md has no front matter and is somebody else's   (people)
harness/       scores every change; pinned by its tree id for a whole run              (people)
sandbox/       the only files that agents may change                                   (agents)
specs/         work for the queue, put there once each when a run starts               (people)
branches.md    who may write which branch                                              (people)
orgrepo/queue, orgrepo/work/<spec>, orgrepo/best, orgrepo/reports, refs/orgrepo/*      (orgrepo)
               a clone reads those of its remote, and the first run there goes on with them
.worktrees/    the agents' benches; kept out of git, may be deleted at any time
.orgrepo/keys  NAME=value lines, where keys are not in the environment; ignored by git and for you alone to read   (people)
`,
  environment: `orgrepo reads     NO_COLOR  FORCE_COLOR  TERM=dumb  CI  ORGREPO_UI  ORGREPO_NO_INPUT  ORGREPO_JAIL
                  ORGREPO_AGENT_PRIORITY=normal   agents' processes do not wait for an idle CPU
                  ANTHROPIC_API_KEY  OPENAI_API_KEY  GEMINI_API_KEY  GOOGLE_API_KEY; these, and all that is called key,
                  token, secret or password, are never shown: [secret NAME] stands in their place
a harness gets    ORGREPO_OUT        a directory: stage 1 writes to it, stage 2 reads it
                  ORGREPO_SEED       a number that nobody could know before, for whatever it draws
                  ORGREPO_CANDIDATE  stage 2 only: a JSON file with the sandbox's files, their bytes and lines
an agent command  ORGREPO_SPEC  ORGREPO_BRIEF  ORGREPO_NOTEBOOK (files to read)  ORGREPO_SECONDS  ORGREPO_AGENT  ORGREPO_ATTEMPT
`,
};
