import picomatch from 'picomatch';

/** Which paths a list of the brief's patterns names, and which directories are on the way to one. */
export interface Globs {
  readonly names: (path: string) => boolean;
  readonly leadsTo: (dir: string) => boolean;
}

/** `sandbox/**`, `src/*.js`, `train.py`; a plain path names the file, or everything below the directory. */
export function readGlobs(patterns: readonly string[]): Globs {
  const matchers = patterns.map((pattern) => picomatch([pattern, `${pattern}/**`], { dot: true, nonegate: true }));
  const bases = patterns.map((pattern) => picomatch.scan(pattern).base);
  return {
    names: (path) => matchers.some((matches) => matches(path)),
    leadsTo: (dir) =>
      bases.some((base) => base === '' || dir === base || base.startsWith(`${dir}/`) || dir.startsWith(`${base}/`)),
  };
}
