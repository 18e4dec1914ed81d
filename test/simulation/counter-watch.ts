import type { ParsedExposition } from '../parse-exposition.ts';

/** Looks at the counters of one scrape after another, as Prometheus does, for one that goes back. */
export class CounterWatch {
  readonly #last = new Map<string, number>();
  readonly decreases: string[] = [];
  scrapes = 0;

  get series(): number {
    return this.#last.size;
  }

  see({ types, samples }: ParsedExposition): void {
    this.scrapes += 1;
    for (const [key, value] of samples) {
      // The key is a JSON array that begins with the name, which has nothing to escape.
      const name = key.slice(2, key.indexOf('"', 2));
      if (!name.startsWith('edge_') || name.startsWith('edge_exporter_') || types.get(name) !== 'counter')
        continue;
      const before = this.#last.get(key) ?? 0;
      if (value < before) this.decreases.push(`${key}: ${before}, then ${value}`);
      this.#last.set(key, value);
    }
  }
}
