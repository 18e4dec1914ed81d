import { z } from 'zod';
import { amount, flag, gather, identifier, members, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

/** Number of records of a type, and their shortest time to live. */
export interface RecordsOfType {
  readonly count: number;
  /** Shortest time to live (s); undefined if no record has one. */
  readonly shortestTtl: number | undefined;
}

/** Records of a zone, without their content. */
export interface ZoneRecords {
  readonly content: string;
  readonly types: Readonly<Record<string, RecordsOfType>>;
}

/** Used fields of a record (section 2.10). An invalid field counts as absent, since the record still exists. */
const dnsRecord = z.object({
  record_type: z.string().catch(''),
  entry: z.unknown().optional(),
  ttl: z.number().nonnegative().optional().catch(undefined),
  answers_list: z.array(z.unknown()).catch([]),
  policy: z.string().catch('simple'),
  weight: z.number().nullable().catch(null),
});

const NO_RECORD: z.output<typeof dnsRecord> = dnsRecord.parse({});

/** Returns the digest of a zone's records, and their numbers by type. */
export function zoneRecords(items: readonly unknown[]): ZoneRecords {
  const records = items.map((item) => dnsRecord.catch(NO_RECORD).parse(item));
  const types = new Map<string, RecordsOfType>();
  for (const { record_type: type, ttl } of records) {
    const { count, shortestTtl } = types.get(type) ?? { count: 0, shortestTtl: undefined };
    types.set(type, { count: count + 1, shortestTtl: shorter(shortestTtl, ttl) });
  }
  const content = records.map(({ answers_list, ...record }) => ({
    ...record,
    answers: gather(answers_list).content,
  }));
  return { content: gather(content).content, types: Object.fromEntries(types) };
}

function shorter(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

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

const { counted, info, measured, measuredBy, switched } = seriesOf<Zone>('intelligent DNS');

const seconds = (name: string, what: string, of: 'expiry' | 'nx_ttl' | 'refresh' | 'retry' | 'soa_ttl') =>
  measured(name, `${what} of a hosted zone, in seconds.`, of);

const byType = (name: string, help: string, of: keyof RecordsOfType) =>
  measuredBy(name, help, 'record_type', ({ records }) =>
    Object.entries(records?.types ?? {}).flatMap(([type, found]) => {
      const value = found[of];
      return value === undefined ? [] : [[type, value] as const];
    }),
  );

/** Hosted zones and their records (sections 2.10 and 4.11). Entries and answers are only compared, never exposed. */
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
    info('edge_zone_info', 'A hosted zone, always 1; join by zone_id.', { domain: 'domain' }),
    switched('edge_zone_active', 'a hosted zone is active', 'is_active'),
    byType('edge_zone_records', 'Number of records of a type in a hosted zone.', 'count'),
    byType(
      'edge_zone_record_ttl_min_seconds',
      'Shortest time to live of the records of a type in a hosted zone, in seconds.',
      'shortestTtl',
    ),
    counted('edge_zone_nameservers', 'Number of name servers that a hosted zone has.', 'nameservers'),
    seconds('edge_zone_expiry_seconds', 'SOA expiry', 'expiry'),
    seconds('edge_zone_negative_ttl_seconds', 'SOA time to live of negative answers', 'nx_ttl'),
    seconds('edge_zone_refresh_seconds', 'SOA refresh interval', 'refresh'),
    seconds('edge_zone_retry_seconds', 'SOA retry interval', 'retry'),
    seconds('edge_zone_soa_ttl_seconds', 'Time to live of the SOA record', 'soa_ttl'),
  ],
});
