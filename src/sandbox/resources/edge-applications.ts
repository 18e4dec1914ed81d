import { z } from 'zod';
import { removeApplication } from '../account/platform-account.ts';
import type { Application } from '../account/resource-types.ts';
import { itemOperations, type Kind, listOperations } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import type { Resource } from '../resource-router.ts';
import { originId } from '../seed.ts';

const overwrite = z.object({
  name: z.string().min(1),
  delivery_protocol: z.string().min(1).default('http'),
  active: z.boolean().default(true),
  application_acceleration: z.boolean().default(false),
  caching: z.boolean().default(true),
  device_detection: z.boolean().default(false),
  edge_functions: z.boolean().default(false),
  image_optimization: z.boolean().default(false),
  load_balancer: z.boolean().default(false),
});

const create = z.object({
  name: z.string().min(1),
  delivery_protocol: z.string().min(1).default('http'),
  origin_type: z.string().default('single_origin'),
  address: z.string().optional(),
  origin_protocol_policy: z.string().default('preserve'),
  host_header: z.string().optional(),
  browser_cache_settings: z.string().default('override'),
  browser_cache_settings_maximum_ttl: z.int().min(0).default(0),
  cdn_cache_settings: z.string().default('honor'),
  cdn_cache_settings_maximum_ttl: z.int().min(0).default(0),
});

/** Specification 4.5. They are the configurations of content delivery, too. */
export function edgeApplications(platform: Platform): Resource {
  const { account, seed, settings } = platform;
  const kind: Kind<Application, z.output<typeof overwrite>, z.output<typeof create>> = {
    collection: account.applications,
    read: 'View Security Settings',
    write: 'Edit Security Settings',
    view: ({ origins: _origins, ...shown }) => shown,
    listView: ({ id, name, active, origins }) => ({ id, name, active, origins }),
    body: overwrite,
    create: {
      body: create,
      make: ({ name, delivery_protocol, origin_type }, id) => ({
        id,
        ...overwrite.parse({ name, delivery_protocol }),
        origins: [{ name: 'Default Origin', origin_type, origin_id: originId(seed, id) }],
      }),
    },
    remove: ({ id }) => removeApplication(account, id),
    settings,
  };
  const { list, create: add } = listOperations(kind);
  const item = itemOperations(kind);
  return { versions: [3], operations: [list, add, item.read, item.remove, item.overwrite, item.update] };
}
