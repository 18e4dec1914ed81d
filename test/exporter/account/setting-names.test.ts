import { expect, it } from 'vitest';
import { SettingNames } from '../../../src/exporter/account/setting-names.ts';
import { type Product, productOf } from '../../../src/exporter/catalogue/products.ts';
import { PlatformClock } from '../../../src/exporter/platform/platform-clock.ts';
import { type FailureOutcome, PlatformFailure, type Read } from '../../../src/exporter/platform/read.ts';

const MINUTE_MS = 60_000;
const applications = productOf('metrics', 'edge_applications');
const caching = productOf('metrics', 'l2_caching');

function platform(waitMs?: number) {
  let now = 0;
  let listed: readonly unknown[] | FailureOutcome = [{ id: 1, name: 'shop' }];
  const reads: string[] = [];
  const names = new SettingNames(new PlatformClock(() => now), waitMs);
  const read: Read = async (resource, _, group) => {
    reads.push(`${group} ${resource().path}`);
    if (typeof listed === 'string') throw new PlatformFailure(listed, 'no answer');
    return { body: { results: listed, total_pages: 1 }, bytes: 1 };
  };
  return {
    reads,
    lists(items: readonly unknown[] | FailureOutcome) {
      listed = items;
    },
    pass(minutes: number) {
      now += minutes * MINUTE_MS;
    },
    cost: (product: Product, minutes: number) => names.cost(product, minutes * MINUTE_MS),
    async of(product: Product, ids = ['1'], before: Record<string, string> = {}) {
      const asked = { ids, before: new Map(Object.entries(before)) };
      const found = await names.of(product, asked, read, new AbortController().signal);
      return { names: Object.fromEntries(found.names), warning: found.warning };
    },
  };
}

it('reads the settings that have the ids of a product, by their own group, and none where no settings have them', async () => {
  const { of, reads } = platform();
  expect(await of(applications)).toEqual({ names: { 1: 'shop' }, warning: undefined });
  expect(await of(productOf('metrics', 'intelligent_dns'))).toMatchObject({ names: { 1: 'shop' } });
  expect(await of(productOf('metrics', 'edge_functions'))).toMatchObject({ names: { 1: 'shop' } });
  expect(await of(productOf('metrics', 'data_streaming'))).toEqual({ names: {}, warning: undefined });
  expect(reads).toEqual([
    'edge_applications /edge_applications',
    'intelligent_dns /intelligent_dns',
    'edge_functions /edge_functions',
  ]);
});

it.each(['content_delivery', 'image_optimization', 'image_processor', 'l2_caching'])(
  '%s has the names of edge applications, read once for products that ask together',
  async (slug) => {
    const { of, reads } = platform();
    const api = slug === 'content_delivery' || slug === 'image_optimization' ? 'analytics' : 'metrics';
    const [, found] = await Promise.all([of(applications), of(productOf(api, slug))]);
    expect(found.names).toEqual({ 1: 'shop' });
    expect(reads).toEqual(['edge_applications /edge_applications']);
  },
);

it('reads hourly, and within ten minutes while an id has no name', async () => {
  const { of, reads, pass, lists } = platform();
  await of(applications);
  pass(59);
  await of(applications);
  expect(reads).toHaveLength(1);
  lists([{ id: 1, name: 'store' }]);
  pass(1);
  expect(await of(applications)).toMatchObject({ names: { 1: 'store' } });
  pass(8);
  await of(applications, ['1', '2']);
  expect(reads).toHaveLength(2);
  lists([{ id: 2, name: 'new' }]);
  pass(1);
  expect(await of(applications, ['1', '2'], { 1: 'store' })).toMatchObject({
    names: { 1: 'store', 2: 'new' },
  });
  expect(reads).toHaveLength(3);
});

it('costs what the last read did, spread over the lists and products that it serves', async () => {
  const { of, cost } = platform();
  expect(cost(applications, 10)).toBe(0);
  await of(applications);
  expect(cost(applications, 10)).toBeCloseTo(1 / 6);
  expect(cost(applications, 120)).toBe(1);
  await of(caching);
  expect(cost(applications, 10)).toBeCloseTo(1 / 12);
  await of(caching, ['1', '2']);
  expect(cost(applications, 10)).toBeCloseTo(1 / 2);
});

it('keeps the names of before where the settings fail, are empty or lack one', async () => {
  const { of, lists, pass } = platform();
  for (const answer of [
    'server_error',
    'forbidden',
    [],
    [{ id: 2, name: 'other' }],
    [{ id: 1, name: '' }],
  ] as const) {
    lists(answer);
    expect(await of(applications, ['1'], { 1: 'shop' })).toEqual({
      names: { 1: 'shop' },
      warning: undefined,
    });
    pass(61);
  }
});

it('waits for names that may be read soon, and then says that ids stand for them', async () => {
  const { of, lists, pass } = platform();
  lists('server_error');
  await expect(of(applications)).rejects.toThrow('names of configurations (/edge_applications): no answer');
  pass(4);
  await expect(of(applications)).rejects.toThrow(PlatformFailure);
  pass(1);
  const warning = 'names of configurations (/edge_applications): no answer: ids stand for names';
  expect(await of(applications)).toEqual({ names: {}, warning });
  pass(10);
  lists([{ id: 1, name: 'shop' }]);
  expect(await of(applications)).toEqual({ names: { 1: 'shop' }, warning: undefined });
});

it('waits no more once a list did without names', async () => {
  const { of, lists, pass } = platform();
  lists('forbidden');
  expect(await of(applications)).toMatchObject({ names: {} });
  lists('server_error');
  pass(10);
  expect(await of(applications)).toMatchObject({ names: {} });
});

it('waits not at all, or for ever, where it is told to', async () => {
  const once = platform(0);
  once.lists('timeout');
  expect((await once.of(applications)).warning).toContain('ids stand for names');
  const stubborn = platform(Number.POSITIVE_INFINITY);
  for (const outcome of ['undecodable', 'server_error'] as const) {
    stubborn.lists(outcome);
    await expect(stubborn.of(applications)).rejects.toThrow('names of configurations');
    stubborn.pass(600);
  }
  stubborn.lists('forbidden');
  expect((await stubborn.of(applications)).names).toEqual({});
});
