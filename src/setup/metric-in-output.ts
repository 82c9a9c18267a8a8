import { isMetricName, namesIn, readNumbers, whyNoMetricPattern } from '../domain/words/printed-numbers.ts';

/** A number that a command printed, and how a brief would read it. */
export interface PrintedMetric {
  readonly name: string;
  /** Left out where it stands on a line `name: number`. */
  readonly pattern: string | undefined;
  readonly value: number;
  /** The line it is on. */
  readonly line: string;
}

/** The numbers that an output holds, those on lines `name: number` first. Each can be read out of all of it without doubt. */
export function metricsIn(stdout: string): readonly PrintedMetric[] {
  const lines = stdout.split(/\r\n|[\n\r]/);
  const named = namesIn(stdout).flatMap((name) => {
    const read = readNumbers(stdout, name);
    const line = lines.find((one) => one.trim().startsWith(name)) ?? '';
    return read.kind === 'numbers' ? [{ name, pattern: undefined, value: read.score, line: line.trim() }] : [];
  });
  const others = lines
    .slice(0, mostLines)
    .filter((line) => line.length <= longestLine && !line.includes('\u001b') && !isNamed(line, named))
    .flatMap((line) => [...line.matchAll(aNumber)].flatMap((match) => byPattern(stdout, line, match) ?? []));
  return [...named, ...others];
}

const [mostLines, longestLine] = [200, 300];

const isNamed = (line: string, named: readonly PrintedMetric[]): boolean =>
  named.some((one) => one.line === line.trim());

/** No part of a version, a date, a time of day or a name. */
const aNumber = /(?<![\w.]|\w[-:/])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]|[-,:/]\d)/gi;

function byPattern(stdout: string, line: string, match: RegExpExecArray): PrintedMetric | undefined {
  const [text] = match;
  const [before, after] = [line.slice(0, match.index), line.slice(match.index + text.length)];
  const name = nameFrom(before, after);
  if (name === undefined) return undefined;
  const capture = /^[\d,.]+$/.test(text) ? '([\\d,.]+)' : '(-?[\\d,]*\\.?\\d+(?:e[-+]?\\d+)?)';
  for (const words of [3, 1, 99]) {
    const pattern = `${spelt(lastWords(before, words))}${capture}${spelt(firstWords(after, 1))}`;
    if (whyNoMetricPattern(pattern) !== undefined) continue;
    const read = readNumbers(stdout, name, pattern);
    if (read.kind === 'numbers') return { name, pattern, value: read.score, line: line.trim() };
  }
  return undefined;
}

const lastWords = (text: string, count: number): string =>
  new RegExp(`(?:\\S+\\s*){0,${count}}$`).exec(text)?.[0] ?? '';

const firstWords = (text: string, count: number): string =>
  new RegExp(`^(?:\\s*[^\\s\\d]+){0,${count}}`).exec(text)?.[0] ?? '';

/** As a regular expression in which other numbers, and how far columns are apart, may change. */
const spelt = (text: string): string =>
  text
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replace(/\d[\d,]*(?:\\\.\d+)?/g, '[\\d,.]+')
    .replace(/\s{2,}|\t/g, '\\s+');

/** `error rate = 0.3` is error_rate, `x 100,512 ops/sec` is ops, `512 ns/op` is ns_op, `7 issues` is issues. */
function nameFrom(before: string, after: string): string | undefined {
  const said = /([A-Za-z][\w -]*?)\s*[=:]\s*[^\w\s]?$/.exec(before)?.[1];
  const [, what, per] = /^\s*([A-Za-z][A-Za-z_]*)(?:\/([A-Za-z]+))?/.exec(after) ?? [];
  const unit = per === undefined || /^(s|sec|second|min|minute)$/i.test(per) ? what : `${what}_${per}`;
  const last = /([A-Za-z][\w-]*)\W*$/.exec(before)?.[1];
  const name = (said ?? unit ?? last ?? '').trim().toLowerCase().replace(/\W+/g, '_').slice(0, 40);
  return isMetricName(name) ? name : undefined;
}

/** Those that a person may mean by a name. */
export function meantBy(wanted: string, printed: readonly PrintedMetric[]): readonly PrintedMetric[] {
  const exact = printed.filter(({ name, pattern }) => name === wanted && pattern === undefined);
  if (exact.length > 0) return exact;
  const words = wanted.toLowerCase().split(/[^a-z0-9]+/);
  const close = printed.filter(({ name }) => name === wanted);
  const found =
    close.length > 0 ? close : printed.filter(({ line }) => words.every((word) => line.toLowerCase().includes(word)));
  return found.map((one) => ({ ...one, name: wanted })).filter(({ pattern }) => pattern !== undefined);
}

/** Which way is better, as far as the name of a metric tells. */
export function likelyDirection(name: string): 'minimize' | 'maximize' | undefined {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const isOne = (list: string): boolean => words.some((word) => list.split(' ').includes(word));
  if (isOne(fewer)) return 'minimize';
  return isOne(more) ? 'maximize' : undefined;
}

const fewer =
  'error errors loss waste time seconds second secs ms ns us bytes size latency perplexity bpb miss misses failed failures issues problems warnings memory cost lines rmse mae mse distance';
const more = 'op ops accuracy acc f1 recall precision throughput speed reward passed coverage qps rps hits score';
