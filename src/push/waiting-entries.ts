import type { StateKey } from '../state/state.ts';

/** What is known of an entry of the outbox without reading it. */
export interface WaitingEntry {
  readonly key: StateKey;
  readonly source: string;
  /** When it was put in (ms since the epoch). */
  readonly queuedAt: number;
  readonly bytes: number;
  readonly samples: number;
}

/** Why entries that wait are dropped. */
export type LimitReason = 'outbox_full' | 'outbox_age';

/** The last part of an entry's key, by which entries are ordered. */
export function nameOf(key: StateKey): string {
  return key.at(-1) ?? '';
}

/** The entries that wait for one receiver, in the order of their keys, and what they add up to. */
export class WaitingEntries {
  readonly #entries = new Map<string, WaitingEntry>();
  #bytes = 0;
  #samples = 0;

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get samples(): number {
    return this.#samples;
  }

  /** Since when (ms since the epoch) the first has waited; undefined where none does. */
  get oldest(): number | undefined {
    for (const { queuedAt } of this.#entries.values()) return queuedAt;
    return undefined;
  }

  find(name: string): WaitingEntry | undefined {
    return this.#entries.get(name);
  }

  values(): Iterable<WaitingEntry> {
    return this.#entries.values();
  }

  /** Adds an entry behind all others, unless it waits already. */
  add(entry: WaitingEntry): void {
    const name = nameOf(entry.key);
    if (this.#entries.has(name)) return;
    this.#entries.set(name, entry);
    this.#bytes += entry.bytes;
    this.#samples += entry.samples;
  }

  /** Adds entries before all others. */
  addBefore(entries: readonly WaitingEntry[]): void {
    const later = [...this.#entries.values()];
    this.#entries.clear();
    this.#bytes = 0;
    this.#samples = 0;
    for (const entry of [...entries, ...later]) this.add(entry);
  }

  delete(name: string): void {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
    this.#samples -= entry.samples;
  }

  /** Those that must go for the others to be within the limits: the first ones, but for some that are kept. */
  beyond(
    limits: { readonly bytes: number; readonly queuedBefore: number },
    kept: ReadonlySet<string>,
  ): { readonly entry: WaitingEntry; readonly reason: LimitReason }[] {
    const found: { readonly entry: WaitingEntry; readonly reason: LimitReason }[] = [];
    let bytes = this.#bytes;
    for (const [name, entry] of this.#entries) {
      const isOld = entry.queuedAt < limits.queuedBefore;
      if (bytes <= limits.bytes && !isOld) break;
      if (kept.has(name)) continue;
      found.push({ entry, reason: bytes > limits.bytes ? 'outbox_full' : 'outbox_age' });
      bytes -= entry.bytes;
    }
    return found;
  }
}
