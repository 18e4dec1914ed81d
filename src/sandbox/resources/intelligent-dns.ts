import { type DnsRecord, recordBody, removeZone, type Zone, zoneBody } from '../account/platform-account.ts';
import { listReply, onItem, resourceOf } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, NO_CONTENT, NOT_FOUND, type Reply, result } from '../http/reply.ts';
import { withBody } from '../http/request-parts.ts';
import { type Call, idOf, type Operation, type Resource } from '../resource-router.ts';
import { ZONE_DEFAULTS } from '../seed.ts';

/** Specification 4.11, the records inside a zone. */
function records({ account, settings }: Platform): readonly Operation[] {
  const inZone = (handle: (zone: Zone, call: Call) => Reply) => onItem(account.zones, NOT_FOUND, handle);
  const onRecord = (handle: (record: DnsRecord, call: Call) => Reply) =>
    inZone((zone, call) => {
      const record = account.records.get(idOf(call.params['record']));
      return record?.zone_id === zone.id ? handle(record, call) : NOT_FOUND;
    });
  const write = (zone: number, call: Call, known: DnsRecord | undefined): Reply =>
    withBody(recordBody, call.body, (fields) => {
      const { entry, record_type: type } = fields;
      const others = [...account.records].filter((other) => other.zone_id === zone && other.id !== known?.id);
      if (others.some((other) => other.entry === entry && other.record_type === type))
        return codedError(409, `The record ${type} ${entry} already exists.`, 'record_exists');
      const id = known?.id ?? account.records.nextId();
      return result({ ...account.records.put({ id, zone_id: zone, ...fields }) }, known ? 200 : 201);
    });
  const list = (zone: Zone, call: Call) =>
    listReply(
      call,
      {
        items: [...account.records].filter(({ zone_id: owner }) => owner === zone.id),
        view: (record) => view(record, settings.laterFields),
        wrap: (shown) => ({ records: shown, zone_id: zone.id, zone_domain: zone.domain }),
      },
      settings,
    );
  const remove = ({ id }: DnsRecord) => {
    account.records.remove(id);
    return NO_CONTENT;
  };
  return [
    ['get', '/:id/records', inZone(list)],
    ['post', '/:id/records', inZone((zone, call) => write(zone.id, call, undefined))],
    ['put', '/:id/records/:record', onRecord((record, call) => write(record.zone_id, call, record))],
    ['delete', '/:id/records/:record', onRecord(remove), 'typed'],
  ];
}

/** The list shows no ids, except in the later answers. */
function view(record: DnsRecord, laterFields: 'absent' | 'present'): Record<string, unknown> {
  const { id, record_type, ttl, answers_list, entry } = record;
  const documented = { record_type, ttl, answers_list, entry };
  if (laterFields === 'absent') return documented;
  return { record_id: id, ...documented, policy: 'simple', weight: null, description: '' };
}

/** Specification 4.11, its zones. */
export function intelligentDns(platform: Platform): Resource {
  const { account, settings } = platform;
  const zones = resourceOf(settings, {
    collection: account.zones,
    read: 'View Intelligent DNS',
    write: 'Edit Intelligent DNS',
    view(zone, where) {
      const { is_active, domain, name, id } = zone;
      return where === 'list' ? { is_active, domain, name, id } : { ...zone };
    },
    body: zoneBody,
    create: { make: (fields, id) => ({ id, ...fields, ...ZONE_DEFAULTS }) },
    check({ domain }, zone) {
      const taken = [...account.zones].some((other) => other.id !== zone?.id && other.domain === domain);
      return taken ? codedError(409, `The zone ${domain} already exists.`, 'zone_exists') : undefined;
    },
    remove: ({ id }) => removeZone(account, id),
    onItems: ['overwrite', 'remove'],
  });
  return { ...zones, refusals: 'coded', operations: [...zones.operations, ...records(platform)] };
}
