import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Exposition } from '../../../src/exporter/exposition/exposition.ts';
import { Families } from '../../../src/exporter/exposition/family-lines.ts';
import { segmentOf } from '../../../src/exporter/exposition/segment.ts';

const METADATA = { name: 'edge_a', type: 'gauge', help: 'A.' } as const;

class LiveFamily {
  readonly #families = new Families();
  #changed: () => void = () => undefined;

  set(text: string, value: number): void {
    const lines = this.#families.of(METADATA);
    const series = lines.find(text);
    if (series === undefined) lines.add(text, value);
    else lines.change(series, value);
    this.#changed();
  }

  remove(text: string): void {
    const lines = this.#families.find(METADATA);
    const series = lines?.find(text);
    if (lines === undefined || series === undefined) return;
    lines.remove(series);
    this.#changed();
  }

  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  refresh() {
    return this.#families.render();
  }

  pages() {
    return this.#families.pages();
  }
}

function startedLines() {
  const family = new LiveFamily();
  const exposition = new Exposition(family);
  const lines = () =>
    Buffer.concat(exposition.snapshot('text', 'identity'))
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
  return { family, exposition, lines };
}

const change = fc.record({
  kind: fc.constantFrom('set', 'set', 'remove', 'render'),
  name: fc.nat(12),
  value: fc.oneof(fc.nat(3), fc.double({ noNaN: true, noDefaultInfinity: true })),
});

interface Both {
  readonly family: LiveFamily;
  readonly expected: Map<string, number>;
}

function setBoth({ family, expected }: Both, text: string, value: number): void {
  family.set(text, value);
  expected.set(text, value);
}

function removeBoth({ family, expected }: Both, text: string): void {
  family.remove(text);
  expected.delete(text);
}

describe('the lines of a family', () => {
  it('are shown as they were set last, whichever of them come, change and go before it is rendered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 40 }), async (changes) => {
        const { family, exposition, lines } = startedLines();
        const expected = new Map<string, number>();
        for (const { kind, name, value } of changes) {
          const text = `{name="${'é'.repeat(name)}"}`;
          if (kind === 'render') await exposition.refresh();
          else if (kind === 'set') setBoth({ family, expected }, text, value);
          else removeBoth({ family, expected }, text);
        }
        await exposition.refresh();
        expect(lines()).toEqual([...expected].map(([text, value]) => `edge_a${text} ${String(value)}`));
      }),
    );
  });

  it('are in small pieces, of which a change of one line writes one anew', async () => {
    const { family, exposition } = startedLines();
    for (let index = 0; index < 4_000; index += 1) family.set(`{n="${'n'.repeat(90)}${index}"}`, index);
    await exposition.refresh();
    const before = new Set(exposition.snapshot('text', 'identity'));
    for (const index of [0, 2_000, 3_999]) {
      family.set(`{n="${'n'.repeat(90)}${index}"}`, -1);
      await exposition.refresh();
      const written = exposition.snapshot('text', 'identity').filter((piece) => !before.has(piece));
      expect(written.map(({ length }) => length < 9_000)).toEqual([true]);
      for (const piece of written) before.add(piece);
    }
  });

  it('are compressed in rows of such pieces where there are many, which takes less room', async () => {
    const { family, exposition } = startedLines();
    for (let index = 0; index < 8_000; index += 1) {
      const configuration = Math.floor(index / 24);
      const labels = `account="main",product="edge_applications",configuration="shop-${7919 * configuration}.example.com"`;
      family.set(`{${labels},code="${200 + (index % 24)}"}`, 1_000_003 % (index + 1_000));
    }
    await exposition.refresh();
    const alone = exposition.snapshot('text', 'identity').map((piece) => segmentOf([piece]).deflated.length);
    const together = exposition.snapshot('text', 'gzip').reduce((sum, { length }) => sum + length, 0);
    expect(together).toBeLessThan(0.95 * alone.reduce((sum, length) => sum + length, 0));
  });

  it('are shown, and no others, whichever of them come and go together, plain and compressed', async () => {
    const { family, exposition } = startedLines();
    const shown = new Map<number, number>();
    const textOf = (index: number) => `{n="${'n'.repeat(90)}${index}"}`;
    const agree = async () => {
      await exposition.refresh();
      const plain = Buffer.concat(exposition.snapshot('text', 'identity')).toString();
      expect(gunzipSync(Buffer.concat(exposition.snapshot('text', 'gzip'))).toString()).toBe(plain);
      const lines = plain.split('\n').filter((line) => line.startsWith('edge_a{'));
      expect(lines.sort()).toEqual([...shown].map(([n, value]) => `edge_a${textOf(n)} ${value}`).sort());
    };
    const set = (from: number, to: number, value: number) => {
      for (let index = from; index < to; index += 1) {
        family.set(textOf(index), value);
        shown.set(index, value);
      }
    };
    const remove = (indexes: Iterable<number>) => {
      for (const index of indexes) {
        family.remove(textOf(index));
        shown.delete(index);
      }
    };
    set(0, 8_000, 1);
    await agree();
    // The ranges grow from a single line to several rows that are compressed together.
    for (const [from, to] of [
      [7_000, 7_001],
      [5_000, 5_200],
      [4_000, 7_500],
      [0, 8_000],
    ] as const) {
      remove(Array.from({ length: to - from }, (_, index) => from + index));
      await agree();
      set(from, to, from);
      await agree();
    }
    // Removes all series of some compressed rows, and none of the others.
    const pieces = exposition.snapshot('text', 'identity').map((piece) => piece.toString());
    for (const piece of pieces.filter((_, index) => index > 40 && index % 4 !== 0))
      remove(Array.from(piece.matchAll(/n(\d+)"/g), ([, index]) => Number(index)));
    await agree();
    for (let index = 0; index < 8_000; index += 1) if (!shown.has(index)) set(index, index + 1, 2);
    await agree();
  });
});
