import {
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from 'graphql';
import type { Order, RowsQuery } from './answer-rows.ts';
import { type Calculated, type Dataset, total } from './dataset.ts';
import { SUM } from './dataset-schema.ts';
import { conditionFields, conditionsOf, type Filter, type TimeWindow, windowOf } from './filter.ts';

/** Maximum numbers of fields in a selection, and of rows in a response. */
const MOST_FIELDS = 37;
const MOST_ROWS = 10_000;

/** Arguments of a dataset, validated by the schema. */
export interface DatasetArguments {
  readonly filter?: Filter | null;
  readonly aggregate?: { readonly sum?: string | null } | null;
  readonly groupBy?: readonly string[] | null;
  readonly orderBy?: readonly string[] | null;
  readonly offset: number;
  readonly limit: number;
}

/** A question to a dataset about a window. */
export interface Question extends RowsQuery {
  readonly window: TimeWindow;
}

/** A selected field, and its name in the response. */
export interface Selected {
  readonly field: string;
  readonly as: string;
}

/** @throws GraphQLError with the invalid part of the question and the reason */
export function questionOf(
  dataset: Dataset,
  args: DatasetArguments,
  selected: readonly Selected[],
): Question {
  const { offset, limit } = args;
  const filter = args.filter ?? {};
  if (limit < 0 || limit > MOST_ROWS) refuse(`limit: it must be between 0 and ${MOST_ROWS}, not ${limit}.`);
  if (offset < 0) refuse(`offset: it must not be negative, but is ${offset}.`);
  const window = windowOf(filter);
  if (window === undefined) refuse('filter: a time window is required: tsRange, or tsGt and tsLt.');
  if (window.begin.zone !== window.end.zone)
    refuse('filter: both ends of the time window must be in one time zone.');
  const groupBy = [...new Set(args.groupBy ?? [])];
  const fields = fieldsOf(dataset, args.aggregate?.sum ?? undefined, groupBy, selected);
  const orderBy = (args.orderBy ?? []).map(orderOf);
  const stray = orderBy.find(({ field }) => !groupBy.includes(field) && !fields.has(field));
  if (stray !== undefined) refuse(`orderBy: ${stray.field} is neither selected nor in groupBy.`);
  const conditions = conditionsOf(filter, conditionFields(dataset));
  return { dataset, groupBy, fields, orderBy, offset, limit, window, conditions };
}

function fieldsOf(
  dataset: Dataset,
  measure: string | undefined,
  groupBy: readonly string[],
  selected: readonly Selected[],
): ReadonlyMap<string, Calculated> {
  const names = [...new Set(selected.map(({ field }) => field))].filter((field) => field !== '__typename');
  const counted = names.filter((name) => name !== SUM).length;
  if (counted > MOST_FIELDS) refuse(`${counted} fields are selected, but at most ${MOST_FIELDS} can be.`);
  const fields = new Map<string, Calculated>();
  for (const name of names) {
    const calculated = dataset.fields[name];
    const quantity = name === SUM && measure !== undefined ? dataset.measures[measure] : undefined;
    if (quantity !== undefined) fields.set(SUM, total(quantity));
    else if (name === SUM) refuse(`${SUM}: it needs aggregate: {${SUM}: ...}.`);
    else if (calculated === undefined && !groupBy.includes(name))
      refuse(`${name}: it is selected, but not in groupBy.`);
    else if (calculated !== undefined && measure !== undefined)
      refuse(`${name}: it is calculated, and cannot be selected with aggregate.`);
    else if (calculated !== undefined) fields.set(name, calculated);
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

/** Returns the selected fields of the rows, including those of fragments. */
export function selectedOf({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): Selected[] {
  const isIncluded = (node: SelectionNode) =>
    getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.['if'] !== false;
  const collect = (nodes: readonly SelectionNode[]): Selected[] =>
    nodes.filter(isIncluded).flatMap((node) => {
      if (node.kind === 'Field') return [{ field: node.name.value, as: (node.alias ?? node.name).value }];
      const fragment = node.kind === 'InlineFragment' ? node : fragments[node.name.value];
      return collect(fragment?.selectionSet.selections ?? []);
    });
  return fieldNodes.flatMap(({ selectionSet }) => collect(selectionSet?.selections ?? []));
}
