import { z } from 'zod';
import { identifier, members, text } from '../settings/item-fields.ts';
import { info, measured, modified } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({ id: identifier, name: text, list_type: text, last_modified: text });

const fields = z.object({ name: text, list_type: text, items_values: members });

type NetworkList = z.output<typeof row> & Partial<z.output<typeof fields>>;

/** Exit nodes of anonymizing networks, and the platform's own origin shield (section 4.10). */
const PROVIDED = ['2', '187'];

/** Network lists (sections 2.9 and 4.10). A modified list is read at once; its items are only counted. */
export const networkLists = settingsCollector({
  about: 'Network lists: how many items they have, including lists of the platform itself.',
  schedule: '*/10 * * * *',
  section: '4.10',
  version: 3,
  permission: 'View Network Lists',
  kind: 'network_list',
  things: 'network lists',
  list: '/network_lists',
  unlisted: PROVIDED,
  row,
  details: { reads: [{ path: '/network_lists/:id' }], fields },
  unwatched: ['last_modified'],
  series: [
    info(
      'edge_network_list_info',
      'A network list with its type, always 1; join by network_list_id. API: network lists.',
      ({ list_type }: NetworkList) => ({ list_type }),
    ),
    modified(
      'network_list',
      'a network list',
      'network lists (last_modified)',
      ({ last_modified }: NetworkList) => last_modified,
    ),
    measured(
      'edge_network_list_items',
      'How many addresses, networks or countries a network list has. API: network lists.',
      ({ items_values }: NetworkList) => items_values?.count,
    ),
  ],
});
