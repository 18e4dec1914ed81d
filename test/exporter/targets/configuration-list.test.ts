import { describe, expect, it } from 'vitest';
import { LabelTexts } from '../../../src/exporter/exposition/text-format.ts';
import { PlatformFailure } from '../../../src/exporter/platform/read.ts';
import { decodeConfigurations } from '../../../src/exporter/targets/configuration-list.ts';
import { allStepsOf } from '../../in-steps.ts';

const SHOP = { id: 7, name: 'shop', active: true, domains: [70, 71] };

describe('a list of configurations', () => {
  it.each([
    ['a bare array', [SHOP]],
    ['an envelope', { results: [SHOP], schema_version: 3 }],
    ['an envelope of one', { results: SHOP }],
    ['one object', SHOP],
    ['ids as text', [{ ...SHOP, id: '7', domains: ['70', '71'] }]],
  ])('may come as %s', (_, body) => {
    expect(allStepsOf(decodeConfigurations(body, 100))).toEqual({
      configurations: [{ id: '7', name: 'shop', active: true, domains: ['70', '71'] }],
      rejected: 0,
      overLimit: 0,
    });
  });

  it('may be empty', () => {
    for (const body of [[], { results: [] }, { results: null, total_pages: 0 }]) {
      expect(allStepsOf(decodeConfigurations(body, 100))).toEqual({
        configurations: [],
        rejected: 0,
        overLimit: 0,
      });
    }
  });

  it('has names that are cut, between two characters, no shorter than a label shows, which counts them as shortened', () => {
    const [letters, faces] = ['n'.repeat(1_000_000), `n${'😀'.repeat(1_000)}`];
    const items = [letters, faces].map((name, id) => ({ id, name }));
    const { configurations } = allStepsOf(decodeConfigurations(items, 100));
    const names = configurations.map(({ name }) => name);
    expect(names).toEqual(['n'.repeat(1_026), `n${'😀'.repeat(512)}`]);
    const texts = new LabelTexts();
    for (const name of names) texts.of({ configuration: name });
    expect(texts.shortenedCount).toBe(2);
  });

  it('leaves out what is no configuration, and the second of two with the same id', () => {
    const items = [null, { name: 'no id' }, SHOP, { id: 7 }, { id: 8 }];
    const { configurations, rejected } = allStepsOf(decodeConfigurations(items, 100));
    expect(configurations.map(({ id }) => id)).toEqual(['7', '8']);
    expect(rejected).toBe(3);
  });

  it.each([
    ['text', 'oops'],
    ['null', null],
    ['an object about something else', { detail: 'try again' }],
    ['an object about nothing', {}],
  ])('is refused when it is %s, since nothing may vanish because of it', (_, body) => {
    expect(() => allStepsOf(decodeConfigurations(body, 100))).toThrow(PlatformFailure);
  });

  it('is taken up to a limit, and what is beyond is counted without a look', () => {
    const ids = Array.from({ length: 5 }, (_, id) => ({ id }));
    const { configurations, overLimit } = allStepsOf(decodeConfigurations([...ids, null, null], 3));
    expect(configurations.map(({ id }) => id)).toEqual(['0', '1', '2']);
    expect(overLimit).toBe(4);
  });
});
