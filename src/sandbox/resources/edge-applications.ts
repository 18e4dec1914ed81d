import { z } from 'zod';
import { removeApplication } from '../account/platform-account.ts';
import { type Application, type ApplicationFields, applicationBody } from '../account/resource-types.ts';
import { type Kind, resourceOf } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import type { Resource } from '../resource-router.ts';
import { originId } from '../seed.ts';

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
  const kind: Kind<Application, ApplicationFields, z.output<typeof create>> = {
    collection: account.applications,
    read: 'View Security Settings',
    write: 'Edit Security Settings',
    view: ({ origins: _origins, ...shown }) => shown,
    listView: ({ id, name, active, origins }) => ({ id, name, active, origins }),
    body: applicationBody,
    create: {
      body: create,
      make: ({ name, delivery_protocol, origin_type }, id) => ({
        id,
        ...applicationBody.parse({ name, delivery_protocol }),
        origins: [{ name: 'Default Origin', origin_type, origin_id: originId(seed, id) }],
      }),
    },
    remove: ({ id }) => removeApplication(account, id),
    settings,
  };
  return resourceOf(kind);
}
