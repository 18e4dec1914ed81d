import express, { type Request, Router } from 'express';
import { GraphQLError, type GraphQLResolveInfo, graphqlSync } from 'graphql';
import { damageAnswer } from '../faults/row-damage.ts';
import { isRecord } from '../formats.ts';
import { authenticate, fail, limit, type Quota } from '../http/admission.ts';
import { dataView } from '../http/data-view.ts';
import { type Exchange, type Handler, send } from '../http/http-exchange.ts';
import type { Platform } from '../http/platform.ts';
import { detail, NO_CONTENT, ok, type Reply } from '../http/reply.ts';
import { FINEST } from '../traffic/buckets.ts';
import { type Row, rowsOf } from './answer-rows.ts';
import type { Dataset } from './dataset.ts';
import { type DatasetArguments, type Question, questionOf, selectedOf } from './dataset-question.ts';
import { schemaOf } from './dataset-schema.ts';
import { DATASETS } from './datasets.ts';

/** Paths of the endpoint: with the documented base path, and without it. */
const PATHS = ['/metrics/graphql', '/v4/metrics/graphql'];

const NO_ACCESS = detail(404, 'The following resource could not be found.');

/**
 * Returns the router of the platform's GraphQL analytics, an endpoint beside the REST API, with its own quota and refusals. Its
 * sibling endpoints are not implemented: they respond with 204, as to every unknown path.
 */
export function graphqlRouter(platform: Platform): Router {
  const { tokens } = platform;
  const router = Router();
  const endpoint = Router();
  const answer = answering(platform);
  const post: Handler = (req, res) => {
    const { exchange } = res.locals;
    send(platform, req, res, refusalOf(platform, req.method, exchange) ?? answer(req.body, exchange));
  };
  const wording = (authorization: string | undefined, now: number): string => {
    if (!/^token +\S/i.test(authorization ?? '')) return 'Authentication credentials were not provided.';
    return tokens.hasExpired(authorization, now) ? 'The authorization token has expired.' : 'Invalid Token';
  };
  endpoint.use(limit(platform, quotaOf(platform)), authenticate(platform, wording), fail(platform));
  endpoint.use(express.json({ limit: '2mb', strict: false, type: () => true }), post);
  const served: Handler = (_req, _res, next) =>
    next(platform.settings.graphql === 'absent' ? 'route' : undefined);
  router.all(PATHS, served, endpoint);
  const unknown: Handler = (req, res, next) => {
    if (res.locals.exchange.path.endsWith('/graphql')) send(platform, req, res, NO_CONTENT);
    else next();
  };
  return router.use(unknown);
}

function refusalOf({ faults, settings }: Platform, method: string, exchange: Exchange): Reply | undefined {
  if (faults.strike('no_content', exchange)) return NO_CONTENT;
  if (method !== 'POST') return detail(405, `Method "${method}" not allowed.`, { Allow: 'POST' });
  const mayRead = settings.graphql === 'served' && exchange.session?.permissions.has('Analytics');
  const isRefused = faults.strike('forbidden', exchange) ?? faults.strike('not_found', exchange);
  return mayRead && isRefused === undefined ? undefined : NO_ACCESS;
}

/** Returns the quota: per client address, or shared with the token's REST operations. */
function quotaOf({ settings }: Platform) {
  return (req: Request, { session }: Exchange): Quota => {
    const isShared = settings.graphqlQuota === 'shared';
    return {
      holder: isShared ? `reads ${session?.token ?? 'nobody'}` : `address ${req.socket.remoteAddress}`,
      limit: isShared ? settings.rateLimit.reads : settings.graphqlRateLimit,
      refusal: 'You have reached the request rate limit!',
      isShown: settings.graphqlRateHeaders === 'sent',
    };
  };
}

/**
 * Returns the datasets of an account without missing ones or fields.
 * @param missing entries `name` or `name.field`
 */
function datasetsWithout(missing: readonly string[]): readonly Dataset[] {
  const lacks = new Set(missing);
  return DATASETS.filter(({ names }) => !names.some((name) => lacks.has(name))).map((dataset) => {
    const has = (field: string) => !dataset.names.some((name) => lacks.has(`${name}.${field}`));
    const kept = <Item>(items: Readonly<Record<string, Item>>) =>
      Object.fromEntries(Object.entries(items).filter(([name]) => has(name)));
    const { dimensions, measures, fields } = dataset;
    return { ...dataset, dimensions: kept(dimensions), measures: kept(measures), fields: kept(fields) };
  });
}

/** State of a document that is being executed. */
interface Answering {
  readonly exchange: Exchange;
  /** Fields with counts in the rows, by the dataset's name in the response. */
  readonly counted: Map<string, ReadonlySet<string>>;
}

/** Returns the function that executes documents. */
function answering(platform: Platform): (body: unknown, exchange: Exchange) => Reply {
  const read =
    (dataset: Dataset) =>
    (args: DatasetArguments, { counted, exchange }: Answering, info: GraphQLResolveInfo) => {
      const selected = selectedOf(info);
      const question = questionOf(dataset, args, selected);
      const numbers = selected.filter(
        ({ field }) => !question.groupBy.includes(field) && field !== '__typename',
      );
      counted.set(String(info.path.key), new Set(numbers.map(({ as }) => as)));
      return readRows(platform, question, exchange);
    };
  const make = (missing: readonly string[]) => {
    const datasets = datasetsWithout(missing);
    const rootValue = Object.fromEntries(
      datasets.flatMap((dataset) => dataset.names.map((name) => [name, read(dataset)])),
    );
    return { of: missing.join(), schema: schemaOf(datasets), rootValue };
  };
  let made: ReturnType<typeof make> | undefined;
  return (body, exchange) => {
    const { query, variables, operationName } = isRecord(body) ? body : {};
    if (typeof query !== 'string' || query.trim() === '') return detail(400, 'Must provide query string.');
    const { graphqlMissing } = platform.settings;
    if (made?.of !== graphqlMissing.join()) made = make(graphqlMissing);
    const contextValue: Answering = { exchange, counted: new Map() };
    const { data, errors } = graphqlSync({
      schema: made.schema,
      rootValue: made.rootValue,
      source: query,
      contextValue,
      ...(isRecord(variables) && { variableValues: variables }),
      ...(typeof operationName === 'string' && { operationName }),
    });
    const [failure] = errors ?? [];
    return failure === undefined
      ? ok(damageAnswer({ data: { ...data } }, contextValue.counted, platform.faults, exchange))
      : detail(failure.extensions['status'] === 500 ? 500 : 400, failure.message);
  };
}

const HOUR = 60 * FINEST;
const DAY = 24 * HOUR;

/** Retention (ms) of datasets with buckets of a minute, and of coarser ones. */
const RETENTION = { fine: 730 * DAY, coarse: 90 * DAY } as const;

/** @throws GraphQLError 500 if the question reads too much */
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

/** Returns the bucket width (ms) for a window of this length (ms). */
function widthOf(length: number, isCoarse: boolean): number {
  if (length <= 48 * HOUR && !isCoarse) return FINEST;
  return length <= 60 * DAY ? HOUR : DAY;
}
