import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { type Filter, OPERATORS_OF, type Operator, TS } from './condition.ts';
import type { Dataset } from './dataset.ts';
import { DateTime } from './date-time.ts';

/** The arguments of a dataset as the schema lets them through. */
export interface DatasetArguments {
  readonly filter?: Filter | null;
  readonly aggregate?: { readonly sum?: string | null } | null;
  readonly groupBy?: readonly string[] | null;
  readonly orderBy?: readonly string[] | null;
  readonly offset: number;
  readonly limit: number;
}

/** Answers the field of a dataset. */
export type Read<Context> = (
  dataset: Dataset,
  args: DatasetArguments,
  context: Context,
  info: GraphQLResolveInfo,
) => readonly object[];

/** The field that brings what `aggregate` adds up. */
export const SUM = 'sum';

const SCALARS = { String: GraphQLString, Int: GraphQLInt, DateTime } as const;

type Scalar = keyof typeof SCALARS;

const RANGES: Readonly<Record<Scalar, GraphQLInputType>> = {
  String: range('StringRange', GraphQLString),
  Int: range('IntRange', GraphQLInt),
  DateTime: range('DateTimeRange', DateTime),
};

function range(name: string, type: GraphQLInputType): GraphQLInputObjectType {
  const bound = { type: new GraphQLNonNull(type) };
  return new GraphQLInputObjectType({ name, fields: { begin: bound, end: bound } });
}

function operandOf(type: Scalar, operator: Operator): GraphQLInputType {
  if (operator === 'IsNull') return GraphQLBoolean;
  if (operator === 'Range') return RANGES[type];
  const scalar = SCALARS[type];
  const takesMany = operator === 'In' || operator === 'NotIn';
  return takesMany ? new GraphQLList(new GraphQLNonNull(scalar)) : scalar;
}

/** The schema that an account's endpoint serves; it only reads. */
export function schemaOf<Context>(datasets: readonly Dataset[], read: Read<Context>): GraphQLSchema {
  const fields = datasets.flatMap((dataset) => {
    const field = datasetField(dataset, read);
    return dataset.names.map((name) => [name, field] as const);
  });
  return new GraphQLSchema({
    query: new GraphQLObjectType<unknown, Context>({ name: 'Query', fields: Object.fromEntries(fields) }),
  });
}

function datasetField<Context>(
  dataset: Dataset,
  read: Read<Context>,
): GraphQLFieldConfig<unknown, Context, DatasetArguments> {
  const [name] = dataset.names;
  const typeName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const measures = Object.keys(dataset.measures);
  const dimensions = [TS, ...dataset.dimensions.map((dimension) => dimension.name)];
  const calculated = Object.keys(dataset.fields);
  const many = (type: GraphQLEnumType) => ({ type: new GraphQLList(new GraphQLNonNull(type)) });
  const ordered = [...dimensions, ...(measures.length > 0 ? [SUM] : []), ...calculated];
  const directions = ordered.flatMap((field) => [`${field}_ASC`, `${field}_DESC`]);
  const aggregate = new GraphQLInputObjectType({
    name: `${typeName}Aggregate`,
    fields: () => ({ sum: { type: enumeration(`${typeName}Measure`, measures) } }),
  });
  return {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(rowType(typeName, dataset)))),
    args: {
      filter: { type: filterType(typeName, dataset) },
      ...(measures.length > 0 && { aggregate: { type: aggregate } }),
      groupBy: many(enumeration(`${typeName}GroupBy`, dimensions)),
      orderBy: many(enumeration(`${typeName}OrderBy`, directions)),
      offset: { type: GraphQLInt, defaultValue: 0 },
      limit: { type: GraphQLInt, defaultValue: 10 },
    },
    resolve: (_, args, context, info) => read(dataset, args, context, info),
  };
}

function enumeration(name: string, values: readonly string[]): GraphQLEnumType {
  return new GraphQLEnumType({ name, values: Object.fromEntries(values.map((value) => [value, {}])) });
}

function rowType(name: string, dataset: Dataset): GraphQLObjectType {
  const number = { type: GraphQLFloat };
  return new GraphQLObjectType({
    name,
    fields: {
      [TS]: { type: DateTime },
      ...Object.fromEntries(
        dataset.dimensions.map((dimension) => [dimension.name, { type: SCALARS[dimension.type] }]),
      ),
      ...Object.fromEntries(Object.keys(dataset.fields).map((field) => [field, number])),
      ...(Object.keys(dataset.measures).length > 0 && { [SUM]: number }),
    },
  });
}

function filterType(typeName: string, dataset: Dataset): GraphQLInputObjectType {
  const dimensions: readonly (readonly [string, Scalar])[] = [
    [TS, 'DateTime'],
    ...dataset.dimensions.map(({ name, type }) => [name, type] as const),
  ];
  const conditions = dimensions.flatMap(([name, type]) =>
    OPERATORS_OF[type].map(
      (operator) => [`${name}${operator}`, { type: operandOf(type, operator) }] as const,
    ),
  );
  const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${typeName}Filter`,
    fields: () => ({
      ...Object.fromEntries(conditions),
      and: { type: new GraphQLList(new GraphQLNonNull(filter)) },
      or: { type: new GraphQLList(new GraphQLNonNull(filter)) },
      not: { type: filter },
    }),
  });
  return filter;
}
