import type { Random } from '../domain/random.ts';
import { pickWeighted } from './search-chance.ts';
import type { Memory } from './search-memory.ts';
import { moves, type Values } from './search-moves.ts';
import type { Pool } from './search-pool.ts';
import { goBack, goFurther, type Lookup, recallNearMiss } from './search-recall.ts';
import type { Focus } from './search-wish.ts';

/** What the search knows when it makes one change. */
export interface Search {
  readonly pool: Pool;
  readonly memory: Memory;
  readonly find: Lookup;
  readonly focus: Focus | undefined;
  readonly random: Random;
}

export interface Proposal {
  readonly move: string;
  readonly values: Values;
}

/** One change, made in a way that is chosen by what the spec asks for and by what has paid off lately. */
export function propose(search: Search): Proposal {
  const recipe = pickWeighted(search.random, recipes, (one) => weightOf(one, search)) ?? plain[0];
  return recipe === undefined
    ? { move: 'none', values: new Map() }
    : { move: recipe.name, values: recipe.make(search) };
}

interface Recipe {
  readonly name: string;
  readonly focus: Focus;
  readonly weight: number;
  readonly make: (search: Search) => Values;
}

const plain: readonly Recipe[] = moves.map(({ name, focus, weight, move }) => ({
  name,
  focus,
  weight,
  make: (search) => move(search.pool, drawStep(search), search.random),
}));

const recipes: readonly Recipe[] = [
  ...plain,
  {
    name: 'further',
    focus: 'near misses',
    weight: 2,
    make: (search) => goFurther(search.memory, search.find, search.random),
  },
  {
    name: 'back',
    focus: 'near misses',
    weight: 2,
    make: (search) => goBack(search.memory, search.find, search.random),
  },
  { name: 'extend', focus: 'near misses', weight: 3, make: (search) => merge(nearMiss(search), onePlain(search)) },
  { name: 'join', focus: 'near misses', weight: 1, make: (search) => merge(nearMiss(search), nearMiss(search)) },
  {
    name: 'kick',
    focus: 'single steps',
    weight: 0.5,
    make: (search) => merge(onePlain(search), onePlain(search), onePlain(search)),
  },
];

function weightOf(recipe: Recipe, { memory, focus }: Search): number {
  return recipe.weight * memory.worthOf(recipe.name) * (recipe.focus === focus ? 4 : 1);
}

/** Around the size that the notebook suggests, sometimes much smaller or larger. */
function drawStep({ memory, random }: Search): number {
  return Math.min(2, Math.max(0.005, memory.step * 10 ** (0.4 * random.normal())));
}

const nearMiss = ({ memory, find, random }: Search): Values => recallNearMiss(memory, find, random);

function onePlain(search: Search): Values {
  return pickWeighted(search.random, plain, (one) => weightOf(one, search))?.make(search) ?? new Map();
}

/** What comes later wins. */
function merge(...all: readonly Values[]): Values {
  return new Map(all.flatMap((values) => [...values]));
}
