import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import { root } from '../support/org.ts';

/** Orgrepo with one mistake in it, to show that the checker would notice. */
export interface Variant {
  readonly name: string;
  readonly mistake: string;
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

export const variants: readonly Variant[] = [
  {
    name: 'unsaved',
    mistake: 'a candidate is measured without being saved first',
    file: 'src/steps/attempt/run-experiment.ts',
    replace: 'saveCandidate(night.run.org, bench.claim.spec.id, commit)',
    by: 'Promise.resolve()',
  },
  {
    name: 'twice',
    mistake: 'after a restart a saved candidate is judged without looking whether it was judged before',
    file: 'src/steps/recover/recover.ts',
    replace: 'saved: recorded ? undefined : candidate',
    by: 'saved: candidate',
  },
  {
    name: 'renumber',
    mistake: 'after a restart numbers are given from the ledger alone',
    file: 'src/steps/recover/recover.ts',
    replace: 'return { left, waiting, experiments, repaired, refused };',
    by: 'return { left, waiting, experiments: queue.ledger.experiments, repaired, refused };',
  },
  {
    name: 'harness',
    mistake: 'a candidate of an earlier run is measured by the harness of this one',
    file: 'src/steps/recover/resume-claim.ts',
    replace: 'measureKey(own) === measureKey(night.inForce.pinned) ? night.inForce.pinned : own',
    by: 'night.inForce.pinned',
  },
  {
    name: 'forgotten',
    mistake: 'after a restart a keep that had not reached best is left where it is',
    file: 'src/steps/recover/resume-claim.ts',
    replace: 'if (await descendsFrom(night.run.org.repo, night.tally.best.commit, kept.tried)) return stands;',
    by: "if (kept.tried !== '') return stands;",
  },
  {
    name: 'unpacked',
    mistake: 'packs are removed before the one that joins them is there',
    file: 'src/git/packs/pack-loose.ts',
    replace: 'const ids = await Promise.all(',
    by: 'setImmediate(() => joined.forEach((name) => removePack(name, dir)));\n  const ids = await Promise.all(',
  },
];

/** Bundles a variant into a directory; gives back what to start. */
export async function bundleVariant(variant: Variant, outdir: string): Promise<string> {
  const { bundle } = (await import(pathToFileURL(path.join(root, 'scripts/build.mjs')).href)) as {
    bundle: (outdir: string, plugins: Plugin[]) => Promise<void>;
  };
  let planted = false;
  const plugin: Plugin = {
    name: 'mistake',
    setup: (build) => {
      build.onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        if (!file.endsWith(`/${variant.file}`)) return undefined;
        const text = readFileSync(file, 'utf8');
        if (text.split(variant.replace).length !== 2)
          throw new Error(`${variant.file} no longer has this once: ${variant.replace}`);
        planted = true;
        return { contents: text.replace(variant.replace, variant.by), loader: 'ts' };
      });
    },
  };
  await bundle(outdir, [plugin]);
  if (!planted) throw new Error(`${variant.file} is not part of the bundle, so ${variant.name} has no mistake in it`);
  return path.join(outdir, 'orgrepo.js');
}
