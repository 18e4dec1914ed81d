import type { z } from 'zod';
import type { Collection } from './account/collection.ts';
import type { Settings } from './account/settings.ts';
import { parseBody, parsePatch } from './http/body.ts';
import { listReply } from './http/list-reply.ts';
import type { Permission } from './http/permissions.ts';
import { NO_CONTENT, NOT_FOUND, type Reply, result } from './http/reply.ts';
import { type Call, idOf, type Operation } from './resource.ts';

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
  readonly create: {
    readonly body: z.ZodObject & z.ZodType<New>;
    make(fields: New, id: number, call: Call): Item;
  };
  /** What an overwrite or update changes besides the fields sent. */
  touch?(call: Call): Partial<Item>;
  /** Refuses what the schema cannot see, such as a conflict or a reference to nothing. */
  check?(fields: Partial<Fields & New>, item: Item | undefined, call: Call): Reply | undefined;
  /** Removes the item with everything associated with it; by default only the item. */
  remove?(item: Item): void;
  /** What an overwrite shows, where that differs. */
  overwrittenView?(item: Item): Record<string, unknown>;
  readonly settings: Settings;
  /** Whether the list takes a `name` query. */
  readonly byName?: 'by_name';
  /** The answer when there is no such item. */
  readonly missing?: Reply;
}

/** The operations on a list: read it, and create. */
export function listOperations<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
): { list: Operation; create: Operation } {
  return {
    list: { method: 'get', path: '/', permission: kind.read, handle: (call) => list(kind, call) },
    create: {
      method: 'post',
      path: '/',
      permission: kind.write,
      handle(call) {
        const parsed = parseBody<New>(kind.create.body, call.body);
        if ('refusal' in parsed) return parsed.refusal;
        const refusal = kind.check?.(parsed.fields as Partial<Fields & New>, undefined, call);
        if (refusal) return refusal;
        const { collection } = kind;
        const item = collection.put(kind.create.make(parsed.fields, collection.nextId(), call));
        return result(kind.view(item), 201);
      },
    },
  };
}

/** The operations on one item. PUT takes defaults for fields left out, PATCH keeps their values. */
export function itemOperations<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
): { read: Operation; overwrite: Operation; update: Operation; remove: Operation } {
  const find = (call: Call, handle: (item: Item) => Reply) => {
    const item = kind.collection.get(idOf(call.params['id']));
    return item === undefined ? (kind.missing ?? NOT_FOUND) : handle(item);
  };
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
  ) => ({
    method,
    path: '/:id',
    permission,
    handle: (call: Call) => find(call, (item) => handle(item, call)),
  });
  return {
    read: operation('get', kind.read, (item) => result((kind.readView ?? kind.view)(item))),
    overwrite: operation('put', kind.write, (item, call) => {
      const parsed = parseBody<Fields>(kind.body, call.body);
      return 'refusal' in parsed
        ? parsed.refusal
        : write(call, item, parsed.fields, kind.overwrittenView ?? kind.view);
    }),
    update: operation('patch', kind.write, (item, call) => {
      const parsed = parsePatch<Fields>(kind.body, call.body);
      return 'refusal' in parsed ? parsed.refusal : write(call, item, parsed.fields, kind.view);
    }),
    remove: operation('delete', kind.write, (item) => {
      if (kind.remove) kind.remove(item);
      else kind.collection.remove(item.id);
      return NO_CONTENT;
    }),
  };
}

function list<Item extends Identified, Fields extends object, New extends object>(
  kind: Kind<Item, Fields, New>,
  call: Call,
): Reply {
  const name = kind.byName ? call.query['name'] : undefined;
  const all = [...kind.collection].filter((item) => kind.listed?.(item) ?? true);
  const items = name === undefined ? all : all.filter((item) => kind.view(item)['name'] === name);
  const [only] = items;
  const view = kind.listView ?? kind.view;
  if (name !== undefined && only && items.length === 1 && kind.settings.byNameShape === 'object') {
    return result(view(only));
  }
  return listReply(call, { items, view, maxPageSize: kind.settings.maxPageSize });
}
