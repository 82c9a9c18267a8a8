import { filesOf } from '../git/objects/tree.ts';
import { treeOf } from '../records/entry.ts';
import { type Org, trunkTip } from '../records/org.ts';
import { contentOf } from '../score/arena/arena-directory.ts';
import { isProblem, nearestName, Problem } from '../text/problem.ts';
import { isTelling, type Project } from './project-offers.ts';

/** The last commit of somebody's project. */
export interface OpenedProject extends Project {
  readonly tree: string;
}

/** A file that tells how a project is built is not longer, and a project has not more of them that are worth reading. */
const [longestText, mostTexts] = [200_000, 60];

export async function openProject(org: Org): Promise<OpenedProject> {
  const tree = await treeOf(org, await firstCommit(org));
  const all = (): boolean => true;
  const files = [...(await filesOf(org.repo, tree, all, all))].filter(([, { mode, rawName }]) => {
    return mode.startsWith('100') && rawName === undefined;
  });
  const telling = files.filter(([file]) => isTelling(file)).slice(0, mostTexts);
  const texts = await Promise.all(
    telling.map(async ([file, { oid }]) => [file, await contentOf(org.repo, oid)] as const),
  );
  const short = texts.filter(([, content]) => content.length <= longestText);
  return {
    tree,
    paths: files.map(([file]) => file),
    texts: new Map(short.map(([file, content]) => [file, content.toString('utf8')])),
  };
}

const firstCommit = (org: Org): Promise<string> =>
  trunkTip(org).catch((error) => {
    if (!isProblem(error) || error.code !== 'repo/empty') throw error;
    throw new Problem(
      'repo/empty',
      error.message,
      'A night works on what is committed: git add -A && git commit -m "start"',
    );
  });

/** The files that a command names, by what npm or make would start for it; a directory stands for what is in it. */
export function mentionedIn(command: string, project: Project): readonly string[] {
  const known = new Set(project.paths);
  const words = startedBy(command, project)
    .replace(/(^|\s)-m\s+([\w.]+)/g, (_, before, module: string) => `${before}${module.replaceAll('.', '/')}.py`)
    .split(/[\s"'`=;|&()<>]+/)
    .map((word) => word.replace(/^(\.\/)+/, '').replace(/\/+$/, ''));
  return words.flatMap((word) => {
    if (known.has(word)) return [word];
    return word !== '' && project.paths.some((file) => file.startsWith(`${word}/`)) ? [`${word}/.`] : [];
  });
}

function startedBy(command: string, { texts }: Project): string {
  const script = /^npm (?:run(?:-script)? )?([\w:.-]+)/.exec(command)?.[1];
  if (script !== undefined) {
    const text = texts.get('package.json') ?? '';
    return new RegExp(`"${script.replaceAll('.', '\\.')}"\\s*:\\s*"((?:[^"\\\\]|\\\\.)*)"`).exec(text)?.[1] ?? command;
  }
  const target = /^make ([\w.-]+)/.exec(command)?.[1];
  const [, makefile = ''] = [...texts].find(([file]) => /^(GNUm|M|m)akefile$/.test(file)) ?? [];
  if (target === undefined) return command;
  return new RegExp(`^${target.replaceAll('.', '\\.')}\\s*:.*\\n((?:\\t.*\\n?)*)`, 'm').exec(makefile)?.[1] ?? command;
}

/** A path of the project that a person most likely meant. */
export const nearestFile = (path: string, { paths }: Project): string | undefined => nearestName(path, paths);
