import { setImmediate } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Family, Sample } from '../../../src/exporter/catalogue/family.ts';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { makeSegment } from '../../../src/exporter/exposition/segment.ts';
import { Store } from '../../../src/exporter/exposition/store.ts';
import type { ExpositionFormat } from '../../../src/exporter/exposition/text-format.ts';
import { parseExposition } from '../../parse-exposition.ts';

const FORMATS: readonly ExpositionFormat[] = ['text', 'openmetrics'];
const bandwidth: Family = { name: 'edge_bandwidth', type: 'gauge', help: 'Bandwidth.' };
const requests: Family = { name: 'edge_requests_total', type: 'counter', help: 'Requests,\n"all".' };
const FOR_EVER = Infinity;

function identity(exposition: Exposition, format: ExpositionFormat = 'text'): string {
  return Buffer.concat(exposition.snapshot(format, 'identity')).toString();
}

function gunzipped(exposition: Exposition, format: ExpositionFormat = 'text'): string {
  return gunzipSync(Buffer.concat(exposition.snapshot(format, 'gzip'))).toString();
}

function started(): { store: Store; exposition: Exposition } {
  const store = new Store({ seriesLimit: 1_000_000 });
  return { store, exposition: new Exposition(store) };
}

describe('a scrape', () => {
  it('gets what is ready where rendering what has changed takes seconds, and what has changed once that is ready', async () => {
    const { store } = started();
    store.publish('a', [{ family: bandwidth, labels: {}, value: 1 }], FOR_EVER);
    let isSlow = false;
    const slowly = {
      *refresh(): Generator<undefined, void> {
        for (const end = performance.now() + (isSlow ? 2_200 : 0); performance.now() < end; ) yield;
        yield* store.refresh();
      },
      pages: () => store.pages(),
      onChange: (listener: () => void) => store.onChange(listener),
    };
    const exposition = new Exposition(slowly);
    await exposition.refreshForScrape();
    expect(identity(exposition)).toContain('edge_bandwidth 1');
    isSlow = true;
    store.publish('a', [{ family: bandwidth, labels: {}, value: 2 }], FOR_EVER);
    await exposition.refreshForScrape();
    expect(identity(exposition)).toContain('edge_bandwidth 1');
    expect(exposition.scrapes).toBe(0);
    await exposition.refresh();
    expect(identity(exposition)).toContain('edge_bandwidth 2');
    // A scrape refreshes the exposition only if a series must disappear.
    store.withdraw('a');
    await exposition.refreshForScrape(true);
    expect(identity(exposition)).not.toContain('edge_bandwidth');
  });
});

describe('the exposition', () => {
  it('is a valid empty document before anything is published', () => {
    const { exposition } = started();
    expect(identity(exposition, 'text')).toBe('');
    expect(identity(exposition, 'openmetrics')).toBe('# EOF\n');
    expect(gunzipped(exposition, 'text')).toBe('');
    expect(gunzipped(exposition, 'openmetrics')).toBe('# EOF\n');
  });

  it('lists families by name, each with its header, in both formats', async () => {
    const { store, exposition } = started();
    store.publish('a', [{ family: requests, labels: { code: '200' }, value: 7 }], FOR_EVER);
    store.publish('b', [{ family: bandwidth, labels: {}, value: 0.5 }], FOR_EVER);
    await exposition.refresh();
    expect(identity(exposition, 'text').split('\n')).toEqual([
      '# HELP edge_bandwidth Bandwidth.',
      '# TYPE edge_bandwidth gauge',
      'edge_bandwidth 0.5',
      '# HELP edge_requests_total Requests,\\n"all".',
      '# TYPE edge_requests_total counter',
      'edge_requests_total{code="200"} 7',
      '',
    ]);
    expect(identity(exposition, 'openmetrics').split('\n')).toEqual([
      '# HELP edge_bandwidth Bandwidth.',
      '# TYPE edge_bandwidth gauge',
      'edge_bandwidth 0.5',
      '# HELP edge_requests Requests,\\n\\"all\\".',
      '# TYPE edge_requests counter',
      'edge_requests_total{code="200"} 7',
      '# EOF',
      '',
    ]);
  });

  it('is awaited from when a scrape comes that has to wait until it has what was published before', async () => {
    const { store, exposition } = started();
    expect([exposition.refreshForScrape(), exposition.scrapes]).toEqual([undefined, 0]);
    const labels = Array.from({ length: 20_000 }, (_, index) => ({ code: `${index}` }));
    store.publish(
      'a',
      labels.map((one) => ({ family: requests, labels: one, value: 1 })),
      FOR_EVER,
    );
    const refreshed = exposition.refreshForScrape();
    expect(exposition.scrapes).toBe(1);
    await refreshed;
    expect(exposition.scrapes).toBe(0);
    expect(identity(exposition)).toContain('edge_requests_total{code="19999"} 1');
  });

  it('shows what is rendered for a scrape after everything else, before the end of the document', async () => {
    const { store, exposition } = started();
    store.publish('b', [{ family: bandwidth, labels: {}, value: 1 }], FOR_EVER);
    await exposition.refresh();
    const alone = identity(exposition);
    for (const apples of ['apples{of="größe"} 1\n', 'apples{of="größe"} 2\n']) {
      const further = [makeSegment(apples)];
      for (const format of FORMATS) {
        const end = format === 'openmetrics' ? '# EOF\n' : '';
        const bodyOf = (encoding: 'identity' | 'gzip') =>
          Buffer.concat(exposition.snapshot(format, encoding, further));
        expect(bodyOf('identity').toString()).toBe(`${alone}${apples}${end}`);
        expect(gunzipSync(bodyOf('gzip'))).toEqual(bodyOf('identity'));
      }
    }
  });

  it('sends a compressed body of any size in a few pieces', async () => {
    const { store, exposition } = started();
    const labels = Array.from({ length: 5000 }, (_, index) => ({ index: String(index) }));
    store.publish(
      'large',
      labels.map((own) => ({ family: bandwidth, labels: own, value: 1 })),
      FOR_EVER,
    );
    await exposition.refresh();
    expect(exposition.snapshot('text', 'identity').length).toBeGreaterThan(5);
    expect(exposition.snapshot('text', 'gzip').length).toBeLessThan(4);
  });

  it('shows a scrape what was published just before', async () => {
    const { store, exposition } = started();
    store.publish('a', [{ family: bandwidth, labels: {}, value: 1 }], FOR_EVER);
    expect(identity(exposition)).toBe('');
    await exposition.refresh();
    expect(exposition.refresh()).toBeUndefined();
    expect(identity(exposition)).toContain('edge_bandwidth 1\n');
  });

  describe('with time that is fake', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    it('takes in together what is published within a moment, though nobody scrapes', async () => {
      const { store, exposition } = started();
      const publish = (owner: string) =>
        store.publish(owner, [{ family: bandwidth, labels: { owner }, value: 1 }], FOR_EVER);
      publish('a');
      vi.advanceTimersByTime(50);
      publish('b');
      expect(identity(exposition)).toBe('');
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(50);
      expect(vi.getTimerCount()).toBe(0);
      await exposition.refresh();
      expect(identity(exposition)).toContain('{owner="b"} 1\n');
      publish('c');
      vi.advanceTimersByTime(50);
      expect(identity(exposition)).not.toContain('{owner="c"}');
    });

    it('waits no longer once there is much to take in', async () => {
      const { store, exposition } = started();
      for (let owner = 0; owner < 80; owner++) {
        store.publish(`${owner}`, [{ family: bandwidth, labels: { owner: `${owner}` }, value: 1 }], FOR_EVER);
      }
      vi.advanceTimersByTime(1);
      expect(vi.getTimerCount()).toBe(0);
      await exposition.refresh();
      expect(identity(exposition)).toContain('{owner="79"} 1\n');
    });

    it('renders nothing that nobody asks for where it does not render ahead', async () => {
      const store = new Store({ seriesLimit: 1_000_000 });
      const exposition = new Exposition(store, { rendersAhead: false });
      const publish = (owner: number) =>
        store.publish(`${owner}`, [{ family: bandwidth, labels: { owner: `${owner}` }, value: 1 }], FOR_EVER);
      for (let owner = 0; owner < 20_000; owner++) publish(owner);
      expect(vi.getTimerCount()).toBe(0);
      const refreshed = exposition.refreshForScrape();
      publish(20_000);
      await refreshed;
      expect(vi.getTimerCount()).toBe(0);
      expect(identity(exposition)).toContain('{owner="19999"} 1\n');
      await exposition.refresh();
      expect(identity(exposition)).toContain('{owner="20000"} 1\n');
    });
  });

  it('hands out the same pieces until something changes, and leaves handed out ones as they are', async () => {
    const { store, exposition } = started();
    const labels = { c: '1' };
    store.publish('a', [{ family: bandwidth, labels, value: 1 }], FOR_EVER);
    await exposition.refresh();
    const pieces = exposition.snapshot('text', 'gzip');
    expect(exposition.snapshot('text', 'gzip')).toBe(pieces);
    store.publish('a', [{ family: bandwidth, labels, value: 2 }], FOR_EVER);
    await exposition.refresh();
    expect(gunzipSync(Buffer.concat(pieces)).toString()).toContain('{c="1"} 1\n');
    expect(gunzipped(exposition)).toContain('{c="1"} 2\n');
  });

  it('renders again only the chunks that an owner touched', async () => {
    const { store, exposition } = started();
    const publish = (owner: number, value: number) =>
      store.publish(
        `o${owner}`,
        [{ family: bandwidth, labels: { owner: `${owner}`.repeat(100) }, value }],
        FOR_EVER,
      );
    for (let owner = 0; owner < 2000; owner++) publish(owner, 1);
    await exposition.refresh();
    const before = new Set(exposition.snapshot('text', 'identity'));
    publish(1000, 2);
    await exposition.refresh();
    const after = exposition.snapshot('text', 'identity');
    expect(before.size).toBeGreaterThan(5);
    expect(after.filter((piece) => !before.has(piece))).toHaveLength(1);
  });

  it('gives each of many series its own new value', async () => {
    const { store, exposition } = started();
    const labels = Array.from({ length: 250 }, (_, index) => ({ index: String(index) }));
    for (const turn of [1, 2]) {
      store.publish(
        'large',
        labels.map((own, index) => ({ family: bandwidth, labels: own, value: index * turn })),
        FOR_EVER,
      );
      await exposition.refresh();
    }
    expect([...parseExposition(identity(exposition)).samples.values()]).toEqual(
      labels.map((_, index) => 2 * index),
    );
  });

  it('fills the room that withdrawn series leave, so that the pieces of a body do not become more and more', async () => {
    const { store, exposition } = started();
    const publish = (owner: number, round: number) => {
      const labels = { owner: `${owner}`.padStart(200, 'x'), round: String(round) };
      store.publish(`o${owner}`, [{ family: bandwidth, labels, value: 1 }], FOR_EVER);
    };
    const pieces: number[] = [];
    for (let round = 0; round < 6; round++) {
      for (let owner = 0; owner < 1000; owner++) if (owner % 3 !== round - 1) publish(owner, round);
      await exposition.refresh();
      pieces.push(exposition.snapshot('text', 'identity').length);
    }
    expect(pieces[0]).toBeGreaterThan(5);
    expect(Math.max(...pieces)).toBeLessThanOrEqual((pieces[0] ?? 0) + 1);
    for (let owner = 1; owner < 1000; owner++) store.withdraw(`o${owner}`);
    await exposition.refresh();
    expect(exposition.snapshot('text', 'identity')).toHaveLength(2);
  });

  it('shows an owner all old or all new at every moment, however many series it has', async () => {
    const { store, exposition } = started();
    const labels = Array.from({ length: 20_000 }, (_, index) => ({ index: String(index) }));
    const publish = (value: number) => {
      const samples = labels.flatMap((own): Sample[] => [
        { family: bandwidth, labels: own, value },
        { family: requests, labels: own, value },
      ]);
      store.publish('large', value % 2 === 0 ? samples : samples.slice(5000), FOR_EVER);
    };
    const seen = new Set<string>();
    let moments = 0;
    for (let value = 1; value <= 4; value++) {
      publish(value);
      let isSettled = false;
      const settled = Promise.resolve(exposition.refresh()).then(() => {
        isSettled = true;
      });
      for (; !isSettled; moments++) {
        const values = Array.from(gunzipped(exposition).matchAll(/ (\d)$/gm), ([, digit]) => digit);
        seen.add(`${[...new Set(values)].join()} ${values.length}`);
        await setImmediate();
      }
      await settled;
    }
    const allowed = [' 0', '1 35000', '2 40000', '3 35000'];
    expect([...seen].filter((moment) => !allowed.includes(moment))).toEqual([]);
    expect(moments).toBeGreaterThan(8);
    expect(identity(exposition)).toContain('{index="19999"} 4\n');
  });

  it('settles for what came before the call even while more is published', async () => {
    const { store, exposition } = started();
    const publish = (value: number) =>
      store.publish('a', [{ family: bandwidth, labels: { c: '1' }, value }], FOR_EVER);
    for (let value = 1; value <= 20; value++) {
      publish(value);
      const settled = exposition.refresh();
      await setImmediate();
      publish(value + 100);
      await settled;
      expect(identity(exposition)).toMatch(new RegExp(`\\} (${value}|${value + 100})\n`));
      await exposition.refresh();
      expect(identity(exposition)).toContain(`} ${value + 100}\n`);
    }
  });
});
