/** The spread that `Org-Noise: <squares>/<count>` tells of: how far two measurements of one thing lie apart. 0: it repeats itself. */
export function parseSpread(text: string | undefined): number {
  const [, squares, count] = /^([0-9.eE+-]+)\/([0-9]+)$/.exec(text ?? '') ?? [];
  const spread = Math.sqrt(Number(squares) / Number(count));
  return Number.isFinite(spread) ? spread : 0;
}
