import {
  type Application,
  applicationBody,
  type Certificate,
  certificateBody,
  type DnsRecord,
  type Domain,
  domainBody,
  type EdgeFunction,
  type Firewall,
  type FirewallRuleset,
  firewallBody,
  firewallRulesetBody,
  functionBody,
  LIST_ITEMS,
  type NetworkList,
  networkListBody,
  newApplication,
  recordBody,
  type WafRuleset,
  ZONE_DEFAULTS,
  type Zone,
  zoneBody,
} from '../account/items.ts';
import { type Collection, removeApplication, removeDomain, removeZone } from '../account/platform-account.ts';
import { isoTimestamp } from '../formats.ts';
import { hash, keyOf } from '../hash.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, detail, fieldErrors, listedErrors, type Reply, result } from '../http/reply.ts';
import type { EditedPart } from '../http/token-store.ts';
import { originsOf, platformHostname, SYSTEM_LISTS } from '../seed.ts';
import type { Kind } from './crud.ts';
import type { Call } from './resource-router.ts';

/** Returns the permissions to read and to write a part. */
const may = <Part extends EditedPart>(part: Part) =>
  ({ read: `View ${part}`, write: `Edit ${part}` }) as const;

const EVERYTHING = ['list', 'create', 'read', 'remove', 'overwrite', 'update'] as const;

/** Returns the author and time of a change, as the platform stores them. */
const edited = ({ editor, now }: Call) => ({ last_editor: editor, last_modified: isoTimestamp(now) });

const bare = (shown: object, status: number): Reply => ({ status, body: shown });

/** Returns the refusal of an id that does not exist; undefined if it exists. */
function missingReference<Field extends string>(
  fields: Readonly<Partial<Record<Field, number | null>>>,
  field: Field,
  all: Collection<{ readonly id: number }>,
): Reply | undefined {
  const id = fields[field];
  if (id == null || all.get(id)) return undefined;
  return fieldErrors({ [field]: [`There is no such ${field.replace(/_id$/, '').replaceAll('_', ' ')}.`] });
}

/** Returns the kind of specification 4.2. */
export function domains({ account, seed, settings }: Platform): Kind<Domain> {
  return {
    collection: account.domains,
    versions: [3],
    ...may('Domains'),
    verbs: EVERYTHING,
    view(domain) {
      if (settings.laterFields === 'absent') return { ...domain };
      // Real responses contain this field, though it is not documented.
      const firewall = [...account.firewalls].find((one) => one.domains.includes(domain.id));
      const later = { environment: 'production', edge_firewall_id: firewall?.id ?? null };
      return { ...domain, ...later, is_mtls_enabled: false };
    },
    body: domainBody,
    made: (id) => ({ domain_name: platformHostname(seed, id) }),
    check(fields, known) {
      const missing =
        missingReference(fields, 'edge_application_id', account.applications) ??
        missingReference(fields, 'digital_certificate_id', account.certificates);
      if (missing) return missing;
      const others = [...account.domains].filter(({ id }) => id !== known?.id);
      const taken = fields.cnames?.find((cname) => others.some(({ cnames }) => cnames.includes(cname)));
      if (taken === undefined) return undefined;
      return codedError(409, `The cname ${taken} is already in use.`, 'cname_in_use');
    },
    remove: ({ id }) => removeDomain(account, id),
    byName: true,
  };
}

/** Returns the kind of specification 4.3. In version 1, single reads and creates have no envelope. */
export function certificates({ account, settings }: Platform): Kind<Certificate> {
  return {
    collection: account.certificates,
    versions: [1, 3],
    refusals: 'coded',
    ...may('Security Settings'),
    verbs: ['list', 'create', 'read', 'overwrite', 'update', 'remove'],
    view({ id, name, valid_until: until }) {
      if (settings.laterFields === 'absent') return { id, name };
      const validity = until && new Date(until).toISOString().replace('T', ' ').replace('.000Z', '-00:00');
      const certificate = { certificate_type: 'edge_certificate', status: 'active', managed: false };
      return { id, name, subject_name: [name], issuer: 'Example CA', validity, ...certificate };
    },
    envelope: (shown, status, { version }, verb) =>
      version === 1 || verb === 'overwrite' || verb === 'update'
        ? bare(shown, status)
        : result(shown, status),
    body: certificateBody,
    made: () => ({ valid_until: null }),
    check({ certificate, private_key: key, name }) {
      // An update has at least one field, and a certificate never comes without its key.
      if ((name ?? certificate ?? key) === undefined)
        return detail(400, 'Send name, or certificate and private_key.');
      if ((certificate === undefined) === (key === undefined)) return undefined;
      const missing = certificate === undefined ? 'certificate' : 'private_key';
      return fieldErrors({ [missing]: ['certificate and private_key must be sent together.'] });
    },
    inUse({ id }) {
      const isUsed = [...account.domains].some(({ digital_certificate_id: used }) => used === id);
      return isUsed ? codedError(409, 'The certificate is in use.', 'certificate_in_use') : undefined;
    },
    byName: true,
    missing: codedError(404, 'Not found', 'not_found'),
  };
}

/** Returns the kind of specification 4.5. Applications are also the configurations of content delivery. */
export function applications({ account, seed }: Platform): Kind<Application> {
  return {
    collection: account.applications,
    versions: [3],
    ...may('Security Settings'),
    verbs: EVERYTHING,
    view({ origins, ...shown }, verb) {
      const { id, name, active } = shown;
      return verb === 'list' ? { id, name, active, origins } : shown;
    },
    body: applicationBody,
    newBody: newApplication,
    made: (id, { origins }) => ({ origins: originsOf(seed, id, origins?.[0]?.origin_type) }),
    remove: ({ id }) => removeApplication(account, id),
  };
}

/** Returns the kind of specification 4.6. */
export function functions({ account, settings }: Platform): Kind<EdgeFunction> {
  return {
    collection: account.functions,
    versions: [3],
    ...may('Edge Functions'),
    verbs: EVERYTHING,
    view({ domains: used, ...shown }, verb) {
      if (verb === 'list') return { ...shown, reference_count: used.length };
      const isText = verb === 'overwrite' && settings.overwrittenFunctionId === 'string';
      return { ...shown, id: isText ? String(shown.id) : shown.id };
    },
    body: functionBody,
    made: () => ({ domains: [] }),
    noted: ({ editor, now }) => ({ last_editor: editor, modified: isoTimestamp(now) }),
    missing: detail(404, 'Sorry unable to perform operation.'),
  };
}

/** Returns the kind of specification 4.7, without partial updates. */
export function firewalls({ account, settings }: Platform): Kind<Firewall> {
  return {
    collection: account.firewalls,
    versions: [3],
    ...may('Edge Firewall'),
    verbs: ['list', 'create', 'read', 'remove', 'overwrite'],
    view: (firewall) => ({ ...firewall, ...(settings.laterFields === 'present' && { debug_rules: false }) }),
    body: firewallBody,
    noted: edited,
    check({ domains: named = [] }) {
      const unknown = named.find((id) => account.domains.get(id) === undefined);
      return unknown === undefined ? undefined : fieldErrors({ domains: [`There is no domain ${unknown}.`] });
    },
  };
}

const NO_RULESET = listedErrors(404, 'Rule set not found');

/** Returns the kind of specification 4.8: a legacy resource without a create, whose list needs no permission. */
export function firewallRulesets({ account }: Platform): Kind<FirewallRuleset> {
  return {
    collection: account.firewallRulesets,
    versions: [1],
    refusals: 'listed',
    ...may('Security Settings'),
    verbs: ['list', 'read', 'overwrite', 'update', 'remove'],
    particular: { list: 'open' },
    view: ({ used_by: _users, ...shown }) => shown,
    envelope: bare,
    body: firewallRulesetBody,
    check(fields, known) {
      const { require_secure_token: required, secret } = { ...known, ...fields };
      return required && secret === null ? fieldErrors({ secret: ['This field is required.'] }) : undefined;
    },
    noted(_call, fields, known) {
      const { require_secure_token: required, secret = null } = { ...known, ...fields };
      return { secret: required ? secret : null };
    },
    inUse: ({ used_by: users }) =>
      users.length > 0 ? listedErrors(409, 'The rule set is in use.') : undefined,
    missing: NO_RULESET,
  };
}

/** Returns the kind of specification 4.9, which is read-only. The control endpoint changes rule sets. */
export function wafRulesets({ account }: Platform): Kind<WafRuleset> {
  return {
    collection: account.wafRulesets,
    versions: [2],
    refusals: 'listed',
    read: 'View Security Settings',
    verbs: ['list', 'read'],
    envelope: bare,
    missing: NO_RULESET,
  };
}

/** Returns the kind of specification 4.10. The platform's own lists can be read by id, but the list omits them. */
export function networkLists({ account, seed }: Platform): Kind<NetworkList> {
  const isOwn = ({ id }: NetworkList) => !Object.values<number>(SYSTEM_LISTS).includes(id);
  return {
    collection: account.networkLists,
    versions: [3],
    ...may('Network Lists'),
    verbs: ['list', 'create', 'read', 'overwrite'],
    view(list, verb) {
      const { items_values: _items, ...listed } = list;
      if (verb === 'list') return listed;
      const { id, ...read } = { ...list, items_values: shuffled(list, seed) };
      return verb === 'read' ? read : { id, ...read };
    },
    listed: isOwn,
    body: networkListBody,
    noted: edited,
    check({ list_type: type, items_values: items = [] }, list) {
      if (list && !isOwn(list)) return detail(403, 'Forbidden');
      const wrong = items.find((item) => type && !LIST_ITEMS[type].safeParse(item).success);
      if (wrong === undefined) return undefined;
      return fieldErrors({ items_values: [`${wrong} is not of type ${type}.`] });
    },
  };
}

/** Returns the items in another order than that of the request. AS numbers become numbers. */
function shuffled({ id, list_type: type, items_values: items }: NetworkList, seed: number) {
  const place = (item: string | number) => hash(keyOf(seed ^ id, String(item)), 0);
  const sorted = items.toSorted((a, b) => place(a) - place(b));
  return type === 'asn' ? sorted.map(Number) : sorted;
}

/** Returns the kind of the zones (specification 4.11). */
export function zones({ account }: Platform): Kind<Zone> {
  return {
    collection: account.zones,
    versions: [3],
    refusals: 'coded',
    ...may('Intelligent DNS'),
    verbs: ['list', 'create', 'read', 'overwrite', 'remove'],
    view(zone, verb) {
      const { is_active, domain, name, id } = zone;
      return verb === 'list' ? { is_active, domain, name, id } : { ...zone };
    },
    body: zoneBody,
    made: () => ZONE_DEFAULTS,
    check({ domain }, known) {
      const taken = [...account.zones].some((other) => other.id !== known?.id && other.domain === domain);
      return taken ? codedError(409, `The zone ${domain} already exists.`, 'zone_exists') : undefined;
    },
    remove: ({ id }) => removeZone(account, id),
  };
}

/** Returns the kind of the records inside a zone (specification 4.11). A setting determines if the list has ids. */
export function records({ account, settings }: Platform): Kind<DnsRecord> {
  return {
    collection: account.records,
    versions: [3],
    verbs: ['list', 'create', 'overwrite', 'remove'],
    particular: { remove: 'typed' },
    inside: {
      owners: account.zones,
      owner: 'zone_id',
      path: '/records',
      wrap: (shown, zone) => ({
        records: shown,
        zone_id: zone,
        zone_domain: account.zones.get(zone)?.domain,
      }),
    },
    view(record, verb) {
      if (verb !== 'list') return { ...record };
      const { id, record_type, ttl, answers_list, entry } = record;
      const documented = { record_type, ttl, answers_list, entry };
      if (settings.laterFields === 'absent') return documented;
      return { record_id: id, ...documented, policy: 'simple', weight: null, description: '' };
    },
    body: recordBody,
    check({ entry, record_type: type }, known, zone) {
      const taken = [...account.records].some(
        (other) =>
          other.zone_id === zone &&
          other.id !== known?.id &&
          other.entry === entry &&
          other.record_type === type,
      );
      if (!taken) return undefined;
      return codedError(409, `The record ${type} ${entry} already exists.`, 'record_exists');
    },
  };
}
