import { buildSchema, type GraphQLSchema } from 'graphql';
import type { Dataset } from './dataset.ts';
import { DATE_TIME } from './date-time.ts';
import { conditionFields, type Operator, TS, type ValueType } from './filter.ts';

/** Name of the field with the sums of `aggregate`. */
export const SUM = 'sum';

const COMMON = `
"A date with a time, ISO 8601. UTC where no zone is given."
scalar DateTime
input IntRange { begin: Int! end: Int! }
input DateTimeRange { begin: DateTime! end: DateTime! }
`;

/** Returns the read-only schema of an account's endpoint. */
export function schemaOf(datasets: readonly Dataset[]): GraphQLSchema {
  const query = `type Query { ${datasets.flatMap(queryFields).join('\n')} }`;
  const schema = buildSchema([COMMON, ...datasets.map(typesOf), query].join('\n'));
  Object.assign(schema.getType('DateTime') ?? {}, DATE_TIME);
  return schema;
}

function typeName({ names: [name] }: Dataset): string {
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

/** Returns the query fields of a dataset: its name and its former names. */
function queryFields(dataset: Dataset): string[] {
  const type = typeName(dataset);
  const aggregate = hasMeasures(dataset) ? `aggregate: ${type}Aggregate` : '';
  return dataset.names.map(
    (name) => `${name}(filter: ${type}Filter ${aggregate} groupBy: [${type}GroupBy!]
      orderBy: [${type}OrderBy!] offset: Int = 0 limit: Int = 10): [${type}!]!`,
  );
}

function hasMeasures({ measures }: Dataset): boolean {
  return Object.keys(measures).length > 0;
}

function typesOf(dataset: Dataset): string {
  const type = typeName(dataset);
  const dimensions = [
    `${TS}: DateTime`,
    ...Object.entries(dataset.dimensions).map(([name, { type: of }]) => `${name}: ${of}`),
  ];
  const names = [TS, ...Object.keys(dataset.dimensions)];
  const sum = hasMeasures(dataset) ? [SUM] : [];
  const calculated = Object.keys(dataset.fields);
  const ordered = [...names, ...sum, ...calculated].flatMap((field) => [`${field}_ASC`, `${field}_DESC`]);
  const conditions = [...conditionFields(dataset)].map(
    ([field, { type: of, operator }]) => `${field}: ${operandOf(of, operator)}`,
  );
  const aggregate = `enum ${type}Measure { ${Object.keys(dataset.measures).join(' ')} }
    input ${type}Aggregate { sum: ${type}Measure }`;
  return `
    type ${type} { ${[...dimensions, ...[...calculated, ...sum].map((field) => `${field}: Float`)].join('\n')} }
    input ${type}Filter { ${conditions.join('\n')} and: [${type}Filter!] or: [${type}Filter!] not: ${type}Filter }
    enum ${type}GroupBy { ${names.join(' ')} }
    enum ${type}OrderBy { ${ordered.join(' ')} }
    ${hasMeasures(dataset) ? aggregate : ''}`;
}

function operandOf(type: ValueType, operator: Operator): string {
  if (operator === 'IsNull') return 'Boolean';
  if (operator === 'Range') return `${type}Range`;
  return operator === 'In' || operator === 'NotIn' ? `[${type}!]` : type;
}
