import { describe, expect, it } from 'vitest';
import { COLLECTORS, type CollectorName } from '../../../src/exporter/collectors.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { listOf, type SettingsBench, settingsBench } from '../settings/bench.ts';

const NAMES = Object.keys(COLLECTORS) as CollectorName[];

/** Collectors of lists, each with its path and API version. */
const LISTS = NAMES.filter((name) => name !== 'error_responses').map((name) => {
  const { reads, version } = COLLECTORS[name];
  return { name, path: reads[0] ?? '', version };
});

function list(name: CollectorName, path: string, body: unknown): SettingsBench {
  return settingsBench(name, { [path]: body });
}

it.each(LISTS)('$name: an item needs nothing but its id, be it text', async ({ name, path }) => {
  const bench = list(name, path, [{ id: '17' }, { id: 18, name: null, surprise: { from: 'the future' } }]);
  expect(await bench.poll()).toMatchObject({ outcome: 'ok', rejected: new Map() });
  const ids = [...bench.shown().keys()].filter((key) => key.includes('_info"') && key.includes('_id"'));
  expect(ids.some((key) => key.includes('"17"'))).toBe(true);
  expect(ids.some((key) => key.includes('"18"'))).toBe(true);
  expect([...bench.shown().keys()].join()).not.toContain('surprise');
});

it.each(LISTS)('$name: no results, whether null or empty, are an empty answer', async ({ name, path }) => {
  for (const body of [[], { results: null, count: 0, total_pages: 0 }, listOf()]) {
    const bench = list(name, path, body);
    expect(await bench.poll()).toMatchObject({ outcome: 'empty', rejected: new Map() });
    expect(bench.shown().size).toBe(0);
  }
});

it.each(LISTS)('$name: a single object is a list of one', async ({ name, path }) => {
  for (const body of [
    { results: { id: 5, name: 'only' }, schema_version: 3 },
    { id: 5, name: 'only' },
  ]) {
    const bench = list(name, path, body);
    expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
    expect([...bench.shown().keys()].join()).toContain('only');
  }
});

it.each(LISTS)('$name: a bad item is counted and takes no other with it', async ({ name, path }) => {
  const bad = [null, 7, 'text', [], {}, { id: null }, { id: 1.5 }, { id: 3, name: ['x'] }];
  const bench = list(name, path, [...bad, { id: 4, name: 'good' }]);
  expect(await bench.poll()).toMatchObject({ outcome: 'ok', rejected: new Map([['bad_item', bad.length]]) });
  expect([...bench.shown().keys()].join()).toContain('good');
});

it.each(LISTS)('$name: a list of bad items only is no answer', async ({ name, path }) => {
  const bench = list(name, path, [{ id: null }, 7]);
  await expect(bench.poll()).rejects.toMatchObject({ outcome: 'undecodable' });
});

it.each(LISTS)('$name: an item met twice is shown once', async ({ name, path }) => {
  const bench = list(name, path, [
    { id: 4, name: 'before' },
    { id: '4', name: 'after' },
  ]);
  await bench.poll();
  const keys = [...bench.shown().keys()].join();
  expect(keys).toContain('after');
  expect(keys).not.toContain('before');
});

it.each(LISTS)('$name: what is no list fails and shows nothing', async ({ name, path }) => {
  const bench = list(name, path, 'text');
  await expect(bench.poll()).rejects.toMatchObject({ outcome: 'undecodable' });
  expect(bench.shown().size).toBe(0);
});

it.each(LISTS.filter(({ version }) => version === 3))(
  '$name: asks for pages of a hundred',
  async ({ name, path }) => {
    const answer = { [path]: listOf({ id: 1 }) };
    const bench = settingsBench(name, answer);
    await bench.poll();
    expect(bench.asked[0]).toMatchObject({ path, version: 3, query: { page: '1', page_size: '100' } });
  },
);

it('names no series twice, whatever names and ids are like', async () => {
  const bench = settingsBench('network_lists', {
    '/network_lists': listOf({ id: 2, name: 'own' }, { id: 3, name: 'own' }),
    '/network_lists/2': { results: { name: 'provided', items_values: [1] } },
  });
  await bench.poll();
  expect(bench.value('edge_network_list_info', { network_list_id: 2 })).toBe(1);
  expect(bench.value('edge_network_list_items', { network_list_id: 2 })).toBe(1);
});

it('takes the answer to a detail read in an envelope, bare, or as a list of one', async () => {
  const detail = { name: 'list', items_values: [1, 2, 3] };
  for (const body of [{ results: detail }, detail, { results: [detail] }, [detail]]) {
    const bench = settingsBench('network_lists', {
      '/network_lists': listOf({ id: 3 }),
      '/network_lists/3': body,
    });
    await bench.poll();
    expect(bench.value('edge_network_list_items', { network_list_id: 3 })).toBe(3);
  }
});

it('loses only the one item whose detail is not to be had or not to be read', async () => {
  for (const answer of [
    { results: null },
    { results: { items_values: 'none' } },
    new PlatformFailure('server_error', 'down', 500),
    new PlatformFailure('not_found', 'gone', 404),
  ]) {
    const bench = settingsBench('network_lists', {
      '/network_lists': listOf({ id: 3, name: 'bad' }, { id: 4, name: 'good' }),
      '/network_lists/3': answer,
      '/network_lists/4': { results: { items_values: [1] } },
    });
    const gone = answer instanceof PlatformFailure && answer.outcome === 'not_found';
    expect(await bench.poll()).toMatchObject({
      outcome: 'ok',
      rejected: new Map(gone ? [] : [['bad_item', 1]]),
    });
    expect(bench.value('edge_network_list_items', { network_list_id: 3 })).toBeUndefined();
    expect(bench.value('edge_network_list_info', { network_list_id: 3 })).toBe(1);
    expect(bench.value('edge_network_list_items', { network_list_id: 4 })).toBe(1);
  }
});

it('keeps what it knew of an item through two failures of the platform, and forgets it with the third', async () => {
  const bench = settingsBench('network_lists', {
    '/network_lists': listOf({ id: 3 }, { id: 4 }),
    '/network_lists/3': { results: { items_values: [1] } },
    '/network_lists/4': { results: { items_values: [1] } },
  });
  const items = async () => {
    await bench.poll();
    return bench.value('edge_network_list_items', { network_list_id: 3 });
  };
  expect(await items()).toBe(1);
  bench.answers['/network_lists/3'] = new PlatformFailure('server_error', 'down', 502);
  expect([await items(), await items(), await items()]).toEqual([1, 1, undefined]);
});

it('shows what it has when the platform stops answering in the middle, and says that it failed', async () => {
  const bench = settingsBench('network_lists', {
    '/network_lists': listOf({ id: 3, name: 'first' }, { id: 4 }),
    '/network_lists/3': { results: { items_values: [1] } },
    '/network_lists/4': new PlatformFailure('network', 'reset'),
  });
  await expect(bench.poll()).rejects.toMatchObject({ outcome: 'network' });
  expect(bench.value('edge_network_list_info', { network_list_id: 3, network_list: 'first' })).toBe(1);
});

it('lets a record without a type, or that is none, still count', async () => {
  const records = [{ record_type: 'A', ttl: 60 }, { record_type: 'A' }, { ttl: 5 }, 7];
  const bench = settingsBench('hosted_zones', {
    '/intelligent_dns': listOf({ id: 1 }),
    '/intelligent_dns/1': { results: {} },
    '/intelligent_dns/1/records': { results: { records } },
  });
  await bench.poll();
  expect(bench.value('edge_zone_records', { record_type: 'A' })).toBe(2);
  expect(bench.value('edge_zone_record_ttl_min_seconds', { record_type: 'A' })).toBe(60);
  expect(bench.value('edge_zone_records', { record_type: '' })).toBe(2);
});

it('does not show a half of what an answer about error responses holds', async () => {
  const configurations = ['5', '6'].map((id) => ({ id, name: id, active: true, domains: [] }));
  const path = (id: number) => `/content_delivery/configurations/${id}/error_responses`;
  const answers = {
    [path(5)]: { cache_error_400: 'long', cache_error_404: 1 },
    [path(6)]: { cache_error_404: 1 },
  };
  const bench = settingsBench('error_responses', answers, { configurations });
  expect(await bench.poll()).toMatchObject({ rejected: new Map([['bad_item', 1]]) });
  expect(bench.value('edge_error_response_cache_seconds', { configuration_id: 5 })).toBeUndefined();
  expect(bench.value('edge_error_response_cache_seconds', { configuration_id: 6 })).toBe(1);
});

describe('error responses of which the platform knows neither a configuration nor a domain by its id', () => {
  const path = (id: number) => `/content_delivery/configurations/${id}/error_responses`;
  const configurations = [{ id: '5', name: 'shop', active: true, domains: ['6'] }];

  it('are read by the ids of edge applications, and from then on only by these', async () => {
    const answers = {
      '/edge_applications': listOf({ id: 7, name: 'shop application' }),
      [path(7)]: { cache_error_404: 1 },
    };
    const bench = settingsBench('error_responses', answers, { configurations });
    expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
    expect(bench.value('edge_error_response_cache_seconds', { configuration_id: 7 })).toBe(1);
    // Both products have the same list here.
    const asked = () => [...new Set(bench.asked.splice(0).map((resource) => resource.path))];
    expect(asked()).toEqual([path(5), path(6), '/edge_applications', path(7)]);
    expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
    expect(asked()).toEqual(['/edge_applications', path(7)]);
  });

  it.each([
    ['is empty', listOf()],
    ['is refused', new PlatformFailure('forbidden', 'no permission', 403)],
    ['has none that the platform knows either', listOf({ id: 7 })],
  ])('are not found where the list of edge applications %s', async (_, list) => {
    const bench = settingsBench('error_responses', { '/edge_applications': list }, { configurations });
    await expect(bench.poll()).rejects.toMatchObject({ outcome: 'not_found' });
    bench.answers = { [path(6)]: { cache_error_404: 1 } };
    expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
  });
});
