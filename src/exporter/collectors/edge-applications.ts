import { z } from 'zod';
import { flag, identifier, items, membersOf, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

/** Exposed fields of an origin. An origin without an id is only counted. */
const origin = z.object({ origin_id: identifier, name: text, origin_type: text });

const row = z
  .object({ id: identifier, name: text, active: flag, origins: items })
  .transform(({ origins, ...application }) => ({
    ...application,
    origins: membersOf(origins),
    originsShown: (origins ?? []).flatMap((item) => origin.safeParse(item).data ?? []),
  }));

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

const { counted, info, measuredBy, related, switched } = seriesOf<Application>('edge applications');

/** Edge applications (sections 2.4 and 4.5). The list has name, switch and origins; the other fields are read one by one. */
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
  // A change of these fields is already a change of `origins`.
  unwatched: ['originsShown'],
  labels: ({ id, name }) => ({ edge_application_id: id, edge_application: name ?? '' }),
  series: [
    info(
      'edge_application_info',
      'An edge application, always 1; join by edge_application_id, or by configuration_id to series of content delivery in the analytics API.',
      { configuration_id: 'id', delivery_protocol: 'delivery_protocol' },
    ),
    switched('edge_application_active', 'an edge application is active', 'active'),
    counted('edge_application_origins', 'Number of origins that an edge application has.', 'origins'),
    related(
      'edge_application_origin_info',
      'An origin of an edge application with its name and type, always 1.',
      ({ originsShown }) =>
        originsShown.map(({ origin_id, name, origin_type }) => ({
          origin_id,
          origin: name ?? '',
          origin_type: origin_type ?? '',
        })),
    ),
    measuredBy(
      'edge_application_module_enabled',
      '1 if a module of an edge application is enabled, else 0.',
      'module',
      (application) => MODULES.flatMap((module) => enabled(module, application[module])),
    ),
  ],
});

function enabled(module: string, on: boolean | null | undefined): [string, number][] {
  return on === null || on === undefined ? [] : [[module, Number(on)]];
}
