// The figures that can be read from the text of the source. Each has a name, a value and a list of what is behind it.
import path from 'node:path';
import { effectsOf } from './effects.mjs';
import { functionsIn } from './functions.mjs';
import { longestChain } from './imports.mjs';
import { lineAt, readSources } from './source.mjs';

const mostParameters = 5;

export function readFigures(root) {
  const sources = readSources(root).map((source) => ({ ...source, ...functionsIn(source.code) }));
  return {
    largestFolder: largestFolder(sources),
    twoMeanings: twoMeanings(sources),
    longestChain: chain(sources),
    nightFields: fieldsOf(sources, 'Night'),
    takesAll: functionsWhere(sources, 'functions that take all of Night', ({ params }) =>
      params.some(({ type }) => type === 'Night') ? [''] : [],
    ),
    busyPredicates: functionsWhere(sources, 'async or writing is…/has… functions', (asked, source) =>
      /^(is|has)[A-Z]/.test(asked.name) ? effectsOf(asked, source) : [],
    ),
    manyParameters: functionsWhere(sources, `functions with more than ${mostParameters} parameters`, ({ params }) =>
      params.length > mostParameters ? [`${params.length}`] : [],
    ),
    lines: linesOfCode(sources),
  };
}

function largestFolder(sources) {
  const folders = groupBy(sources, ({ file }) => path.posix.dirname(file));
  const [[name, files] = ['', []]] = [...folders].sort(([, one], [, other]) => other.length - one.length);
  const list = [...folders].map(([folder, inside]) => `${inside.length} src/${folder}`);
  return { name: 'files in the largest folder', value: files.length, note: `src/${name}`, list };
}

/** Types and values share names: `interface Spec` and `const Spec` in two files are two meanings. */
function twoMeanings(sources) {
  const declared =
    /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) ([\w$]+)/gm;
  const exported = sources.flatMap(({ file, code }) =>
    [...new Set([...code.matchAll(declared)].map(([, name]) => name))].map((name) => ({ name, file })),
  );
  const names = groupBy(exported, ({ name }) => name);
  // Every verb file exports its contract as `command`.
  const shared = [...names].filter(([name, places]) => places.length > 1 && name !== 'command');
  const list = shared.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`).sort();
  return { name: 'exported names with two meanings', value: list.length, list };
}

function chain(sources) {
  const links = longestChain(sources, 'cli.ts');
  const list = links.map((files) => files.join(' + '));
  return { name: 'files on the longest chain of imports', value: links.flat().length, list };
}

function fieldsOf(sources, type) {
  const name = `fields of ${type}`;
  for (const { file, code } of sources) {
    const found = new RegExp(`\\binterface ${type}\\b[^{]*\\{`).exec(code);
    if (found === null) continue;
    const list = [];
    let depth = 0;
    let member = '';
    for (const char of code.slice(found.index + found[0].length)) {
      if ('})]'.includes(char)) depth -= 1;
      if (depth < 0) break;
      if ('{(['.includes(char)) depth += 1;
      if (char !== ';' || depth > 0) member += char;
      else {
        list.push(/^\s*(?:readonly )?([\w$]+)/.exec(member)?.[1] ?? member.trim());
        member = '';
      }
    }
    return { name, value: list.length, note: `src/${file}`, list };
  }
  return { name, value: 0, note: 'there is no such type', list: [] };
}

/** The functions for which there are reasons, with their reasons. */
function functionsWhere(sources, name, reasonsOf) {
  const list = sources.flatMap((source) =>
    source.functions.flatMap((asked) => {
      const reasons = reasonsOf(asked, source);
      if (reasons.length === 0) return [];
      return [`${source.file}:${lineAt(source.text, asked.at)} ${asked.name} ${reasons.join(', ')}`.trim()];
    }),
  );
  return { name, value: list.length, list };
}

function linesOfCode(sources) {
  const counted = sources.map(({ file, uncommented }) => ({
    file,
    lines: uncommented.split('\n').filter((line) => line.trim() !== '').length,
  }));
  const value = counted.reduce((all, { lines }) => all + lines, 0);
  const list = counted.sort((one, other) => other.lines - one.lines).map(({ file, lines }) => `${lines} ${file}`);
  return { name: 'lines of code', value, list: list.slice(0, 20) };
}

function groupBy(some, keyOf) {
  const groups = new Map();
  for (const one of some) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}
