import path from 'node:path';
import {
  type Expression,
  isCallExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isStringLiteral,
  isTemplateExpression,
  isTypeAliasDeclaration,
  type Node,
  type ObjectLiteralExpression,
} from 'typescript/unstable/ast';
import { API, type Checker, SymbolFlags, type Type } from 'typescript/unstable/sync';
import { root } from '../support/org.ts';

/**
 * What orgrepo can write, as its source says. It is found by the types of the source, so files may move and names may change.
 * The compiler calls its interface unstable: a new version of typescript may ask for a change here, and nowhere else.
 */
export interface Source {
  /** `Agent` for the trailer `Org-Agent`. */
  readonly trailers: readonly string[];
  /** The values of `Org-Event`; `<string>` when its type does not name them. */
  readonly events: readonly string[];
  /** How names of refs begin. */
  readonly refs: readonly string[];
  /** The files in `.git/orgrepo`; `<>` stands for the part that differs. */
  readonly files: readonly string[];
  readonly problemCodes: readonly string[];
}

let known: Source | undefined;

/** The compiler reads the whole source for it, once in a process. */
export function readSource(): Source {
  known ??= readWith();
  return known;
}

function readWith(): Source {
  const api = new API({ cwd: root });
  try {
    const config = path.join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`${config} is no project`);
    const src = `${path.join(root, 'src').replaceAll('\\', '/')}/`;
    const files = project.program.getSourceFileNames().filter((file) => file.startsWith(src));
    const nodes = files.flatMap((file) => nodesIn(project.program.getSourceFile(file)));
    return sourceOf(nodes, project.checker);
  } finally {
    api.close();
  }
}

function nodesIn(node: Node | undefined): Node[] {
  const nodes: Node[] = [];
  const visit = (one: Node): void => {
    nodes.push(one);
    one.forEachChild(visit);
  };
  if (node !== undefined) visit(node);
  return nodes;
}

function sourceOf(nodes: readonly Node[], checker: Checker): Source {
  const objects = nodes.filter(isObjectLiteralExpression);
  const trailers = trailerObjects(objects, checker).flatMap(fieldsOf);
  const changes = objects.filter((object) => isChange(object, checker)).flatMap(fieldsOf);
  const events = [
    ...trailers.filter(({ name }) => name === 'Event'),
    ...changes.filter(({ name }) => name === 'event'),
  ].filter(({ value }) => !isEventOfChange(value, checker));
  const texts = nodes.flatMap((node) => textOf(node) ?? []);
  return {
    trailers: sorted([
      ...trailers.map(({ name }) => name).filter((name) => trailerName.test(name)),
      ...texts.flatMap((text) => /^Org-([A-Z][a-z]+): $/.exec(text)?.[1] ?? []),
    ]),
    events: sorted(events.flatMap(({ value }) => wordsOf(checker.getTypeAtLocation(value), checker))),
    refs: sorted(texts.filter((text) => /^refs\/(heads\/)?orgrepo[-/][^<]+(<>.*)?$/.test(text))),
    files: sorted(nodes.flatMap((node) => ownFileOf(node) ?? [])),
    problemCodes: nodes
      .filter(isTypeAliasDeclaration)
      .filter(({ name }) => name.text === 'ProblemCode')
      .flatMap(({ type }) => wordsOf(checker.getTypeAtLocation(type), checker)),
  };
}

const sorted = (words: readonly string[]): readonly string[] => [...new Set(words)].sort();

const trailerName = /^[A-Z][A-Za-z]*(-[A-Z][A-Za-z]*)*$/;

/** The objects whose fields become trailers, with the objects that are spread into them, also by a name or a call. */
function trailerObjects(objects: readonly ObjectLiteralExpression[], checker: Checker): ObjectLiteralExpression[] {
  const isNamed = (object: ObjectLiteralExpression): boolean =>
    fieldsOf(object).some(({ name }) => trailerName.test(name)) ||
    spreadsOf(object).some((spread) => nodesIn(spread).filter(isObjectLiteralExpression).some(isNamed));
  const named = objects.filter(isNamed);
  const found = new Set<ObjectLiteralExpression>();
  const values = objects.flatMap(fieldsOf).filter(({ name }) => name === 'trailers');
  const wanted = named.filter(
    (object) =>
      values.some(({ value }) => value === object) ||
      holdsTrailers(contextOf(object, checker), checker) ||
      spreadsOf(object).some((spread) => holdsTrailers(partsOf(checker.getTypeAtLocation(spread)), checker)),
  );
  for (let object = wanted.pop(); object !== undefined; object = wanted.pop()) {
    if (found.has(object)) continue;
    found.add(object);
    const inside = spreadsOf(object).flatMap((spread) => nodesIn(spread));
    const behind = inside.filter(isIdentifier).flatMap((name) => declarationsOf(name, checker).flatMap(nodesIn));
    wanted.push(...[...inside, ...behind].filter(isObjectLiteralExpression).filter((one) => named.includes(one)));
  }
  return [...found];
}

const spreadsOf = ({ properties }: ObjectLiteralExpression): Expression[] =>
  properties.filter(isSpreadAssignment).map(({ expression }) => expression);

/** The functions and constants of this name. */
function declarationsOf(name: Node, checker: Checker): Node[] {
  const symbol = checker.getSymbolAtLocation(name);
  if (symbol === undefined) return [];
  const named = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  return named.declarations.flatMap((one) => one.resolve() ?? []);
}

/** A map from names to `string | number | undefined`. */
const holdsTrailers = (types: readonly Type[], checker: Checker): boolean =>
  types
    .flatMap((type) => checker.getIndexInfosOfType(type))
    .some(({ valueType }) => checker.typeToString(valueType) === 'string | number | undefined');

/** Whether an object describes a commit of the queue: it has an event and trailers. */
function isChange(object: ObjectLiteralExpression, checker: Checker): boolean {
  const names = fieldsOf(object).map(({ name }) => name);
  if (!names.includes('event')) return false;
  return hasBoth(names) || contextOf(object, checker).some((type) => hasBoth(namesIn(type, checker)));
}

const hasBoth = (names: readonly string[]): boolean => names.includes('event') && names.includes('trailers');

const namesIn = (type: Type, checker: Checker): string[] => checker.getPropertiesOfType(type).map(({ name }) => name);

/** `Event: change.event` */
const isEventOfChange = (value: Node, checker: Checker): boolean =>
  isPropertyAccessExpression(value) &&
  partsOf(checker.getTypeAtLocation(value.expression)).some((type) => hasBoth(namesIn(type, checker)));

const contextOf = (object: ObjectLiteralExpression, checker: Checker): readonly Type[] =>
  partsOf(checker.getContextualType(object));

const partsOf = (type: Type | undefined): readonly Type[] =>
  type === undefined ? [] : type.isUnionType() ? type.getTypes() : [type];

const wordsOf = (type: Type | undefined, checker: Checker): string[] =>
  partsOf(type).map((part) => (part.isStringLiteralType() ? part.value : `<${checker.typeToString(part)}>`));

interface Field {
  readonly name: string;
  readonly value: Node;
}

const fieldsOf = (object: ObjectLiteralExpression): readonly Field[] =>
  object.properties.flatMap((one): readonly Field[] => {
    if (isPropertyAssignment(one)) return [{ name: nameOf(one.name), value: one.initializer }];
    return isShorthandPropertyAssignment(one) ? [{ name: nameOf(one.name), value: one.name }] : [];
  });

const nameOf = (name: Node): string => (isIdentifier(name) ? name.text : (textOf(name) ?? ''));

/** A text of the source, with `<>` for each value that is put into it. */
function textOf(node: Node): string | undefined {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `<>${literal.text}`).join('');
}

/** `path.join(gitDir, 'orgrepo', 'left')` */
function ownFileOf(node: Node): string | undefined {
  if (!isCallExpression(node)) return undefined;
  const texts = node.arguments.map(textOf);
  const at = texts.indexOf('orgrepo');
  return at < 1 ? undefined : texts[at + 1];
}
