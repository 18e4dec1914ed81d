import { expect, it } from 'vitest';
import { sendJson, startUpstream } from '../exporter/platform/upstream.ts';
import { simulate } from './simulation.ts';

const CONFIGURATIONS = Array.from({ length: 25 }, (_, index) => ({
  id: index + 1,
  name: `site-${index + 1}`,
}));
const PAGE_SIZE = 10;

function pageOf(path: string, number: number) {
  const pages = Math.ceil(CONFIGURATIONS.length / PAGE_SIZE);
  return {
    count: CONFIGURATIONS.length,
    total_pages: pages,
    schema_version: 3,
    links: { previous: null, next: number < pages ? `${path}?page=${number + 1}&page_size=10` : null },
    results: CONFIGURATIONS.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE),
  };
}

async function exporterOfPages(broken: () => number | undefined = () => undefined) {
  let now = () => Date.now();
  const { origin, arrivals } = await startUpstream((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://platform');
    const page = Number(searchParams.get('page') ?? 1);
    response.setHeader('date', new Date(now()).toUTCString());
    if (!pathname.endsWith('/configurations')) sendJson(response, { total: [] });
    else if (page === broken()) sendJson(response, { detail: 'try again' }, { status: 500 });
    else sendJson(response, pageOf(pathname, page));
  });
  const simulation = await simulate({
    start: Date.now(),
    account: {
      api_url: origin,
      source: 'rest',
      discovery: '*/2 * * * *',
      reconciliation_share: 0,
      quota: { assumed_limit: 1000 },
      collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
    },
  });
  now = () => simulation.clock.now();
  const listed = async () => {
    const { samples } = await simulation.scrape();
    return [...samples.keys()].filter((key) => key.includes('edge_configuration_info')).length;
  };
  const isRead = (id: number) => arrivals.some(({ url }) => url.includes(`/configurations/${id}/metrics/`));
  return { simulation, listed, isRead, arrivals };
}

it('a list of configurations that comes in pages is read whole: those of later pages would be missing unseen', async () => {
  const { simulation, listed, isRead } = await exporterOfPages();
  await simulation.minutes(3);
  expect(await listed()).toBe(25);
  expect(CONFIGURATIONS.filter(({ id }) => !isRead(id))).toEqual([]);
});

it('a list of configurations of which a page cannot be read changes nothing', async () => {
  let broken: number | undefined;
  const { simulation, listed } = await exporterOfPages(() => broken);
  await simulation.minutes(3);
  broken = 3;
  await simulation.minutes(10);
  expect(await listed()).toBe(25);
});

it('each page of a list of configurations counts in the plan', async () => {
  const { simulation } = await exporterOfPages();
  await simulation.minutes(5);
  const [account] = simulation.exporter().accounts();
  // 25 series every minute, and three pages every two minutes.
  expect(account?.demand_per_minute).toBeCloseTo(25 + 3 / 2, 6);
});
