import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EarlyEnds, type List, readPage, readPages } from '../../../src/exporter/platform/pages.ts';
import { PlatformFailure, type Resource } from '../../../src/exporter/platform/read.ts';

const ORIGIN = 'https://api.example.net';
const never = new AbortController().signal;
const domains: List = { path: '/domains', version: 3 };

type Answering = (page: number, size: number, resource: Resource) => unknown;

async function readAll(answering: Answering, list: List = domains) {
  const asked: Resource[] = [];
  const items: unknown[] = [];
  const read = async (make: () => Resource) => {
    const resource = make();
    asked.push(resource);
    const { page = '1', page_size: size = '10' } = resource.query ?? {};
    return { body: answering(Number(page), Number(size), resource), bytes: 0 };
  };
  const reading = (async () => {
    for await (const page of readPages(read, list, never)) items.push(...page);
  })();
  const failure = await reading.then(
    () => undefined,
    (error: unknown) => error,
  );
  return { items, asked, failure };
}

/** Returns an envelope as in section 2 of the specification, with one page of the items. */
function envelope(all: readonly unknown[], page: number, size: number) {
  const total = Math.ceil(all.length / size);
  const next = page < total ? `${ORIGIN}/domains?page=${page + 1}&page_size=${size}` : null;
  const results = all.slice((page - 1) * size, page * size);
  return {
    count: all.length,
    total_pages: total,
    schema_version: 3,
    links: { previous: null, next },
    results,
  };
}

function notFound(): never {
  throw new PlatformFailure('not_found', 'HTTP 404: Invalid page.', 404);
}

const range = (length: number) => Array.from({ length }, (_, id) => ({ id }));

describe('a list', () => {
  test('is read whole, in order, with as few operations as the platform allows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(350),
        fc.integer({ min: 1, max: 120 }),
        fc.subarray(['count', 'total_pages', 'links'] as ('count' | 'total_pages' | 'links')[]),
        async (length, largest, missing) => {
          // A platform that silently returns shorter pages than requested resembles the end of the list.
          const silent = missing.length === 3;
          const all = range(length);
          const { items, asked, failure } = await readAll((page, size) => {
            const body: Partial<ReturnType<typeof envelope>> = envelope(
              all,
              page,
              silent ? size : Math.min(size, largest),
            );
            for (const field of missing) delete body[field];
            return body;
          });
          expect(failure).toBeUndefined();
          expect(items).toEqual(all);
          const pages = Math.max(1, Math.ceil(length / (silent ? 100 : Math.min(100, largest))));
          expect(asked.length).toBeLessThanOrEqual(silent ? pages + 1 : pages);
        },
      ),
    );
  });

  test('is asked for by page and page size, besides its own query', async () => {
    const { asked } = await readAll((page, size) => envelope(range(250), page, size), {
      ...domains,
      query: { order_by: 'id' },
    });
    expect(asked).toEqual(
      ['1', '2', '3'].map((page) => ({
        path: '/domains',
        version: 3,
        query: { order_by: 'id', page, page_size: '100' },
      })),
    );
  });

  test('of a legacy version is one page, asked for without paging', async () => {
    const { items, asked } = await readAll(() => [1, 2, 3], { ...domains, version: 1 });
    expect(items).toEqual([1, 2, 3]);
    expect(asked).toEqual([{ path: '/domains', version: 1, query: {} }]);
  });

  test('of a legacy version that comes in pages after all is read on by page number', async () => {
    const { items, asked } = await readAll((page, size) => envelope(range(25), page, size), {
      ...domains,
      version: 2,
    });
    expect(items).toEqual(range(25));
    expect(asked.map(({ query }) => query)).toEqual([{}, { page: '2' }, { page: '3' }]);
  });

  test.each([
    ['null results', { count: 0, total_pages: 0, results: null, links: { next: null } }, []],
    ['no results at all', { count: 0, total_pages: 0 }, []],
    ['one object as results', { results: { id: 7 }, schema_version: 3 }, [{ id: 7 }]],
    ['one object without an envelope', { id: 7, name: 'x' }, [{ id: 7, name: 'x' }]],
    ['an empty array', [], []],
    ['empty records', { count: 0, total_pages: 1, results: { records: null, zone_id: 1 } }, []],
    ['absurd numbers', { count: -1, total_pages: 'many', links: 'none', results: [1] }, [1]],
  ])('with %s is read', async (_, body, expected) => {
    expect(await readAll(() => body)).toMatchObject({ items: expected, failure: undefined, asked: [{}] });
  });

  test.each([
    ['intelligent_dns_list_v3', [{ id: 1 }, { id: 2 }]],
    ['intelligent_dns_records_list_v3', [{ record_type: 'ANAME', entry: '@' }]],
    ['network_lists_list_v3', [{ id: 9 }, { id: 17 }, { id: 20 }]],
  ])('recorded as %s is read', async (name, expected) => {
    const body: unknown = JSON.parse(
      readFileSync(new URL(`../../payloads/${name}.json`, import.meta.url), 'utf8'),
    );
    expect(await readAll(() => body)).toMatchObject({ items: expected, failure: undefined, asked: [{}] });
  });

  test.each([null, 'text', 7, true, { results: 'text' }, { results: 7 }, { results: { records: 'text' } }])(
    'that is %j is undecodable',
    async (body) => {
      expect((await readAll(() => body)).failure).toMatchObject({ outcome: 'undecodable' });
    },
  );
});

describe('the page size', () => {
  const refusing = (largest: number) => (page: number, size: number) => {
    if (size > largest) throw new PlatformFailure('not_acceptable', 'HTTP 400: page_size', 400);
    return envelope(range(25), page, size);
  };

  test('falls back to the documented 10 for a platform that refuses 100', async () => {
    const { items, asked } = await readAll(refusing(50));
    expect(items).toEqual(range(25));
    expect(asked.map(({ query }) => query?.['page_size'])).toEqual(['100', '10', '10', '10']);
  });

  test('is asked for no more where that is refused too, or where the refusal is another', async () => {
    expect(await readAll(refusing(5))).toMatchObject({ failure: { status: 400 }, asked: [{}, {}] });
    const forbidden = () => {
      throw new PlatformFailure('forbidden', 'HTTP 403', 403);
    };
    expect(await readAll(forbidden)).toMatchObject({ failure: { outcome: 'forbidden' }, asked: [{}] });
  });
});

describe('a list that changes while it is read', () => {
  test('and grows is read to its new end', async () => {
    const { items } = await readAll((page, size) => envelope(range(page === 1 ? 150 : 320), page, size));
    expect(items).toEqual(range(320));
  });

  test('and shrinks ends with an empty page', async () => {
    const { items, failure, asked } = await readAll((page, size) =>
      envelope(range(page === 1 ? 250 : 100), page, size),
    );
    expect(failure).toBeUndefined();
    expect(items).toEqual(range(100));
    expect(asked).toHaveLength(2);
  });

  test.each([
    [
      'a number of items',
      envelope(range(250), 1, 100),
      'page 2 of the list is not there, though there are 250 items',
    ],
    [
      'pages',
      { total_pages: 2, results: range(100) },
      'page 2 of the list is not there, though there are 2 pages',
    ],
    [
      'a link alone',
      { links: { next: `${ORIGIN}/domains?page=2` }, results: range(100) },
      'page 2 of the list is not there, though there are links to it',
    ],
  ])(
    'does not end with a page that is not found, of which the one before told by %s',
    async (_, body, message) => {
      const { failure } = await readAll((page) => (page === 1 ? body : notFound()));
      expect(failure).toMatchObject({ outcome: 'undecodable', message });
    },
  );

  test('is believed to end where three reads in a row have, whatever the platform counts besides', async () => {
    const list = { ...domains, ends: new EarlyEnds() };
    const fails = async (seen: number, end: () => unknown) =>
      (await readAll((page, size) => (page * size <= seen ? envelope(range(250), page, size) : end()), list))
        .failure !== undefined;
    const hidden = () => envelope(range(250), 9, 100);
    expect([await fails(100, hidden), await fails(100, notFound), await fails(100, hidden)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(await fails(100, notFound)).toBe(false);
    // After a complete read, or another end, the end is in doubt again.
    expect(await fails(200, hidden)).toBe(true);
    expect(await fails(100, hidden)).toBe(true);
    expect(await fails(100, hidden)).toBe(true);
    expect((await readAll((page, size) => envelope(range(250), page, size), list)).failure).toBeUndefined();
    expect(await fails(100, hidden)).toBe(true);
  });

  test('and is not found from the start is a failure', async () => {
    const missing = () => {
      throw new PlatformFailure('not_found', 'HTTP 404', 404);
    };
    expect((await readAll(missing)).failure).toMatchObject({ outcome: 'not_found' });
  });
});

describe('a page without items', () => {
  const empty = (body: object, results: unknown) => ({ ...body, results });

  test.each([
    ['the first page', 1, null],
    ['the first page', 1, []],
    ['a page in the middle', 2, null],
    ['a page in the middle', 2, []],
    ['the last page', 3, []],
  ])('is no end where the answer itself tells of more items: %s (%i, %j)', async (_, number, results) => {
    const { failure } = await readAll((page, size) => {
      const body = envelope(range(250), page, size);
      return page === number ? empty(body, results) : body;
    });
    expect(failure).toMatchObject({
      outcome: 'undecodable',
      message: `page ${number} of the list is empty, though there are 250 items`,
    });
  });

  test('is none either where the platform tells of more pages alone', async () => {
    const { failure } = await readAll((page) => ({ total_pages: 3, results: page === 2 ? [] : range(100) }));
    expect(failure).toMatchObject({
      outcome: 'undecodable',
      message: 'page 2 of the list is empty, though there are 3 pages',
    });
  });
});

describe('a platform that cuts pages shorter than they were asked for', () => {
  const cut = (page: number, change: (body: ReturnType<typeof envelope>) => object) =>
    change(envelope(range(25), page, 10));

  test('and says nothing of further ones is read on while its pages are full', async () => {
    const { items, failure } = await readAll((page) => cut(page, ({ results }) => ({ results })));
    expect(failure).toBeUndefined();
    expect(items).toEqual(range(25));
  });

  test('and names as many as there would be of whole ones is asked for the rest that it counts', async () => {
    const { items, asked } = await readAll((page) =>
      cut(page, (body) => ({ ...body, total_pages: 1, links: { next: null } })),
    );
    expect(items).toEqual(range(25));
    expect(asked).toHaveLength(3);
  });

  test.each([
    ['no items', () => ({ count: 25, total_pages: 1, results: [] })],
    ['the last page again', () => ({ count: 25, total_pages: 1, results: range(20) })],
    ...[404, 400].map((status): [string, () => unknown] => [
      `HTTP ${status}`,
      () => {
        throw new PlatformFailure(status === 404 ? 'not_found' : 'not_acceptable', `HTTP ${status}`, status);
      },
    ]),
  ])('is believed where it counts more than it shows, and has %s beyond its last page', async (_, beyond) => {
    const { items, failure } = await readAll((page) =>
      page === 1 ? { count: 25, total_pages: 1, results: range(20) } : beyond(),
    );
    expect(failure).toBeUndefined();
    expect(items).toEqual(range(20));
  });
});

describe('a platform that ignores the page', () => {
  test('and says nothing of pages gives the whole list every time', async () => {
    const { items, failure, asked } = await readAll(() => ({ results: range(25) }));
    expect(failure).toBeUndefined();
    expect(items).toEqual(range(25));
    expect(asked).toHaveLength(2);
  });

  test('and gives the whole list every time is believed', async () => {
    const { items, failure } = await readAll(() => ({ ...envelope(range(25), 1, 10), results: range(25) }));
    expect(failure).toBeUndefined();
    expect(items).toEqual(range(25));
  });

  test('and gives the first part every time is undecodable, so that nothing seems to have vanished', async () => {
    const { failure, asked } = await readAll(() => envelope(range(25), 1, 10));
    expect(failure).toMatchObject({ outcome: 'undecodable', message: 'page 2 of the list is page 1 again' });
    expect(asked).toHaveLength(2);
  });

  test('and never stops is stopped', async () => {
    const { failure, asked } = await readAll((page) => ({ total_pages: 1e9, results: [{ id: page }] }));
    expect(failure).toMatchObject({
      outcome: 'undecodable',
      message: 'the list does not end after 1000 pages',
    });
    expect(asked).toHaveLength(1000);
  });
});

describe('a link to the next page', () => {
  const linked = (next: unknown) => ({ count: 20, total_pages: 2, links: { next }, results: range(10) });

  test.each([
    'https://evil.test/domains?page=2',
    'http://api.example.net/domains?page=2',
    'https://api.example.net:8443/domains?page=2',
    '//evil.test/domains?page=2',
    'https://api.example.net@evil.test/',
    'javascript:alert(1)',
    `${ORIGIN}/elsewhere?page=9`,
    `${ORIGIN}:443/domains`,
    '/domains?page=2',
    '?page=2',
    'http://',
    7,
    {},
  ])('of %j is not followed, wherever it leads: the next page is asked for by number', async (next) => {
    const { asked, failure } = await readAll((page) => ({ ...linked(next), results: [{ id: page }] }));
    expect(failure).toBeUndefined();
    expect(asked.map(({ path, query }) => `${path} ${query?.['page']}`)).toEqual([
      '/domains 1',
      '/domains 2',
    ]);
  });
});

test('a list that is complete or empty ends, wherever its link leads', async () => {
  const foreign = {
    links: { previous: null, next: 'https://internal-api.example.org/domains?page=2&page_size=2' },
  };
  const complete = { count: 2, total_pages: 1, results: [{ id: 1 }, { id: 2 }], ...foreign };
  expect(await readAll(() => complete)).toMatchObject({ items: complete.results, failure: undefined });
  const empty = { count: 0, total_pages: 0, results: null, ...foreign };
  const { asked, ...read } = await readAll(() => empty);
  expect(read).toEqual({ items: [], failure: undefined });
  expect(asked).toHaveLength(1);
});

test('reading stops when the caller does', async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return { body: envelope(range(1000), reads, 100), bytes: 0 };
  };
  for await (const page of readPages(read, domains, never)) {
    expect(page).toHaveLength(100);
    break;
  }
  expect(reads).toBe(1);
});

test('has at most 20,000 items in a page, because each item is checked without a pause', () => {
  const list = (length: number) => Array.from({ length }, () => ({}));
  expect(readPage(list(20_000)).items).toHaveLength(20_000);
  expect(() => readPage(list(20_001))).toThrow('more than 20000 items');
  expect(() => readPage({ results: list(20_001) })).toThrow('more than 20000 items');
});
