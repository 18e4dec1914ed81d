import type { ParsedExposition } from '../parse-exposition.ts';

/** Compares the counters of consecutive scrapes, as Prometheus does, and records every decrease. */
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
      // The key is a JSON array. Its first element is the name, which needs no escapes.
      const name = key.slice(2, key.indexOf('"', 2));
      if (!name.startsWith('edge_') || name.startsWith('edge_exporter_') || types.get(name) !== 'counter')
        continue;
      const before = this.#last.get(key) ?? 0;
      if (value < before) this.decreases.push(`${key}: ${before}, then ${value}`);
      this.#last.set(key, value);
    }
  }
}
