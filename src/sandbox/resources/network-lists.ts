import { z } from 'zod';
import { type NetworkList, type NetworkListFields, networkListBody } from '../account/resource-types.ts';
import { type Kind, resourceOf } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import { hash, keyOf } from '../hash.ts';
import type { Platform } from '../http/platform.ts';
import { detail, fieldErrors, type Reply } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';
import { SYSTEM_LISTS } from '../seed.ts';

/** What an item of each type of list may be. */
const ITEMS = {
  ip_cidr: z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]),
  asn: z.coerce.number().int().min(0).max(4_294_967_295),
  countries: z.string().regex(/^[A-Z]{2}$/),
} as const;

/** Specification 4.10. The platform's own lists are read by their ids; the list does not show them. */
export function networkLists({ account, seed, settings }: Platform): Resource {
  const kind: Kind<NetworkList, NetworkListFields> = {
    collection: account.networkLists,
    read: 'View Network Lists',
    write: 'Edit Network Lists',
    view: (list) => ({ ...list, items_values: shuffled(list, seed) }),
    readView: ({ id: _id, ...list }) => ({ ...list, items_values: shuffled({ id: _id, ...list }, seed) }),
    listView: ({ items_values: _items, ...list }) => list,
    listed: isOwn,
    body: networkListBody,
    touch: ({ editor, now }) => ({ last_editor: editor, last_modified: isoTimestamp(now) }),
    check: (fields, list) => (list && !isOwn(list) ? detail(403, 'Forbidden') : wrongItem(fields)),
    settings,
  };
  return resourceOf(kind, ['overwrite']);
}

function isOwn({ id }: NetworkList): boolean {
  return !Object.values<number>(SYSTEM_LISTS).includes(id);
}

function wrongItem({
  list_type: type,
  items_values: items = [],
}: Partial<NetworkListFields>): Reply | undefined {
  const wrong = items.find((item) => type && !ITEMS[type].safeParse(item).success);
  return wrong === undefined
    ? undefined
    : fieldErrors({ items_values: [`${wrong} is not of type ${type}.`] });
}

/** The order in which items are answered is not the one in which they were sent; AS numbers are read as numbers. */
function shuffled(
  { id, list_type: type, items_values: items }: NetworkList,
  seed: number,
): (string | number)[] {
  const place = (item: string | number) => hash(keyOf(seed ^ id, String(item)), 0);
  const sorted = items.toSorted((a, b) => place(a) - place(b));
  return type === 'asn' ? sorted.map(Number) : sorted;
}
