import { z } from 'zod';
import { identifier, members, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({ id: identifier, name: text, list_type: text, last_modified: text, last_editor: text });

const fields = z.object({ name: text, list_type: text, items_values: members });

type NetworkList = z.output<typeof row> & Partial<z.output<typeof fields>>;

const { counted, edited, info, modified } = seriesOf<NetworkList>('network lists');

/** Ids of provided lists: exit nodes of anonymizing networks, and the platform's origin shield (section 4.10). */
const PROVIDED = ['2', '187'];

/** Network lists (sections 2.9 and 4.10). A modified list is read at once. Its items are only counted. */
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
  unwatched: ['last_modified', 'last_editor'],
  series: [
    info('edge_network_list_info', 'A network list with its type, always 1; join by network_list_id.', {
      list_type: 'list_type',
    }),
    modified('network_list', 'a network list', 'last_modified'),
    edited('network_list', 'a network list', 'last_editor'),
    counted(
      'edge_network_list_items',
      'Number of addresses, networks or countries that a network list has.',
      'items_values',
    ),
  ],
});
