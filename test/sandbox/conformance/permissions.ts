import { PERMISSIONS } from '../../../src/sandbox/http/permissions.ts';
import type { Row } from './row.ts';

const SERIES = '/metrics/products/1441740010/configurations/1536580016/metrics/waf';

/** Every kind of operation, with the permission that sections 4 and 5 ask for and the version it is read in. */
const GUARDED: readonly (readonly [permission: string, request: string, version: number])[] = [
  ['View Domains', 'GET /domains', 3],
  ['View Domains', 'GET /domains/1536580016', 3],
  ['Edit Domains', 'POST /domains', 3],
  ['Edit Domains', 'PUT /domains/1536580016', 3],
  ['Edit Domains', 'PATCH /domains/1536580016', 3],
  ['Edit Domains', 'DELETE /domains/1536580016', 3],
  ['View Security Settings', 'GET /digital_certificates', 3],
  ['Edit Security Settings', 'POST /digital_certificates', 3],
  ['Edit Security Settings', 'DELETE /digital_certificates/15', 3],
  ['Purge', 'POST /purge/url', 3],
  ['Purge', 'POST /purge/cachekey', 2],
  ['Purge', 'POST /purge/wildcard', 1],
  ['View Security Settings', 'GET /edge_applications', 3],
  ['Edit Security Settings', 'PATCH /edge_applications/1528990720', 3],
  ['View Edge Functions', 'GET /edge_functions', 3],
  ['Edit Edge Functions', 'PUT /edge_functions/4184', 3],
  ['View Edge Firewall', 'GET /edge_firewall', 3],
  ['Edit Edge Firewall', 'POST /edge_firewall', 3],
  ['View Security Settings', 'GET /edge_firewall/rulesets/534', 1],
  ['Edit Security Settings', 'PATCH /edge_firewall/rulesets/534', 1],
  ['View Security Settings', 'GET /waf/rulesets', 2],
  ['View Network Lists', 'GET /network_lists', 3],
  ['Edit Network Lists', 'PUT /network_lists/1009', 3],
  ['View Intelligent DNS', 'GET /intelligent_dns', 3],
  ['View Intelligent DNS', 'GET /intelligent_dns/40960/records', 3],
  ['Edit Intelligent DNS', 'POST /intelligent_dns/40960/records', 3],
  ['Edit Intelligent DNS', 'DELETE /intelligent_dns/40960', 3],
  ['Analytics', 'GET /analytics/metadata', 1],
  ['Analytics', 'GET /analytics/products/1441740010/configurations', 1],
  ['Analytics', `GET ${SERIES}?date_from=last-hour`, 2],
  ['View Content Delivery', 'GET /content_delivery/configurations/1528990720/error_responses', 1],
  ['Edit Content Delivery', 'PATCH /content_delivery/configurations/1528990720/error_responses', 1],
];

export const permissions = GUARDED.map(([permission, send, version]): Row => {
  const others = PERMISSIONS.filter((other) => other !== permission);
  const body = send.startsWith('GET') || send.startsWith('DELETE') ? undefined : {};
  return {
    section: '5.5',
    says: `${send} needs ${permission}, and every other permission does not help`,
    options: { tokens: [{ token: 'lacking', permissions: others }] },
    steps: [{ send, version, body, headers: { authorization: 'Token lacking' }, status: 403 }],
  };
});
