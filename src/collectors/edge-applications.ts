import { z } from 'zod';
import { flag, identifier, members, text } from '../settings/item-fields.ts';
import { info, measured, measuredBy, switched } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({ id: identifier, name: text, active: flag, origins: members });

const MODULES = [
  'application_acceleration',
  'caching',
  'device_detection',
  'edge_functions',
  'image_optimization',
  'load_balancer',
] as const;

const fields = z.object({
  delivery_protocol: text,
  ...(Object.fromEntries(MODULES.map((module) => [module, flag])) as Record<
    (typeof MODULES)[number],
    typeof flag
  >),
});

type Application = z.output<typeof row> & Partial<z.output<typeof fields>>;

/** Edge applications (sections 2.4 and 4.5): the list has name, switch and origins, the rest is read one by one. */
export const edgeApplications = settingsCollector({
  about: 'Edge applications: whether they are active, their origins and enabled modules.',
  schedule: '*/10 * * * *',
  section: '4.5',
  version: 3,
  permission: 'View Security Settings',
  kind: 'application',
  things: 'edge applications',
  list: '/edge_applications',
  row,
  details: { reads: [{ path: '/edge_applications/:id' }], fields },
  labels: ({ id, name }) => ({ edge_application_id: id, edge_application: name ?? '' }),
  series: [
    info(
      'edge_application_info',
      'An edge application, always 1; join by edge_application_id, or by configuration_id to series of content delivery in the analytics API. API: edge applications.',
      ({ id, delivery_protocol }: Application) => ({ configuration_id: id, delivery_protocol }),
    ),
    switched(
      'edge_application_active',
      'Whether an edge application is active: 1 or 0. API: edge applications.',
      ({ active }: Application) => active,
    ),
    measured(
      'edge_application_origins',
      'How many origins an edge application has. API: edge applications.',
      ({ origins }: Application) => origins?.count,
    ),
    measuredBy(
      'edge_application_module_enabled',
      'Whether a module of an edge application is enabled: 1 or 0. API: edge applications.',
      'module',
      (application: Application) => MODULES.flatMap((module) => enabled(module, application[module])),
    ),
  ],
});

function enabled(module: string, on: boolean | null | undefined): [string, number][] {
  return on === null || on === undefined ? [] : [[module, Number(on)]];
}
