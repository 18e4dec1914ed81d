import { describe, expect, it } from 'vitest';
import { type Handler, sendJson, startUpstream } from '../exporter/platform/upstream.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

let simulation: Simulation | undefined;

const METRICS = { metrics: { products: { edge_applications: { metrics: ['cdn_requests', 'waf'] } } } };

async function simulateForeignAnswers(handler: Handler): Promise<Simulation> {
  const { origin } = await startUpstream(handler);
  simulation = await simulate({ account: { api_url: origin, collectors: { ...METRICS, domains: {} } } });
  return simulation;
}

async function edgeUp({ scrape }: Simulation): Promise<number | undefined> {
  return (await scrape()).samples.get(seriesKey('edge_up', { account: 'test' }));
}

function page(status: number, type: string, body: string): Handler {
  return (_, response) => response.writeHead(status, { 'content-type': type }).end(body);
}

function json(status: number, body: unknown): Handler {
  return (_, response) => sendJson(response, body, { status });
}

const UNLIKE = "unlike the platform's API: is api_url right?";

describe('what answers at the address is not the platform', () => {
  it.each<[string, Handler, string | RegExp]>([
    [
      'a web page for nothing found',
      page(404, 'text/html', '<title>404</title>'),
      `answers 404 with HTML, ${UNLIKE}`,
    ],
    [
      'a web page for whatever is asked',
      page(200, 'text/html', '<title>Hi</title>'),
      `answers 200 with HTML, ${UNLIKE}`,
    ],
    [
      'a web page that forbids',
      page(403, 'text/html; charset=utf-8', 'no'),
      `answers 403 with HTML, ${UNLIKE}`,
    ],
    ['a web page that asks for a login', page(401, 'text/html', 'no'), `answers 401 with HTML, ${UNLIKE}`],
    ['plain text', page(404, 'text/plain', '404 page not found'), `answers 404 with text, ${UNLIKE}`],
    [
      'nothing but a status',
      (_, response) => response.writeHead(404).end(),
      `answers 404 with nothing, ${UNLIKE}`,
    ],
    [
      'the errors of another API',
      json(403, { message: 'Missing Authentication Token' }),
      `answers 403 with JSON, ${UNLIKE}`,
    ],
    [
      'errors that many frameworks word alike',
      json(404, { detail: 'Not Found' }),
      `answers 404 with JSON, ${UNLIKE}`,
    ],
    [
      'documents of another API',
      json(200, { status: 'ok' }),
      /^(none of the 1 items is one of domains|the list of configurations is an object without results): is api_url right\?$/,
    ],
    [
      'a redirect to a login elsewhere',
      (_, response) => response.writeHead(302, { location: 'https://login.example.net/' }).end(),
      'redirect to another origin (login.example.net) refused: is api_url right?',
    ],
  ])('%s: it is not up, not ready, and says why', async (_, handler, note) => {
    const simulated = await simulateForeignAnswers(handler);
    expect(simulated.exporter().accounts()).toMatchObject([
      { up: false, note: typeof note === 'string' ? note : expect.stringMatching(note) },
    ]);
    expect(await edgeUp(simulated)).toBe(0);
    await simulated.minutes(11);
    expect(simulated.exporter().accounts()).toMatchObject([{ up: false }]);
    expect([...simulated.exporter().notReady()].flat()).toEqual([
      expect.stringMatching(/^account test: the platform has not answered yet: .*: is api_url right\?$/),
    ]);
  });
});

describe('the platform answers', () => {
  const header = { 'x-ratelimit-reset': '2026-01-05T10:01:00Z' };

  it.each<[string, Handler, boolean]>([
    [
      'that nothing is found, with its own headers',
      (_, response) => sendJson(response, {}, { status: 404, headers: header }),
      true,
    ],
    [
      'that the permission is missing',
      json(403, { errors: [{ message: 'Forbidden', error: 'forbidden' }] }),
      true,
    ],
    ['that the quota is used up', json(429, { detail: 'Request was throttled.' }), true],
    ['that a parameter is wrong', json(400, { date_from: ['This field is required.'] }), true],
    ['that it does not know the token', json(401, { detail: 'Invalid token.' }), false],
    ['that it fails', json(500, { detail: 'Sorry unable to perform operation.' }), false],
  ])('%s: it is not ready before a read succeeds, and says why', async (_, handler, up) => {
    const simulated = await simulateForeignAnswers(handler);
    expect(simulated.exporter().accounts()).toMatchObject([{ up }]);
    expect([...simulated.exporter().notReady()].flat()).toEqual([
      expect.stringMatching(/^account test: nothing was read yet: ./),
    ]);
  });
});

describe('a configuration that is answered by a web page', () => {
  it.each(['documented', 'absent'] as const)(
    'is no fault of the platform (rate limit headers: %s)',
    async (headers) => {
      const products = {
        edge_applications: { configurations: { include: ['shop'] }, metrics: ['cdn_requests'] },
      };
      simulation = await simulate({
        sandbox: {
          ...(headers === 'absent' && { rateHeaders: 'absent' }),
          faults: { html_error: { paths: ['/metrics/*/metrics/'] } },
        },
        account: { collectors: { metrics: { products } } },
      });
      for (let minute = 0; minute < 15; minute += 1) {
        await simulation.minutes(1);
        expect(simulation.exporter().accounts()).toMatchObject([{ up: true, note: '' }]);
      }
    },
  );
});

it('is down when a web page comes in place of the platform, and up again when that goes', async () => {
  simulation = await simulate({ account: { collectors: METRICS } });
  const { sandbox, minutes, exporter } = simulation;
  await minutes(5);
  expect(await edgeUp(simulation)).toBe(1);
  sandbox.faults.set({ html_error: {} });
  await minutes(3);
  expect(await edgeUp(simulation)).toBe(0);
  expect(exporter().accounts()).toMatchObject([{ up: false, note: `answers 400 with HTML, ${UNLIKE}` }]);
  expect([...exporter().notReady()].flat()).toEqual([]);
  sandbox.faults.clear();
  await minutes(1);
  expect(await edgeUp(simulation)).toBe(1);
});
