import type { z } from 'zod';
import type { Collection } from './account/platform-account.ts';
import type { Settings } from './account/settings.ts';
import { detail, fieldErrors, NO_CONTENT, NOT_FOUND, ok, type Reply, result } from './http/reply.ts';
import { withBody, withPatch } from './http/request-parts.ts';
import type { Permission } from './http/token-store.ts';
import { type Call, idOf, type Operation, type Resource } from './resource-router.ts';

/** What a list shows; it can be ordered by every field that it shows. */
export interface Listing<Item> {
  readonly items: readonly Item[];
  /** An item as the list shows it. */
  view(item: Item): Record<string, unknown>;
  /** Makes `results` of a page's items; an array by default. */
  wrap?(items: Record<string, unknown>[]): unknown;
}

const DEFAULT_PAGE_SIZE = 10;

/** A page of a version 3 list (specification 2.0 and 4.0): the envelope, or what is wrong with the parameters. */
export function listReply<Item>(call: Call, listing: Listing<Item>, { maxPageSize }: Settings): Reply {
  const { order_by: orderBy, sort = 'asc' } = call.query;
  const page = positive(call.query['page'] ?? '1');
  const asked = positive(call.query['page_size'] ?? String(DEFAULT_PAGE_SIZE));
  const problems = {
    ...(page === undefined && { page: ['A valid integer is required.'] }),
    ...(asked === undefined && { page_size: ['A valid integer is required.'] }),
    ...(orderBy !== undefined && !shows(listing, orderBy) && { order_by: ['Unknown field.'] }),
    ...(sort !== 'asc' && sort !== 'desc' && { sort: ['Use asc or desc.'] }),
  };
  if (page === undefined || asked === undefined || Object.keys(problems).length > 0)
    return fieldErrors(problems);
  const size = Math.min(asked, maxPageSize);
  const pages = Math.ceil(listing.items.length / size);
  if (page > Math.max(1, pages)) return detail(404, 'Invalid page.');
  const shown = ordered(listing, orderBy, sort)
    .slice((page - 1) * size, page * size)
    .map(listing.view);
  return ok({
    count: listing.items.length,
    total_pages: pages,
    schema_version: 3,
    links: {
      previous: page > 1 ? link(call, page - 1, size) : null,
      next: page < pages ? link(call, page + 1, size) : null,
    },
    results: listing.wrap ? listing.wrap(shown) : shown,
  });
}

function positive(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** An empty list shows no fields, and every order of it is the same. */
function shows<Item>({ items: [first], view }: Listing<Item>, field: string): boolean {
  return first === undefined || Object.hasOwn(view(first), field);
}

function ordered<Item>(listing: Listing<Item>, field: string | undefined, sort: string): readonly Item[] {
  if (field === undefined) return sort === 'desc' ? listing.items.toReversed() : listing.items;
  const keyed = listing.items.map((item) => ({ item, key: listing.view(item)[field] }));
  const direction = sort === 'desc' ? -1 : 1;
  return keyed.sort((a, b) => direction * compare(a.key, b.key)).map(({ item }) => item);
}

/** Lists by their items, the shorter first where it begins the longer; numbers by value, all else as text. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (Array.isArray(a) && Array.isArray(b)) {
    const differs = a.findIndex((item, index) => index >= b.length || compare(item, b[index]) !== 0);
    if (differs < 0 || differs >= b.length) return a.length - b.length;
    return compare(a[differs], b[differs]);
  }
  const [left, right] = [sortText(a), sortText(b)];
  return left < right ? -1 : Number(left > right);
}

function sortText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

function link({ address, query }: Call, page: number, size: number): string {
  const parameters = new URLSearchParams({ page: String(page), page_size: String(size) });
  for (const name of ['order_by', 'sort', 'name']) {
    const value = query[name];
    if (value !== undefined) parameters.set(name, value);
  }
  return `${address}?${parameters}`;
}

interface Identified {
  readonly id: number;
}

/** How resources of one kind are listed, read and changed in version 3. */
export interface Kind<Item extends Identified, Fields extends object, New extends object = Fields> {
  readonly collection: Collection<Item>;
  readonly read: Permission;
  readonly write: Permission;
  /** The resource as its list, a read of it alone, or a write shows it. */
  view(item: Item, where: 'list' | 'read' | 'create' | 'overwrite' | 'update'): Record<string, unknown>;
  /** Whether the list shows it; it shows everything by default. */
  listed?(item: Item): boolean;
  /** The body of an overwrite, defaults included; an update takes any part of it. */
  readonly body: z.ZodObject & z.ZodType<Fields>;
  /** How an item is made, where that differs: of other fields, or with more than what is sent. */
  readonly create?: {
    readonly body?: z.ZodObject & z.ZodType<New>;
    make(fields: New, id: number): Partial<Item>;
  };
  /** What each write sets besides the fields sent. */
  touch?(call: Call): Partial<Item>;
  /** Refuses what the schema cannot see, such as a conflict or a reference to nothing. */
  check?(fields: Partial<Fields & New>, item: Item | undefined, call: Call): Reply | undefined;
  /** Removes the item with everything associated with it; by default only the item. */
  remove?(item: Item): void;
  /** What can be done with an item besides reading it; everything by default. */
  readonly onItems?: readonly ('remove' | 'overwrite' | 'update')[];
  /** Whether the list takes a `name` query. */
  readonly byName?: 'by_name';
  /** The answer when there is no such item. */
  readonly missing?: Reply;
}

/**
 * A resource of version 3: its list, and what can be done with an item. PUT takes defaults for fields left out, PATCH
 * keeps their values.
 */
export function resourceOf<Item extends Identified, Fields extends object, New extends object = Fields>(
  settings: Settings,
  kind: Kind<Item, Fields, New>,
): Resource {
  const { collection, read, write, view, onItems = ['remove', 'overwrite', 'update'] } = kind;
  const item = (handle: (item: Item, call: Call) => Reply) =>
    onItem(collection, kind.missing ?? NOT_FOUND, handle);
  const refusal = (fields: Partial<Fields> | New, known: Item | undefined, call: Call) =>
    kind.check?.(fields as Partial<Fields & New>, known, call);
  const create = (call: Call) =>
    withBody<New>((kind.create?.body ?? kind.body) as z.ZodType<New>, call.body, (fields) => {
      const refused = refusal(fields, undefined, call);
      if (refused) return refused;
      const id = collection.nextId();
      const made = kind.create?.make(fields, id) ?? { id, ...fields };
      return result(view(collection.put({ ...made, ...kind.touch?.(call) } as Item), 'create'), 201);
    });
  const change = (known: Item, call: Call, fields: Partial<Fields>, how: 'overwrite' | 'update') => {
    const refused = refusal(fields, known, call);
    if (refused) return refused;
    collection.update(known.id, { ...fields, ...kind.touch?.(call) } as Partial<Item>);
    return result(view(known, how));
  };
  const overwrite = (known: Item, call: Call) =>
    withBody<Fields>(kind.body, call.body, (fields) => change(known, call, fields, 'overwrite'));
  const update = (known: Item, call: Call) =>
    withPatch<Fields>(kind.body, call.body, (fields) => change(known, call, fields, 'update'));
  const remove = (known: Item) => {
    if (kind.remove) kind.remove(known);
    else collection.remove(known.id);
    return NO_CONTENT;
  };
  const writes: Readonly<Record<'remove' | 'overwrite' | 'update', Operation>> = {
    remove: ['delete', '/:id', item(remove)],
    overwrite: ['put', '/:id', item(overwrite)],
    update: ['patch', '/:id', item(update)],
  };
  const operations: readonly Operation[] = [
    ['get', '/', (call) => list(kind, settings, call)],
    ['post', '/', create],
    ['get', '/:id', item((known) => result(view(known, 'read')))],
    ...onItems.map((name) => writes[name]),
  ];
  return { versions: [3], read, write, operations };
}

/** What is answered of the item of a collection that the path names. */
export function onItem<Item extends Identified>(
  collection: Collection<Item>,
  missing: Reply,
  handle: (item: Item, call: Call) => Reply,
): (call: Call) => Reply {
  return (call) => {
    const item = collection.get(idOf(call.params['id']));
    return item === undefined ? missing : handle(item, call);
  };
}

function list<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
  settings: Settings,
  call: Call,
): Reply {
  const name = kind.byName ? call.query['name'] : undefined;
  const isShown = (item: Item) =>
    (kind.listed?.(item) ?? true) && (name === undefined || kind.view(item, 'list')['name'] === name);
  const listing = {
    items: [...kind.collection].filter(isShown),
    view: (item: Item) => kind.view(item, 'list'),
  };
  return namedReply(call, name, listing, settings);
}

/** A page of a list, or, where a name was asked for that one item has, what the settings say that is answered then. */
export function namedReply<Item>(
  call: Call,
  name: string | undefined,
  listing: Listing<Item>,
  settings: Settings,
): Reply {
  const [only] = listing.items;
  const isOne = name !== undefined && only !== undefined && listing.items.length === 1;
  return isOne && settings.byNameShape === 'object'
    ? result(listing.view(only))
    : listReply(call, listing, settings);
}
