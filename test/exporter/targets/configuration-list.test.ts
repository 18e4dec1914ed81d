import { describe, expect, it } from 'vitest';
import { productOf } from '../../../src/exporter/catalogue/products.ts';
import { LabelTexts } from '../../../src/exporter/exposition/label-text.ts';
import { PlatformFailure, type Resource } from '../../../src/exporter/platform/read.ts';
import { decodeConfigurations, readListed } from '../../../src/exporter/targets/configuration-list.ts';

const SHOP = { id: 7, name: 'shop', active: true, domains: [70, 71] };

describe('a list of configurations', () => {
  it.each([
    ['a bare array', [SHOP]],
    ['an envelope', { results: [SHOP], schema_version: 3 }],
    ['an envelope of one', { results: SHOP }],
    ['one object', SHOP],
    ['ids as text', [{ ...SHOP, id: '7', domains: ['70', '71'] }]],
  ])('may come as %s', (_, body) => {
    expect(decodeConfigurations(body, 100)).toEqual({
      configurations: [{ id: '7', name: 'shop', active: true, domains: ['70', '71'] }],
      rejected: 0,
      overLimit: 0,
    });
  });

  it('may be empty', () => {
    for (const body of [[], { results: [] }, { results: null, total_pages: 0 }]) {
      expect(decodeConfigurations(body, 100)).toEqual({
        configurations: [],
        rejected: 0,
        overLimit: 0,
      });
    }
  });

  it('has names that are cut, between two characters, no shorter than a label shows, which counts them as shortened', () => {
    const [letters, faces] = ['n'.repeat(1_000_000), `n${'😀'.repeat(1_000)}`];
    const items = [letters, faces].map((name, id) => ({ id, name }));
    const { configurations } = decodeConfigurations(items, 100);
    const names = configurations.map(({ name }) => name);
    expect(names).toEqual(['n'.repeat(1_026), `n${'😀'.repeat(512)}`]);
    const texts = new LabelTexts();
    for (const name of names) texts.of({ configuration: name });
    expect(texts.shortenedCount).toBe(2);
  });

  it('leaves out what is no configuration, and the second of two with the same id', () => {
    const items = [null, { name: 'no id' }, SHOP, { id: 7 }, { id: 8 }];
    const { configurations, rejected } = decodeConfigurations(items, 100);
    expect(configurations.map(({ id }) => id)).toEqual(['7', '8']);
    expect(rejected).toBe(3);
  });

  it.each([
    ['text', 'oops'],
    ['null', null],
    ['an object about something else', { detail: 'try again' }],
    ['an object about nothing', {}],
  ])('is refused when it is %s, since nothing may vanish because of it', (_, body) => {
    expect(() => decodeConfigurations(body, 100)).toThrow(PlatformFailure);
  });

  it('is taken up to a limit, and what is beyond is counted without a look', () => {
    const ids = Array.from({ length: 5 }, (_, id) => ({ id }));
    const { configurations, overLimit } = decodeConfigurations([...ids, null, null], 3);
    expect(configurations.map(({ id }) => id)).toEqual(['0', '1', '2']);
    expect(overLimit).toBe(4);
  });
});

describe('the pages of a list of configurations', () => {
  const product = productOf('metrics', 'edge_applications');
  const range = (length: number, first = 0) => Array.from({ length }, (_, index) => ({ id: first + index }));

  async function readFrom(answers: readonly unknown[], most = 100) {
    const asked: number[] = [];
    const read = async (resource: () => Resource) => {
      const page = Number(resource().query?.['page'] ?? 1);
      asked.push(page);
      return { body: answers[page - 1], bytes: 0 };
    };
    const { items, pages } = await readListed({ product, most }, read, new AbortController().signal);
    return { items, pages, asked };
  }

  it.each([
    ['by their number', { total_pages: 3 }],
    ['by the number of items', { count: 25 }],
    ['by a link', { links: { next: '/next' } }, { links: { next: null } }],
  ])('are all read where the answer names them %s', async (_, named, last: object = named) => {
    const answers = [range(10), range(10, 10), range(5, 20)].map((results, index) => ({
      ...(index < 2 ? named : last),
      results,
    }));
    expect(await readFrom(answers)).toEqual({ items: range(25), pages: 3, asked: [1, 2, 3] });
  });

  it.each([
    ['a bare array', range(30_000)],
    ['an envelope', { results: range(30_000), schema_version: 3 }],
    ['an envelope with a link to none', { results: range(30_000), links: { next: null } }],
  ])('are not asked for without a word on them, however long %s is', async (_, answer) => {
    expect(await readFrom([answer])).toEqual({ items: range(30_000), pages: 1, asked: [1] });
  });

  it('are read up to more configurations than are taken', async () => {
    const endless = Array.from({ length: 50 }, (_, page) => ({
      total_pages: 50,
      results: range(10, 10 * page),
    }));
    expect((await readFrom(endless, 20)).asked).toEqual([1, 2, 3]);
  });
});
