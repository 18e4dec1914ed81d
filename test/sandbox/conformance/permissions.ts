import { PERMISSIONS } from '../../../src/sandbox/http/token-store.ts';
import {
  APPLICATION,
  DELIVERY,
  DOMAIN,
  ERROR_RESPONSES,
  FIREWALL,
  FUNCTION,
  HOUR,
  ZONE,
} from './expected.ts';
import { BASIC, type Checked, type Row } from './row.ts';

const ANALYTICS = '/analytics/products/1441740010';
const RULESET = '/edge_firewall/rulesets/534';
const SERIES = `${DELIVERY}/1536580016/metrics/waf`;

/** Every operation with a permission: its methods by path, and its version. */
const GUARDED: readonly (readonly [permission: string, methods: string, path: string, version?: number])[] = [
  ['View Domains', 'GET', '/domains'],
  ['View Domains', 'GET', DOMAIN],
  ['View Domains', 'GET', '/domains/?name=shop'],
  ['Edit Domains', 'POST', '/domains'],
  ['Edit Domains', 'PUT PATCH DELETE', DOMAIN],
  ['View Security Settings', 'GET', '/digital_certificates'],
  ['View Security Settings', 'GET', '/digital_certificates/14', 1],
  ['Edit Security Settings', 'POST', '/digital_certificates'],
  ['Edit Security Settings', 'PUT PATCH DELETE', '/digital_certificates/15'],
  ['Purge', 'POST', '/purge/url'],
  ['Purge', 'POST', '/purge/cachekey', 2],
  ['Purge', 'POST', '/purge/wildcard', 1],
  ['View Security Settings', 'GET', '/edge_applications'],
  ['View Security Settings', 'GET', APPLICATION],
  ['Edit Security Settings', 'POST', '/edge_applications'],
  ['Edit Security Settings', 'PUT PATCH DELETE', APPLICATION],
  ['View Edge Functions', 'GET', '/edge_functions'],
  ['View Edge Functions', 'GET', FUNCTION],
  ['Edit Edge Functions', 'POST', '/edge_functions'],
  ['Edit Edge Functions', 'PUT PATCH DELETE', FUNCTION],
  ['View Edge Firewall', 'GET', '/edge_firewall'],
  ['View Edge Firewall', 'GET', FIREWALL],
  ['Edit Edge Firewall', 'POST', '/edge_firewall'],
  ['Edit Edge Firewall', 'PUT DELETE', FIREWALL],
  ['View Security Settings', 'GET', RULESET, 1],
  ['Edit Security Settings', 'PUT PATCH DELETE', RULESET, 1],
  ['View Security Settings', 'GET', '/waf/rulesets', 2],
  ['View Security Settings', 'GET', '/waf/rulesets/3', 2],
  ['View Network Lists', 'GET', '/network_lists'],
  ['View Network Lists', 'GET', '/network_lists/187'],
  ['Edit Network Lists', 'POST', '/network_lists'],
  ['Edit Network Lists', 'PUT', '/network_lists/1009'],
  ['View Intelligent DNS', 'GET', '/intelligent_dns'],
  ['View Intelligent DNS', 'GET', ZONE],
  ['View Intelligent DNS', 'GET', `${ZONE}/records`],
  ['Edit Intelligent DNS', 'POST', '/intelligent_dns'],
  ['Edit Intelligent DNS', 'PUT DELETE', ZONE],
  ['Edit Intelligent DNS', 'POST', `${ZONE}/records`],
  ['Edit Intelligent DNS', 'PUT DELETE', `${ZONE}/records/90000`],
  ['Analytics', 'GET', '/analytics/metadata', 1],
  ['Analytics', 'GET', `${ANALYTICS}/aggregate/metrics/waf?${HOUR}`, 1],
  ['Analytics', 'GET', `${ANALYTICS}/configurations`, 1],
  ['Analytics', 'GET', DELIVERY, 2],
  ['Analytics', 'GET', `${SERIES}?${HOUR}`, 2],
  ['Analytics', 'GET', `${SERIES}/dimensions/xss?${HOUR}`, 2],
  ['View Content Delivery', 'GET', ERROR_RESPONSES, 1],
  ['Edit Content Delivery', 'PUT PATCH', ERROR_RESPONSES, 1],
];

const headers = { authorization: 'Token lacking' };

const rows = GUARDED.map(([permission, methods, path, version = 3]): Checked => {
  const permissions = PERMISSIONS.filter((other) => other !== permission);
  return {
    section: '5.5',
    variant: `${methods} ${path} needs ${permission} alone`,
    quotes: [
      'Each operation requires a named permission: View Domains, Edit Domains, View Security Settings, Edit Security Settings, Purge, View Edge Functions, Edit Edge Functions, View Edge Firewall, Edit Edge Firewall, View Intelligent DNS, Edit Intelligent DNS, View Network Lists, Edit Network Lists, Analytics, View Content Delivery, Edit Content Delivery.',
      'A user lacking the permission gets 403.',
    ],
    options: { tokens: [{ token: 'lacking', permissions }, { token: 'sandbox-token' }] },
    steps: methods.split(' ').flatMap((method) => {
      const request = { send: `${method} ${path}`, version, headers, status: 403 };
      return method === 'GET'
        ? [request, { ...request, headers: {}, status: 200 }]
        : [method === 'DELETE' ? request : { ...request, body: {} }];
    }),
  };
});

export const permissions: readonly Row[] = [
  ...rows,
  {
    section: '4.0',
    quotes: ["The permission named for each operation must be held by the token's user."],
    options: {
      users: [{ username: 'operator@example.com', password: 'sandbox', permissions: ['View Domains'] }],
    },
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'GET /domains', headers: { authorization: 'Token {id}' }, status: 200 },
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'GET /edge_functions', headers: { authorization: 'Token {id}' }, status: 403 },
    ],
  },
  {
    section: '4.8',
    quotes: ['Permission for the list read: not shown.'],
    embedded: 'none is needed',
    options: { tokens: [{ token: 'lacking', permissions: [] }] },
    steps: [{ send: 'GET /edge_firewall/rulesets', version: 1, headers, status: 200 }],
  },
  {
    section: '5.8',
    quotes: ['How permissions are granted to users: not shown.'],
    embedded: 'option `users`, all permissions unless named',
  },
];
