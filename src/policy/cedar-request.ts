import type { Act, Principal } from '../domain/rules/act.ts';
import { resourceTypes } from './act-schema.ts';
import type { CedarValueJson, Context, EntityJson, EntityUid } from './cedar.ts';

/** An act as Cedar is asked about it. */
export interface CedarRequest {
  readonly principal: EntityUid;
  readonly action: EntityUid;
  readonly resource: EntityUid;
  readonly context: Context;
  readonly entities: EntityJson[];
}

export function cedarRequest(act: Act): CedarRequest {
  const { id, ...attributes } = act.resource;
  const principal = principalUid(act.principal);
  const resource = { type: resourceTypes[act.act], id };
  const entities: EntityJson[] = [
    principalEntity(act.principal),
    { uid: resource, attrs: { name: id, ...valuesOf(attributes) }, parents: departmentOf(attributes.department) },
  ];
  const context: Context = { ...valuesOf(act.context), approved: [...act.approved] };
  if (act.act === 'tool') {
    const numbers = Object.entries(act.numbers ?? {}).map(([name, value]) => [name, decimal(value)] as const);
    entities.push(
      { uid: texts, attrs: {}, parents: [], tags: { ...act.texts } },
      { uid: numbersOf, attrs: {}, parents: [], tags: Object.fromEntries(numbers) },
    );
    Object.assign(context, { texts: { __entity: texts }, numbers: { __entity: numbersOf } });
  }
  return { principal, action: { type: 'Action', id: act.act }, resource, context, entities };
}

/** An act is about one call, so its arguments need no name. */
const texts = { type: 'Texts', id: 'this' };
const numbersOf = { type: 'Numbers', id: 'this' };

const principalUid = ({ kind, id }: Principal): EntityUid => ({ type: kind === 'agent' ? 'Agent' : 'Person', id });

function principalEntity(principal: Principal): EntityJson {
  const uid = principalUid(principal);
  if (principal.kind === 'person') return { uid, attrs: { name: principal.id }, parents: [] };
  const { id, role, level, department, domains, trust } = principal;
  const attrs = {
    name: id,
    role,
    level: Math.round(level),
    department,
    domains: [...domains],
    trust: Math.round(trust),
  };
  return { uid, attrs, parents: departmentOf(department) };
}

const departmentOf = (department: unknown): EntityUid[] =>
  typeof department === 'string' && department !== '' ? [{ type: 'Department', id: department }] : [];

/** Money is the one attribute with digits after the point; all other numbers are counted. */
const valuesOf = (values: Readonly<Record<string, unknown>>): Record<string, CedarValueJson> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      key === 'usd' && typeof value === 'number' ? decimal(value) : (value as CedarValueJson),
    ]),
  );

const mostDecimal = 922_337_203_685_477;

/** Cedar's decimals have four digits after the point. What has more counts as the next larger one: a cap must hold. */
function decimal(value: number): CedarValueJson {
  const bounded = Math.max(-mostDecimal, Math.min(mostDecimal, value));
  const near = bounded.toFixed(4);
  const arg = Number(near) < bounded ? (Number(near) + 0.0001).toFixed(4) : near;
  return { __extn: { fn: 'decimal', arg } };
}
