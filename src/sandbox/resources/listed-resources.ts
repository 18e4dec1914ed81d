import { z } from 'zod';
import {
  applicationBody,
  type Domain,
  domainBody,
  firewallBody,
  functionBody,
  type NetworkList,
  networkListBody,
  removeApplication,
  removeDomain,
} from '../account/platform-account.ts';
import { resourceOf } from '../crud.ts';
import { isoTimestamp } from '../formats.ts';
import { hash, keyOf } from '../hash.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, detail, fieldErrors, type Reply } from '../http/reply.ts';
import type { Call, Resource } from '../resource-router.ts';
import { firstOrigin, platformHostname, SYSTEM_LISTS } from '../seed.ts';

/** What the platform notes of a change. */
const edited = ({ editor, now }: Call) => ({ last_editor: editor, last_modified: isoTimestamp(now) });

/** Specification 4.2. */
export function domains(platform: Platform): Resource {
  const { account, seed, settings } = platform;
  return resourceOf(settings, {
    collection: account.domains,
    read: 'View Domains',
    write: 'Edit Domains',
    view: (domain) => ({
      ...domain,
      ...(settings.laterFields === 'present' && laterFields(platform, domain)),
    }),
    body: domainBody,
    create: { make: (fields, id) => ({ id, ...fields, domain_name: platformHostname(seed, id) }) },
    check: (fields, domain) => missingReferences(platform, fields) ?? takenCnames(platform, fields, domain),
    remove: ({ id }) => removeDomain(account, id),
    byName: 'by_name',
  });
}

function missingReferences({ account }: Platform, fields: Partial<Domain>): Reply | undefined {
  const { edge_application_id: application, digital_certificate_id: certificate } = fields;
  if (application !== undefined && !account.applications.get(application)) {
    return fieldErrors({ edge_application_id: ['There is no such edge application.'] });
  }
  if (certificate != null && !account.certificates.get(certificate)) {
    return fieldErrors({ digital_certificate_id: ['There is no such digital certificate.'] });
  }
  return undefined;
}

function takenCnames(
  { account }: Platform,
  { cnames = [] }: Partial<Domain>,
  domain: Domain | undefined,
): Reply | undefined {
  const others = [...account.domains].filter(({ id }) => id !== domain?.id);
  const taken = cnames.find((cname) => others.some((other) => other.cnames.includes(cname)));
  return taken === undefined
    ? undefined
    : codedError(409, `The cname ${taken} is already in use.`, 'cname_in_use');
}

/** Seen in answers, though not documented. */
function laterFields({ account }: Platform, { id }: Domain) {
  const firewall = [...account.firewalls].find(({ domains }) => domains.includes(id));
  return { environment: 'production', edge_firewall_id: firewall?.id ?? null, is_mtls_enabled: false };
}

const newApplication = z.object({
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
export function edgeApplications({ account, seed, settings }: Platform): Resource {
  return resourceOf(settings, {
    collection: account.applications,
    read: 'View Security Settings',
    write: 'Edit Security Settings',
    view({ origins, ...shown }, where) {
      const { id, name, active } = shown;
      return where === 'list' ? { id, name, active, origins } : shown;
    },
    body: applicationBody,
    create: {
      body: newApplication,
      make: ({ name, delivery_protocol, origin_type }, id) => ({
        id,
        ...applicationBody.parse({ name, delivery_protocol }),
        origins: [firstOrigin(seed, id, origin_type)],
      }),
    },
    remove: ({ id }) => removeApplication(account, id),
  });
}

/** Specification 4.7: there is no update in part. */
export function edgeFirewalls({ account, settings }: Platform): Resource {
  return resourceOf(settings, {
    collection: account.firewalls,
    read: 'View Edge Firewall',
    write: 'Edit Edge Firewall',
    view: (firewall) => ({
      ...firewall,
      ...(settings.laterFields === 'present' && { debug_rules: false }),
    }),
    body: firewallBody,
    touch: edited,
    check({ domains = [] }) {
      const unknown = domains.find((id) => account.domains.get(id) === undefined);
      return unknown === undefined ? undefined : fieldErrors({ domains: [`There is no domain ${unknown}.`] });
    },
    onItems: ['remove', 'overwrite'],
  });
}

/** Specification 4.6. */
export function edgeFunctions({ account, settings }: Platform): Resource {
  return resourceOf(settings, {
    collection: account.functions,
    read: 'View Edge Functions',
    write: 'Edit Edge Functions',
    view({ domains, ...shown }, where) {
      if (where === 'list') return { ...shown, reference_count: domains.length };
      const isText = where === 'overwrite' && settings.overwrittenFunctionId === 'string';
      return { ...shown, id: isText ? String(shown.id) : shown.id };
    },
    body: functionBody,
    create: { make: (fields, id) => ({ id, ...fields, domains: [] }) },
    touch: ({ editor, now }) => ({ last_editor: editor, modified: isoTimestamp(now) }),
    missing: detail(404, 'Sorry unable to perform operation.'),
  });
}

/** What an item of each type of list may be. */
const ITEMS = {
  ip_cidr: z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]),
  asn: z.coerce.number().int().min(0).max(4_294_967_295),
  countries: z.string().regex(/^[A-Z]{2}$/),
} as const;

/** Specification 4.10. The platform's own lists are read by their ids; the list does not show them. */
export function networkLists({ account, seed, settings }: Platform): Resource {
  return resourceOf(settings, {
    collection: account.networkLists,
    read: 'View Network Lists',
    write: 'Edit Network Lists',
    view(list, where) {
      const { items_values: _items, ...listed } = list;
      if (where === 'list') return listed;
      const { id, ...read } = { ...list, items_values: shuffled(list, seed) };
      return where === 'read' ? read : { id, ...read };
    },
    listed: isOwn,
    body: networkListBody,
    touch: edited,
    check: (fields, list) => (list && !isOwn(list) ? detail(403, 'Forbidden') : wrongItem(fields)),
    onItems: ['overwrite'],
  });
}

function isOwn({ id }: NetworkList): boolean {
  return !Object.values<number>(SYSTEM_LISTS).includes(id);
}

function wrongItem({ list_type: type, items_values: items = [] }: Partial<NetworkList>): Reply | undefined {
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
