/** How well candidates are held: by bubblewrap, by namespaces made by hand, or not at all. */
export type JailLevel = 'bubblewrap' | 'namespaces' | 'none';

/** What a person asks for: the best there is (auto), that or nothing (require), or a level by name. */
export type JailWish = 'auto' | 'require' | JailLevel;

export const jailWishes: readonly JailWish[] = ['auto', 'require', 'bubblewrap', 'namespaces', 'none'];

/** The levels that would do, best first. */
export function levelsFor(wish: JailWish): readonly JailLevel[] {
  if (wish === 'auto') return ['bubblewrap', 'namespaces', 'none'];
  return wish === 'require' ? ['bubblewrap', 'namespaces'] : [wish];
}
