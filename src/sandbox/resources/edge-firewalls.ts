import { type Firewall, type FirewallFields, firewallBody } from '../account/resource-types.ts';
import { type Kind, resourceOf } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import type { Platform } from '../http/platform.ts';
import { fieldErrors } from '../http/reply.ts';
import type { Resource } from '../resource-router.ts';

/** Specification 4.7: there is no update in part. */
export function edgeFirewalls({ account, settings }: Platform): Resource {
  const kind: Kind<Firewall, FirewallFields> = {
    collection: account.firewalls,
    read: 'View Edge Firewall',
    write: 'Edit Edge Firewall',
    view: (firewall) => ({ ...firewall, ...(settings.laterFields === 'present' && { debug_rules: false }) }),
    body: firewallBody,
    touch: ({ editor, now }) => ({ last_editor: editor, last_modified: isoTimestamp(now) }),
    check({ domains = [] }) {
      const unknown = domains.find((id) => account.domains.get(id) === undefined);
      return unknown === undefined ? undefined : fieldErrors({ domains: [`There is no domain ${unknown}.`] });
    },
    settings,
  };
  return resourceOf(kind, ['remove', 'overwrite']);
}
