import { z } from 'zod';
import { removeZone } from '../account/removal.ts';
import type { Zone } from '../account/service-configurations.ts';
import { itemOperations, type Kind, listOperations } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { codedError } from '../http/reply.ts';
import type { Resource } from '../resource.ts';
import { ZONE_DEFAULTS } from '../seed/generated.ts';
import { records } from './dns-records.ts';

const body = z.object({
  name: z.string().min(1),
  domain: z.string().min(1),
  is_active: z.boolean().default(true),
});

type Fields = z.output<typeof body>;

/** Specification 4.11, its zones. */
export function intelligentDns(platform: Platform): Resource {
  const { account, settings } = platform;
  const kind: Kind<Zone, Fields> = {
    collection: account.zones,
    read: 'View Intelligent DNS',
    write: 'Edit Intelligent DNS',
    view: (zone) => ({ ...zone }),
    listView: ({ is_active, domain, name, id }) => ({ is_active, domain, name, id }),
    body,
    create: { body, make: (fields, id) => ({ id, ...fields, ...ZONE_DEFAULTS }) },
    check({ domain }, zone) {
      const taken = [...account.zones].some((other) => other.id !== zone?.id && other.domain === domain);
      return taken ? codedError(409, `The zone ${domain} already exists.`, 'zone_exists') : undefined;
    },
    remove: ({ id }) => removeZone(account, id),
    settings,
  };
  const { list, create } = listOperations(kind);
  const item = itemOperations(kind);
  return {
    versions: [3],
    refusals: 'coded',
    operations: [list, create, item.read, item.overwrite, item.remove, ...records(platform)],
  };
}
