import { z } from 'zod';
import { amount, flag, identifier, members, text } from '../settings/item-fields.ts';
import { info, measured, measuredBy, switched } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';
import { type RecordsOfType, zoneRecords } from './zone-records.ts';

const row = z.object({ id: identifier, name: text, domain: text, is_active: flag });

const fields = z.object({
  nameservers: members,
  expiry: amount,
  nx_ttl: amount,
  refresh: amount,
  retry: amount,
  soa_ttl: amount,
  records: z.array(z.unknown()).transform(zoneRecords).optional(),
});

type Zone = z.output<typeof row> & Partial<z.output<typeof fields>>;

const seconds = (name: string, what: string, of: (zone: Zone) => number | null | undefined) =>
  measured(name, `${what} of a hosted zone, in seconds. API: intelligent DNS.`, of);

const byType = (name: string, help: string, of: (records: RecordsOfType) => number | undefined) =>
  measuredBy(name, `${help} API: intelligent DNS.`, 'record_type', ({ records }: Zone) =>
    Object.entries(records?.types ?? {}).flatMap(([type, found]) => {
      const value = of(found);
      return value === undefined ? [] : [[type, value] as const];
    }),
  );

/** Hosted zones and their records (sections 2.10 and 4.11). Of entries and answers only changes are detected. */
export const hostedZones = settingsCollector({
  about: 'Hosted DNS zones: whether they are active, their times, and how many records they have.',
  schedule: '*/10 * * * *',
  section: '4.11',
  version: 3,
  permission: 'View Intelligent DNS',
  kind: 'zone',
  things: 'hosted zones',
  list: '/intelligent_dns',
  row,
  details: {
    reads: [{ path: '/intelligent_dns/:id' }, { path: '/intelligent_dns/:id/records', listAs: 'records' }],
    fields,
  },
  series: [
    info(
      'edge_zone_info',
      'A hosted zone, always 1; join by zone_id. API: intelligent DNS.',
      ({ domain }: Zone) => ({ domain }),
    ),
    switched(
      'edge_zone_active',
      'Whether a hosted zone is active: 1 or 0. API: intelligent DNS.',
      ({ is_active }: Zone) => is_active,
    ),
    byType('edge_zone_records', 'How many records of a type a hosted zone has.', ({ count }) => count),
    byType(
      'edge_zone_record_ttl_min_seconds',
      'Shortest time to live of the records of a type in a hosted zone, in seconds.',
      ({ shortestTtl }) => shortestTtl,
    ),
    measured(
      'edge_zone_nameservers',
      'How many name servers a hosted zone has. API: intelligent DNS.',
      ({ nameservers }: Zone) => nameservers?.count,
    ),
    seconds('edge_zone_expiry_seconds', 'SOA expiry', ({ expiry }) => expiry),
    seconds('edge_zone_negative_ttl_seconds', 'SOA time to live of negative answers', ({ nx_ttl }) => nx_ttl),
    seconds('edge_zone_refresh_seconds', 'SOA refresh interval', ({ refresh }) => refresh),
    seconds('edge_zone_retry_seconds', 'SOA retry interval', ({ retry }) => retry),
    seconds('edge_zone_soa_ttl_seconds', 'Time to live of the SOA record', ({ soa_ttl }) => soa_ttl),
  ],
});
