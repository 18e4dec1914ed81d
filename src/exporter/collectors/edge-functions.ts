import { z } from 'zod';
import { amount, content, flag, identifier, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  language: text,
  initiator_type: text,
  function_to_run: content,
  code: content,
  json_args: content,
  active: flag,
  reference_count: amount,
  modified: text,
  last_editor: text,
});

type EdgeFunction = z.output<typeof row>;

const { edited, info, measured, modified, switched } = seriesOf<EdgeFunction>('edge functions');

/** Edge functions (sections 2.5 and 4.6). Code and arguments are only compared, never exposed. */
export const edgeFunctions = settingsCollector({
  about: 'Edge functions: whether they are active, and how often they are used.',
  schedule: '*/10 * * * *',
  section: '4.6',
  version: 3,
  permission: 'View Edge Functions',
  kind: 'function',
  things: 'edge functions',
  list: '/edge_functions',
  row,
  unwatched: ['reference_count', 'modified', 'last_editor'],
  series: [
    info('edge_function_info', 'An edge function, always 1; join by function_id.', {
      language: 'language',
      initiator_type: 'initiator_type',
    }),
    switched('edge_function_active', 'an edge function is active', 'active'),
    modified('function', 'an edge function', 'modified'),
    edited('function', 'an edge function', 'last_editor'),
    measured('edge_function_references', 'Number of places that use an edge function.', 'reference_count'),
  ],
});
