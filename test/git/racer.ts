import { openRepo } from '../../src/git/repo.ts';

// Four of many that want to be the first to make a branch, each with a git of its own: `racer <dir> <ref> <commit>...`.
const [dir = '', ref = '', ...commits] = process.argv.slice(2);
const repos = await Promise.all(commits.map(() => openRepo(dir)));
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));
const won = await Promise.all(repos.map((repo, index) => repo.refs.move(ref, commits[index] ?? '', undefined)));
process.stdout.write(`${won.map((one) => (one ? 'won' : 'lost')).join(' ')}\n`);
await Promise.all(repos.map((repo) => repo.close()));
process.exit(0);
