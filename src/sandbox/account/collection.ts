/** Resources of one kind by id, in the order in which they were created. */
export class Collection<Item extends { readonly id: number }> implements Iterable<Item> {
  readonly #items = new Map<number, Item>();
  readonly #changed: () => void;
  #nextId: number;

  /** @param changed called after every change, with what changed already in place */
  constructor(firstId: number, changed: () => void = () => {}) {
    this.#nextId = firstId;
    this.#changed = changed;
  }

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.values();
  }

  get(id: number): Item | undefined {
    return this.#items.get(id);
  }

  /** An id that was never used. */
  nextId(): number {
    return this.#nextId++;
  }

  /** Adds the item, or replaces the one with its id. */
  put(item: Item): Item {
    this.#items.set(item.id, item);
    this.#nextId = Math.max(this.#nextId, item.id + 1);
    this.#changed();
    return item;
  }

  /** Changes some fields of an item in place; `undefined` when there is none. */
  update(id: number, fields: Partial<Item>): Item | undefined {
    const item = this.#items.get(id);
    if (item === undefined) return undefined;
    Object.assign(item, fields);
    this.#changed();
    return item;
  }

  remove(id: number): boolean {
    const removed = this.#items.delete(id);
    if (removed) this.#changed();
    return removed;
  }
}
