import type { Random } from '../../text/random.ts';
import { pickWeighted } from './search-chance.ts';
import type { SearchMemory } from './search-memory.ts';
import { moves, type Values } from './search-moves.ts';
import type { Pool } from './search-pool.ts';
import { goBack, goFurther, type Lookup, recallNearMiss } from './search-recall.ts';
import type { Focus } from './search-wish.ts';

/** What the search knows when it makes one change. */
export interface Search {
  readonly pool: Pool;
  readonly memory: SearchMemory;
  readonly find: Lookup;
  readonly focus: Focus | undefined;
  readonly random: Random;
}

export interface SearchProposal {
  readonly move: string;
  readonly values: Values;
}

/** One change, made in a way that is chosen by what the spec asks for and by what has paid off lately. */
export function propose(search: Search): SearchProposal {
  const recipe = pickWeighted(search.random, recipes, (one) => weightOf(one, search));
  return { move: recipe?.name ?? 'none', values: recipe?.make(search) ?? new Map() };
}

interface Recipe {
  readonly name: string;
  readonly focus: Focus;
  readonly on: 'numbers' | 'tables' | 'choices' | 'sites';
  readonly weight: number;
  readonly make: (search: Search) => Values;
}

const plain: readonly Recipe[] = moves.map(({ move, ...rest }) => ({
  ...rest,
  make: (search) => move(search.pool, drawStep(search), search.random),
}));

const nearMiss = ({ memory, find, random }: Search): Values => recallNearMiss(memory, find, random);

const recipes: readonly Recipe[] = [
  ...plain,
  {
    name: 'further',
    focus: 'near misses',
    on: 'numbers',
    weight: 2,
    make: ({ memory, find, random }) => goFurther(memory, find, random),
  },
  {
    name: 'back',
    focus: 'near misses',
    on: 'numbers',
    weight: 2,
    make: ({ memory, find, random }) => goBack(memory, find, random),
  },
  {
    name: 'extend',
    focus: 'near misses',
    on: 'sites',
    weight: 3,
    make: (search) => merge(nearMiss(search), onePlain(search)),
  },
  {
    name: 'join',
    focus: 'near misses',
    on: 'sites',
    weight: 1,
    make: (search) => merge(nearMiss(search), nearMiss(search)),
  },
  {
    name: 'kick',
    focus: 'single steps',
    on: 'sites',
    weight: 0.5,
    make: (search) => merge(onePlain(search), onePlain(search), onePlain(search)),
  },
];

function weightOf({ name, focus, on, weight }: Recipe, { pool, memory, focus: wanted }: Search): number {
  if (pool[on].length === 0) return 0;
  return weight * memory.worthOf(name) * (focus === wanted ? 4 : 1);
}

/** Around the size that the notebook suggests, sometimes much smaller or larger. */
function drawStep({ memory, random }: Search): number {
  return Math.min(2, Math.max(0.005, memory.step * 10 ** (0.4 * random.normal())));
}

function onePlain(search: Search): Values {
  return pickWeighted(search.random, plain, (one) => weightOf(one, search))?.make(search) ?? new Map();
}

/** What comes later wins. */
function merge(...all: readonly Values[]): Values {
  return new Map(all.flatMap((values) => [...values]));
}
