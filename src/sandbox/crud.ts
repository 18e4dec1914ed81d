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
  readonly maxPageSize: number;
  /** Makes `results` of a page's items; an array by default. */
  wrap?(items: Record<string, unknown>[]): unknown;
}

const DEFAULT_PAGE_SIZE = 10;

/** A page of a version 3 list (specification 2.0 and 4.0): the envelope, or what is wrong with the parameters. */
export function listReply<Item>(call: Call, listing: Listing<Item>): Reply {
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
  const size = Math.min(asked, listing.maxPageSize);
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
  /** The resource as writes show it. */
  view(item: Item): Record<string, unknown>;
  /** The resource as a read of it alone shows it, where that differs. */
  readView?(item: Item): Record<string, unknown>;
  /** The resource as the list shows it, where that differs. */
  listView?(item: Item): Record<string, unknown>;
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
  /** What an overwrite shows, where that differs. */
  overwrittenView?(item: Item): Record<string, unknown>;
  /** What can be done with an item besides reading it; everything by default. */
  readonly onItems?: readonly ('remove' | 'overwrite' | 'update')[];
  /** Whether the list takes a `name` query. */
  readonly byName?: 'by_name';
  /** The answer when there is no such item. */
  readonly missing?: Reply;
}

/** A resource of version 3: its list, and what can be done with an item. */
export function resourceOf<Item extends Identified, Fields extends object, New extends object = Fields>(
  settings: Settings,
  kind: Kind<Item, Fields, New>,
): Resource {
  const { onItems = ['remove', 'overwrite', 'update'] } = kind;
  const item = itemOperations(kind);
  const operations = [...listOperations(kind, settings), item.read, ...onItems.map((name) => item[name])];
  return { versions: [3], operations };
}

/** The operations on a list: read it, and create. */
function listOperations<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
  settings: Settings,
): Operation[] {
  const { collection } = kind;
  const body = (kind.create?.body ?? kind.body) as z.ZodType<New>;
  const create = (call: Call) =>
    withBody<New>(body, call.body, (fields) => {
      const refusal = kind.check?.(fields as Partial<Fields & New>, undefined, call);
      if (refusal) return refusal;
      const id = collection.nextId();
      const made = kind.create?.make(fields, id) ?? { id, ...fields };
      return result(kind.view(collection.put({ ...made, ...kind.touch?.(call) } as Item)), 201);
    });
  return [
    { method: 'get', path: '/', permission: kind.read, handle: (call) => list(kind, settings, call) },
    { method: 'post', path: '/', permission: kind.write, handle: create },
  ];
}

/** An operation on the item of a collection that the path names. */
export function onItem<Item extends Identified>(
  collection: Collection<Item>,
  missing: Reply,
  method: Operation['method'],
  permission: Permission,
  handle: (item: Item, call: Call) => Reply,
): Operation {
  const find = (call: Call) => {
    const item = collection.get(idOf(call.params['id']));
    return item === undefined ? missing : handle(item, call);
  };
  return { method, path: '/:id', permission, handle: find };
}

/** The operations on one item. PUT takes defaults for fields left out, PATCH keeps their values. */
function itemOperations<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
): { read: Operation; overwrite: Operation; update: Operation; remove: Operation } {
  const write = (call: Call, item: Item, fields: Partial<Fields>, view: Kind<Item, Fields, New>['view']) => {
    const refusal = kind.check?.(fields as Partial<Fields & New>, item, call);
    if (refusal) return refusal;
    const changed = kind.collection.update(item.id, { ...fields, ...kind.touch?.(call) } as Partial<Item>);
    return result(view(changed ?? item));
  };
  const operation = (
    method: Operation['method'],
    permission: Permission,
    handle: (item: Item, call: Call) => Reply,
  ) => onItem(kind.collection, kind.missing ?? NOT_FOUND, method, permission, handle);
  return {
    read: operation('get', kind.read, (item) => result((kind.readView ?? kind.view)(item))),
    overwrite: operation('put', kind.write, (item, call) =>
      withBody<Fields>(kind.body, call.body, (fields) =>
        write(call, item, fields, kind.overwrittenView ?? kind.view),
      ),
    ),
    update: operation('patch', kind.write, (item, call) =>
      withPatch<Fields>(kind.body, call.body, (fields) => write(call, item, fields, kind.view)),
    ),
    remove: operation('delete', kind.write, (item) => {
      if (kind.remove) kind.remove(item);
      else kind.collection.remove(item.id);
      return NO_CONTENT;
    }),
  };
}

function list<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
  settings: Settings,
  call: Call,
): Reply {
  const name = kind.byName ? call.query['name'] : undefined;
  const view = kind.listView ?? kind.view;
  const isShown = (item: Item) =>
    (kind.listed?.(item) ?? true) && (name === undefined || kind.view(item)['name'] === name);
  return namedReply(call, { items: [...kind.collection].filter(isShown), view, name, settings });
}

/** A page of a list, or, where a name was asked for that one item has, what the settings say that is answered then. */
export function namedReply<Item>(
  call: Call,
  {
    items,
    view,
    name,
    settings,
  }: Pick<Listing<Item>, 'items' | 'view'> & { name: string | undefined; settings: Settings },
): Reply {
  const [only] = items;
  if (name !== undefined && only && items.length === 1 && settings.byNameShape === 'object')
    return result(view(only));
  return listReply(call, { items, view, maxPageSize: settings.maxPageSize });
}
