import { COLLECTORS } from '../../src/exporter/collectors.ts';
import type { Collector } from '../../src/exporter/settings/collector.ts';

/** Section of the specification's endpoints, with its exported families. */
export interface CollectorRow {
  readonly section: string;
  readonly part: string;
  /** Key under `collectors` in the configuration; undefined if nothing is configurable. */
  readonly collector?: string;
  readonly exported: string;
  readonly permission?: string;
  readonly version?: number;
  readonly operations: string;
  /** Default cron pattern; undefined if there is none. */
  readonly schedule?: string;
}

const OTHERS: readonly CollectorRow[] = [
  {
    section: '4.1',
    part: 'tokens',
    exported:
      "When the exporter's own token expires. The API has no list of tokens, and nothing to read of one that others made.",
    operations: '0: known from its creation',
  },
  { section: '4.4', part: 'cache purge', exported: 'Nothing: it can only be ordered.', operations: '0' },
  {
    section: '4.12',
    part: 'analytics',
    collector: 'analytics',
    exported: 'Series of its products; configurations of content delivery, for their error responses.',
    permission: 'Analytics',
    version: 1,
    operations: '1 per metric and configuration, 1 per list of configurations',
    schedule: '* * * * *',
  },
  {
    section: '4.13',
    part: 'metrics',
    collector: 'metrics',
    exported: 'Series of its products; configurations.',
    permission: 'Analytics',
    version: 2,
    operations: '1 per metric and configuration, 1 per list of configurations',
    schedule: '* * * * *',
  },
  {
    section: '4.15',
    part: 'pagination and ordering',
    exported: 'Nothing of its own: lists are read in pages of 100.',
    operations: '0',
  },
  {
    section: '4.16',
    part: 'workload custom domains',
    exported: 'Nothing: workloads can only be updated, not read.',
    operations: '0',
  },
];

/** Returns the exported families for each section of the specification's endpoints, 4.1 to 4.16, in order. */
export function describeCollectors(): readonly CollectorRow[] {
  const settings = Object.entries(COLLECTORS).map(([name, collector]) => ({
    section: collector.section,
    part: collector.things,
    collector: name,
    exported: collector.about,
    permission: permissionOf(collector),
    version: collector.version,
    operations: collector.operations,
    schedule: collector.schedule,
  }));
  return [...settings, ...OTHERS].sort((a, b) => numberOf(a) - numberOf(b));
}

/** Returns the permissions of a settings collector, as text. */
export function permissionOf({ permission, listPermissions }: Collector): string {
  if (listPermissions.length === 0) return permission;
  return `${permission}, and ${listPermissions.join(' or ')} to list what there is`;
}

function numberOf({ section }: CollectorRow): number {
  return Number(section.split('.')[1]);
}
