import {
  type FieldNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from 'graphql';
import type { Order, RowsQuery } from './answer-rows.ts';
import { conditionsOf, type TimeWindow, TS, windowOf } from './condition.ts';
import { type Calculated, type Dataset, total } from './dataset.ts';
import { type DatasetArguments, SUM } from './graphql-schema.ts';

/** What the platform lets select and answer at most. */
export const MOST_FIELDS = 37;
export const MOST_ROWS = 10_000;

/** What is asked of a dataset, and of which time. */
export interface Question extends RowsQuery {
  readonly window: TimeWindow;
}

/** A field that is selected, and the name that the answer gives it. */
export interface Selected {
  readonly field: string;
  readonly as: string;
}

/** @throws GraphQLError which part of the question is to be changed, and why */
export function questionOf(
  dataset: Dataset,
  args: DatasetArguments,
  selected: readonly Selected[],
): Question {
  const { offset, limit, filter } = args;
  if (limit < 0 || limit > MOST_ROWS) refuse(`limit: it must be between 0 and ${MOST_ROWS}, not ${limit}.`);
  if (offset < 0) refuse(`offset: it must not be negative, but is ${offset}.`);
  const window = windowOf(filter ?? {});
  if (window === undefined) refuse('filter: a time window is required: tsRange, or tsGt and tsLt.');
  if (window.begin.zone !== window.end.zone)
    refuse('filter: both ends of the time window must be in one time zone.');
  const names = [TS, ...dataset.dimensions.map(({ name }) => name)];
  const groupBy = [...new Set(args.groupBy ?? [])];
  const fields = fieldsOf(dataset, args, groupBy, selected);
  const orderBy = (args.orderBy ?? []).map(orderOf);
  const outcome = new Set([...groupBy, ...fields.keys()]);
  for (const { field } of orderBy) {
    if (!outcome.has(field)) refuse(`orderBy: ${field} is neither selected nor in groupBy.`);
  }
  return {
    dataset,
    groupBy,
    fields,
    orderBy,
    offset,
    limit,
    window,
    conditions: conditionsOf(filter ?? {}, names),
  };
}

function fieldsOf(
  dataset: Dataset,
  { aggregate }: DatasetArguments,
  groupBy: readonly string[],
  selected: readonly Selected[],
): ReadonlyMap<string, Calculated> {
  const names = [...new Set(selected.map(({ field }) => field))].filter((field) => field !== '__typename');
  const counted = names.filter((name) => name !== SUM);
  if (counted.length > MOST_FIELDS) {
    refuse(`${counted.length} fields are selected, but at most ${MOST_FIELDS} can be.`);
  }
  const measure = aggregate?.sum ?? undefined;
  const fields = new Map<string, Calculated>();
  for (const name of names) {
    const calculated = Object.hasOwn(dataset.fields, name) ? dataset.fields[name] : undefined;
    if (name === SUM) {
      const quantity = measure === undefined ? undefined : dataset.measures[measure];
      if (quantity === undefined) refuse(`${SUM}: it needs aggregate: {${SUM}: ...}.`);
      fields.set(SUM, total(quantity));
    } else if (calculated !== undefined) {
      if (measure !== undefined) refuse(`${name}: it is calculated, and cannot be selected with aggregate.`);
      fields.set(name, calculated);
    } else if (!groupBy.includes(name)) refuse(`${name}: it is selected, but not in groupBy.`);
  }
  return fields;
}

function orderOf(text: string): Order {
  const at = text.lastIndexOf('_');
  return { field: text.slice(0, at), descending: text.slice(at) === '_DESC' };
}

function refuse(message: string): never {
  throw new GraphQLError(message);
}

/** The fields that are selected of the rows, those of fragments included. */
export function selectedOf({
  fieldNodes,
  fragments,
  variableValues,
}: GraphQLResolveInfo): readonly Selected[] {
  const isIncluded = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
  const collect = (nodes: readonly SelectionNode[]): readonly Selected[] =>
    nodes.filter(isIncluded).flatMap((node) => {
      if (node.kind === 'Field') return [{ field: node.name.value, as: responseName(node) }];
      const fragment = node.kind === 'InlineFragment' ? node : fragments[node.name.value];
      return collect(fragment?.selectionSet.selections ?? []);
    });
  return fieldNodes.flatMap(({ selectionSet }) => collect(selectionSet?.selections ?? []));
}

function responseName({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
