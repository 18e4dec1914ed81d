import { BASIC, type Row } from './row.ts';

const JSON_ANSWER = { 'content-type': 'application/json' };

/** The preface, and sections 1 and 6. */
export const service: readonly Row[] = [
  {
    section: '0',
    quotes: [
      'This single document covers all nine parts for the management API of an edge delivery platform: tokens, domains, digital certificates, cache purge, edge applications, edge functions, edge firewalls and firewall rule sets, network lists, WAF rule sets, intelligent DNS, analytics and metrics, content delivery error responses, and custom domains on workloads.',
    ],
    embedded: 'all of these parts',
    steps: [
      '/domains',
      '/digital_certificates',
      '/edge_applications',
      '/edge_functions',
      '/edge_firewall',
      '/network_lists',
      '/intelligent_dns',
    ].map((path) => ({ send: `GET ${path}`, status: 200 })),
  },
  {
    section: '0',
    quotes: [
      'Addresses: the API base address is `{base_url}`.',
      'The workload operation in section 4.16 is served under `{workload_api_url}`.',
    ],
    embedded: 'one address for both',
    steps: [
      { send: 'GET /domains', status: 200 },
      {
        send: 'PATCH /v4/workspace/workloads/1720000000',
        body: { domains: ['www.example.com'] },
        status: 202,
      },
    ],
  },
  {
    section: '1',
    quotes: ['The service is a RESTful HTTPS API.'],
    embedded: 'HTTP on loopback: it is for rehearsals',
  },
  {
    section: '1',
    quotes: ['Requests and responses are JSON.'],
    steps: [
      { send: 'GET /domains', status: 200, answers: JSON_ANSWER },
      { send: 'GET /waf/rulesets', version: 2, status: 200, answers: JSON_ANSWER },
      { send: 'GET /nothing', status: 404, answers: JSON_ANSWER },
    ],
  },
  {
    section: '1',
    quotes: [
      'Clients use it to manage the configuration of an edge delivery platform and to read traffic data.',
      'Create and revoke access tokens.',
      'Tokens are obtained with an account username and password.',
    ],
    steps: [
      { send: 'POST /tokens', headers: BASIC, status: 201 },
      { send: 'DELETE /tokens/{id}', headers: BASIC, status: 204 },
    ],
  },
  {
    section: '1',
    quotes: [
      'Manage domains (hostnames served by an edge application), digital (SSL) certificates, edge applications, edge functions, edge firewalls, legacy firewall rule sets, network lists and WAF rule sets.',
      'Purge cached objects by URL, by cache key, or by wildcard expression, from the edge caching layer or the L2 caching layer.',
      'Manage hosted DNS zones and the records inside them.',
      'Read historical and near-real-time metrics, grouped by product, configuration, metric and dimension.',
      'Read and change cache times for error responses of a content delivery configuration.',
      "Attach a custom hostname to a workload and close the workload's generated domain.",
    ],
    embedded: 'checked one by one in sections 4.2 to 4.16',
  },
  {
    section: '6',
    quotes: ['Events (notifications, callbacks, webhooks): not shown.'],
    embedded: 'none',
  },
];
