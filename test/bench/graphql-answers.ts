/** A platform that answers questions of GraphQL at next to no cost: values change with the minute and the field, not with the key. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { configurationsOf, idsOf, reply } from './scrape-platform.ts';

const MINUTE_MS = 60_000;

/** The values of fields by which rows are broken down. */
const VALUES = {
  upstreamStatus: [200, 404, 502],
  upstreamCacheStatus: ['"HIT"', '"MISS"'],
} as const;

/** Tells the parent its port. @param configurations of the account; none of its operations tells a limit */
export function serveQuestions(configurations: number): void {
  const keys = idsOf(configurations);
  const server = createServer((request, response) => {
    if (request.method === 'POST') void answerTo(request, keys).then((body) => reply(response, body));
    else reply(response, configurationsOf(request.headers.authorization ?? '', configurations));
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
}

/** As many rows as the question allows, of these keys or those that it names. */
async function answerTo(request: IncomingMessage, keys: readonly number[]): Promise<string> {
  const { query, variables } = JSON.parse(await text(request)) as {
    readonly query: string;
    readonly variables: { readonly begin?: string; readonly end?: string };
  };
  const [, dataset = '', rest = ''] = /\{ (\w+)\((.*)\) \{/.exec(query) ?? [];
  if (dataset === '') return '{"data":{}}';
  const limit = Number(/limit: (\d+)/.exec(rest)?.[1]);
  const named = /In: (\[[^\]]*\])/.exec(rest)?.[1];
  const ids = named === undefined ? keys : (JSON.parse(named) as readonly string[]);
  const selected = /\) \{ ([^}]*) \}/.exec(query)?.[1]?.split(' ') ?? [];
  const [by] = selected.filter(isApart);
  const fields = selected.filter((name) => name !== 'ts' && name !== 'configurationId' && name !== by);
  const rows: string[] = [];
  const end = Date.parse(variables.end ?? '');
  for (let minute = Date.parse(variables.begin ?? ''); minute < end; minute += MINUTE_MS) {
    const values = fields.map(
      (name, index) => `"${name}":${(Math.imul(minute / MINUTE_MS + index, 0x9e3779b1) >>> 8) % 100_000}`,
    );
    for (const apart of by === undefined ? [[]] : VALUES[by].map((value) => [`"${by}":${value}`])) {
      const told = [...apart, ...values];
      const tail = `"ts":"${new Date(minute).toISOString().replace('.000Z', 'Z')}",${told.join()}}`;
      for (const id of ids) {
        if (rows.length === limit) return answerOf(dataset, rows);
        rows.push(`{"configurationId":"${id}",${tail}`);
      }
    }
  }
  return answerOf(dataset, rows);
}

function isApart(name: string): name is keyof typeof VALUES {
  return Object.hasOwn(VALUES, name);
}

function answerOf(dataset: string, rows: readonly string[]): string {
  return `{"data":{"${dataset}":[${rows.join()}]}}`;
}
