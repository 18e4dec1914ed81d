import { GraphQLError, type GraphQLResolveInfo, type GraphQLSchema, graphqlSync } from 'graphql';
import { damageAnswer } from '../faults/row-damage.ts';
import { isRecord } from '../formats.ts';
import { dataView } from '../http/data-view.ts';
import type { Exchange } from '../http/http-exchange.ts';
import type { Platform } from '../http/platform.ts';
import { detail, ok, type Reply } from '../http/reply.ts';
import { FINEST } from '../traffic/buckets.ts';
import { type Row, rowsOf } from './answer-rows.ts';
import type { Dataset } from './dataset.ts';
import { type Question, questionOf, type Selected, selectedOf } from './dataset-question.ts';
import { DATASETS } from './datasets.ts';
import { type DatasetArguments, schemaOf } from './graphql-schema.ts';

/** The datasets of an account whose schema lacks some, or some of their fields: `name` or `name.field`. */
function datasetsWithout(missing: readonly string[]): readonly Dataset[] {
  const lacks = new Set(missing);
  return DATASETS.filter(({ names }) => !names.some((name) => lacks.has(name))).map((dataset) => {
    const has = (field: string) => !dataset.names.some((name) => lacks.has(`${name}.${field}`));
    const kept = <Item>(items: Readonly<Record<string, Item>>) =>
      Object.fromEntries(Object.entries(items).filter(([name]) => has(name)));
    return {
      ...dataset,
      dimensions: dataset.dimensions.filter(({ name }) => has(name)),
      measures: kept(dataset.measures),
      fields: kept(dataset.fields),
    };
  });
}

/** What is kept while a document is answered. */
interface Answering {
  readonly exchange: Exchange;
  /** Which fields of its rows hold numbers that were counted, by the name that the answer gives to a dataset. */
  readonly counted: Map<string, ReadonlySet<string>>;
}

/** Answers what is sent to the endpoint. */
export function createAnalytics(platform: Platform): (body: unknown, exchange: Exchange) => Reply {
  const read = (dataset: Dataset, args: DatasetArguments, answering: Answering, info: GraphQLResolveInfo) => {
    const selected = selectedOf(info);
    const question = questionOf(dataset, args, selected);
    answering.counted.set(String(info.path.key), countedNames(question, selected));
    return readRows(platform, question, answering.exchange);
  };
  let made: { readonly of: string; readonly schema: GraphQLSchema } | undefined;
  const schema = () => {
    const { graphqlMissing } = platform.settings;
    const of = graphqlMissing.join();
    if (made?.of !== of) made = { of, schema: schemaOf(datasetsWithout(graphqlMissing), read) };
    return made.schema;
  };
  return (body, exchange) => {
    const { query, variables, operationName } = isRecord(body) ? body : {};
    if (typeof query !== 'string' || query.trim() === '') return detail(400, 'Must provide query string.');
    const answering: Answering = { exchange, counted: new Map() };
    const { data, errors } = graphqlSync({
      schema: schema(),
      source: query,
      contextValue: answering,
      ...(isRecord(variables) && { variableValues: variables }),
      ...(typeof operationName === 'string' && { operationName }),
    });
    const [failure] = errors ?? [];
    return failure === undefined
      ? ok(damageAnswer({ data: { ...data } }, answering.counted, platform.faults, exchange))
      : detail(failure.extensions['status'] === 500 ? 500 : 400, failure.message);
  };
}

function countedNames({ groupBy }: Question, selected: readonly Selected[]): ReadonlySet<string> {
  const isCounted = ({ field }: Selected) => !groupBy.includes(field) && field !== '__typename';
  return new Set(selected.filter(isCounted).map(({ as }) => as));
}

/** @throws GraphQLError 500 where too much would be read */
function readRows(platform: Platform, question: Question, exchange: Exchange): readonly Row[] {
  const { account, settings, traffic } = platform;
  const { window, dataset } = question;
  const { newest, settling, has, partsOf } = dataView(platform, exchange, exchange.nodeTime);
  const [begin, end] = [window.begin.time, window.end.time];
  if (end < begin) return [];
  const sources = [...traffic.spans(dataset.product)].length;
  if ((sources * (end - begin)) / FINEST > settings.graphqlReadLimit) {
    const message = `More than ${settings.graphqlReadLimit} rows would be read. Choose a shorter time window.`;
    throw new GraphQLError(message, { extensions: { status: 500 } });
  }
  const isClosed =
    window.until === 'Lte' || (window.until === 'Range' && settings.graphqlWindowEnd === 'included');
  const { isCoarse = false } = dataset;
  const width = widthOf(end - begin, isCoarse);
  const oldest = newest - (isCoarse ? RETENTION.coarse : RETENTION.fine);
  const start = Math.ceil(Math.max(begin, oldest) / width) * width;
  const until = Math.min(isClosed ? end + 1 : end, newest);
  const buckets = { start, width, count: Math.max(0, Math.ceil((until - start) / width)) };
  return rowsOf({ traffic, account, buckets: partsOf(buckets, 0), settling, has }, question);
}

const HOUR = 60 * FINEST;
const DAY = 24 * HOUR;

/** How far back datasets reach, and those that are not kept in minutes; in ms. */
const RETENTION = { fine: 730 * DAY, coarse: 90 * DAY } as const;

/** The width of the buckets in which a window of this length is answered, both in ms. */
function widthOf(length: number, isCoarse: boolean): number {
  if (length <= 48 * HOUR && !isCoarse) return FINEST;
  return length <= 60 * DAY ? HOUR : DAY;
}
