import { z } from 'zod';
import type { Firewall } from '../account/resource-types.ts';
import { itemOperations, type Kind, listOperations } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';

const body = z.object({
  name: z.string().min(1),
  is_active: z.boolean().default(true),
  edge_functions_enabled: z.boolean().default(false),
  network_protection_enabled: z.boolean().default(false),
  waf_enabled: z.boolean().default(false),
  domains: z.array(z.int()).default([]),
});

type Fields = z.output<typeof body>;

/** Specification 4.7: there is no update in part. */
export function edgeFirewalls({ account, settings }: Platform): Resource {
  const kind: Kind<Firewall, Fields> = {
    collection: account.firewalls,
    read: 'View Edge Firewall',
    write: 'Edit Edge Firewall',
    view: (firewall) => ({ ...firewall, ...(settings.laterFields === 'present' && { debug_rules: false }) }),
    body,
    create: {
      body,
      make: (fields, id, { editor, now }) => ({
        id,
        ...fields,
        last_editor: editor,
        last_modified: isoTimestamp(now),
      }),
    },
    touch: ({ editor, now }) => ({ last_editor: editor, last_modified: isoTimestamp(now) }),
    check({ domains = [] }) {
      const unknown = domains.find((id) => account.domains.get(id) === undefined);
      return unknown === undefined ? undefined : fieldErrors({ domains: [`There is no domain ${unknown}.`] });
    },
    settings,
  };
  const { list, create } = listOperations(kind);
  const item = itemOperations(kind);
  return { versions: [3], operations: [list, create, item.read, item.remove, item.overwrite] };
}
