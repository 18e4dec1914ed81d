import type { z } from 'zod';
import type { Collection } from '../account/platform-account.ts';
import type { Settings } from '../account/settings.ts';
import { NO_CONTENT, NOT_FOUND, ok, type Reply, result } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import { listReply } from './list.ts';
import { type Call, idOf, type Manners, type Operation, type Resource } from './resource-router.ts';

export type Verb = 'list' | 'create' | 'read' | 'overwrite' | 'update' | 'remove';

/** Resource kind with its list, reads and changes. */
export interface Kind<Item extends { readonly id: number }> extends Manners {
  readonly collection: Collection<Item>;
  /** Verbs in the platform's order. */
  readonly verbs: readonly Verb[];
  /** Returns the resource in the form of a response; default: all of it. */
  view?(item: Item, verb: Verb): object;
  /** Returns the response with the resource in it; default: that of version 3. */
  envelope?(shown: object, status: number, call: Call, verb: Verb): Reply;
  /** Returns true if the list contains the item; default: always. */
  listed?(item: Item): boolean;
  /** Schema of an overwrite, defaults included. An update may have any of its fields. */
  readonly body?: z.ZodObject & z.ZodType<Partial<Item>>;
  /** Schema of a create, if it differs. */
  readonly newBody?: z.ZodType<Partial<Item>>;
  /** Returns the fields of a new item that the request lacks. */
  made?(id: number, fields: Partial<Item>): Partial<Item>;
  /** Returns fields that each write sets in addition to those of the request. */
  noted?(call: Call, fields: Partial<Item>, known: Item | undefined): Partial<Item>;
  /** Returns a refusal that the schema cannot express, such as a conflict; undefined if the fields are valid. */
  check?(fields: Partial<Item>, known: Item | undefined, owner: number | undefined): Reply | undefined;
  /** Returns the refusal to remove an item that is in use; undefined if it can be removed. */
  inUse?(item: Item): Reply | undefined;
  /** Removes the item with everything associated with it; default: only the item. */
  remove?(item: Item): void;
  /** Verbs that need no permission (`open`), or a Content-Type without a body (`typed`). */
  readonly particular?: Readonly<Partial<Record<Verb, 'open' | 'typed'>>>;
  /** True if the list accepts a `name` parameter. */
  readonly byName?: true;
  /** Response if the item does not exist. */
  readonly missing?: Reply;
  /** Owner, if the resource is part of another one. */
  readonly inside?: Inside<Item>;
}

interface Inside<Item> {
  readonly owners: Collection<{ readonly id: number }>;
  /** Path below the owner, and the field with the owner's id. */
  readonly path: string;
  readonly owner: keyof Item & string;
  /** Returns `results` with a page's items. */
  wrap(items: readonly object[], owner: number): unknown;
}

/** Returns a resource with its list and its operations on items. PUT sets missing fields to defaults, PATCH keeps them. */
export function resourceOf<Item extends { readonly id: number }>(
  settings: Settings,
  kind: Kind<Item>,
): Resource {
  const { collection, inside, missing = NOT_FOUND } = kind;
  const shown = (item: Item, verb: Verb) => kind.view?.(item, verb) ?? { ...item };
  const reply = (item: Item, verb: Verb, call: Call, status = 200) =>
    (kind.envelope ?? result)(shown(item, verb), status, call, verb);
  const ownerOf = ({ params }: Call) => (inside ? inside.owners.get(idOf(params['id']))?.id : undefined);
  const belongs = (item: Item, call: Call) => inside === undefined || item[inside.owner] === ownerOf(call);

  const list = (call: Call): Reply => {
    const name = kind.byName ? call.query['name'] : undefined;
    const items = [...collection]
      .filter((item) => belongs(item, call) && (kind.listed?.(item) ?? true))
      .map((item) => shown(item, 'list') as Record<string, unknown>)
      .filter((item) => name === undefined || item['name'] === name);
    if (call.version < 3) return ok(items);
    if (name !== undefined && items.length === 1 && settings.byNameShape === 'object')
      return result(items[0]);
    const wrap = (page: readonly object[]) => inside?.wrap(page, ownerOf(call) ?? 0) ?? page;
    return listReply(call, items, wrap, settings);
  };

  const write = (known: Item | undefined, call: Call, verb: Verb): Reply => {
    const put = (fields: Partial<Item>) => {
      const refused = kind.check?.(fields, known, ownerOf(call));
      if (refused) return refused;
      const noted = { ...fields, ...kind.noted?.(call, fields, known) };
      if (known !== undefined) return reply(collection.update(known.id, noted) ?? known, verb, call);
      const id = collection.nextId();
      const owner = inside && { [inside.owner]: ownerOf(call) };
      const item = { id, ...owner, ...noted, ...kind.made?.(id, fields) } as unknown as Item;
      return reply(collection.put(item), verb, call, 201);
    };
    if (kind.body === undefined) return missing;
    if (verb === 'update') return withPatch<Partial<Item>>(kind.body, call.body, put);
    return withBody((verb === 'create' ? kind.newBody : undefined) ?? kind.body, call.body, put);
  };

  const remove = (item: Item): Reply => {
    const refused = kind.inUse?.(item);
    if (refused) return refused;
    if (kind.remove) kind.remove(item);
    else collection.remove(item.id);
    return NO_CONTENT;
  };

  const inOwner = (handle: (call: Call) => Reply) => (call: Call) =>
    inside && ownerOf(call) === undefined ? NOT_FOUND : handle(call);
  const onItem = (handle: (item: Item, call: Call, verb: Verb) => Reply, verb: Verb) =>
    inOwner((call) => {
      const item = collection.get(idOf(call.params[inside ? 'item' : 'id']));
      return item === undefined || !belongs(item, call) ? missing : handle(item, call, verb);
    });
  const all = inside ? `/:id${inside.path}` : '/';
  const one = inside ? `${all}/:item` : '/:id';
  const read = (item: Item, call: Call) => reply(item, 'read', call);
  const operations: Readonly<Record<Verb, Operation>> = {
    list: ['get', all, inOwner(list)],
    create: ['post', all, inOwner((call) => write(undefined, call, 'create'))],
    read: ['get', one, onItem(read, 'read')],
    overwrite: ['put', one, onItem(write, 'overwrite')],
    update: ['patch', one, onItem(write, 'update')],
    remove: ['delete', one, onItem(remove, 'remove')],
  };
  return {
    ...kind,
    operations: kind.verbs.map((verb) => {
      const [method, path, handle] = operations[verb];
      return [method, path, handle, kind.particular?.[verb]];
    }),
  };
}
