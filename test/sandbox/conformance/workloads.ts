import { expect } from 'vitest';
import { APPLICATION, INTEGER, TEXTS, WORKLOADS, ZONE } from './expected.ts';
import type { Exchange, Row } from './row.ts';

const PRODUCTION = 1720000000;
const WITHOUT_HOSTNAMES = 1720000001;
const STAGING = 1720000002;

const patch = (workload: number, body: object) => ({ send: `PATCH ${WORKLOADS}/${workload}`, body });
const accepted = (workload: number, body: object, data: object = body): Exchange => ({
  ...patch(workload, body),
  status: 202,
  has: { state: 'pending', data },
});
const refused = (workload: number, body: object, because: RegExp): Exchange => ({
  ...patch(workload, body),
  status: 400,
  is: { errors: [expect.stringMatching(because)] },
});
const edge = (host: string, status: number): Exchange => ({
  send: `GET /_sandbox/edge?host=${host}`,
  status: 200,
  has: { status },
});
const CLOSE = { workload_domain_allow_access: false };
const OPEN = { workload_domain_allow_access: true };
const PROPAGATION = { pass: 300_000 };
const FRONT = 'front.shop.example.com';
const GENERATED = `${PRODUCTION}.map.edge.example.net`;

/** Sections 2.14 and 4.16, and the errors of section 7 about workloads. The exporter reads none: the API lists none. */
export const workloads: readonly Row[] = [
  {
    section: '2.14',
    quotes: [
      'id · integer · workload id',
      'domains · array of strings · every full hostname the workload answers; each entry is one complete hostname; wildcard entries are refused; the list sent replaces the hostnames listed before, so it must include hostnames already listed',
    ],
    steps: [
      accepted(PRODUCTION, { domains: ['a.example.com'] }, { id: INTEGER, domains: ['a.example.com'] }),
      refused(PRODUCTION, { domains: ['a'] }, /complete hostname/),
      refused(PRODUCTION, { domains: ['*.example.com'] }, /RFC 1035/),
      PROPAGATION,
      edge('a.example.com', 200),
      edge(FRONT, 404),
    ],
  },
  {
    section: '2.14',
    quotes: [
      'workload_domain · string · read-only, generated hostname of the form `<id>.map.<edge_domain>`',
      'workload_domain_allow_access · boolean · default true; when false the workload does not answer on its workload_domain',
    ],
    steps: [
      edge(GENERATED, 200),
      accepted(
        PRODUCTION,
        { ...CLOSE, workload_domain: 'x.example.com' },
        { ...CLOSE, workload_domain: GENERATED },
      ),
      PROPAGATION,
      edge(GENERATED, 404),
    ],
  },
  {
    section: '2.14',
    quotes: ['Other fields of a workload: not shown.'],
    embedded: 'a name',
  },
  {
    section: '4.16',
    quotes: [
      'PATCH · `{workload_api_url}/v4/workspace/workloads/:workload_id` · headers Accept `application/json`, `Authorization: Token <ACCESS_TOKEN>`, Content-Type `application/json`; body with `domains` (array of strings) and/or `workload_domain_allow_access` (boolean) · the update is accepted; the workload then lists the hostnames in `domains`',
    ],
    embedded: '202; 400 to a body with neither; no permission is needed',
    options: { tokens: [{ token: 'sandbox-token', permissions: [] }] },
    steps: [
      {
        ...patch(PRODUCTION, { domains: ['a.example.com'], ...CLOSE }),
        headers: { accept: 'application/json' },
        status: 202,
        has: { data: { domains: TEXTS, ...CLOSE } },
      },
      { ...patch(PRODUCTION, OPEN), headers: { accept: 'text/html' }, status: 406 },
      { ...patch(PRODUCTION, OPEN), headers: { authorization: null }, status: 401 },
      { ...patch(PRODUCTION, OPEN), headers: { 'content-type': null }, status: 400 },
      refused(PRODUCTION, {}, /domains, workload_domain_allow_access or both/),
      refused(PRODUCTION, { name: 'x' }, /domains, workload_domain_allow_access or both/),
      { ...patch(5, OPEN), status: 404 },
      { send: `GET ${WORKLOADS}/${PRODUCTION}`, status: 405 },
    ],
  },
  {
    section: '4.16',
    quotes: [
      'The workload must be on the production infrastructure and its deployment must name an application.',
    ],
    steps: [
      ...[{ domains: ['a.example.com'] }, OPEN].map((body) => refused(STAGING, body, /staging/)),
      { send: `DELETE ${APPLICATION}`, status: 204 },
      ...[{ domains: ['a.example.com'] }, CLOSE].map((body) =>
        refused(PRODUCTION, body, /name an application/),
      ),
    ],
  },
  {
    section: '4.16',
    quotes: [
      'A workload answers only the hostnames in its domains.',
      'A DNS record alone does not route traffic.',
      "DNS: for each hostname, a record with name = the hostname, type `CNAME`, value = the workload's `workload_domain`, created at the DNS provider or in the platform's DNS service.",
    ],
    steps: [
      {
        send: `POST ${ZONE}/records`,
        body: { record_type: 'CNAME', entry: 'other', answers_list: [GENERATED], ttl: 60 },
        status: 201,
      },
      edge(FRONT, 200),
      edge('other.example.com', 404),
    ],
  },
  {
    section: '4.16',
    quotes: [
      'HTTPS on a custom hostname needs a server certificate covering the hostname.',
      'The default shared certificate covers only the workload domain and the generated custom domain.',
    ],
    embedded: 'the embedded platform serves no HTTPS',
  },
  {
    section: '4.16',
    quotes: [
      'Closing the workload domain (`workload_domain_allow_access` false): after propagation a request to the workload domain answers 404.',
    ],
    embedded: 'setting `propagation_ms`; `GET /_sandbox/edge?host=` tells what the edge answers',
    steps: [accepted(PRODUCTION, CLOSE), edge(GENERATED, 200), PROPAGATION, edge(GENERATED, 404)],
  },
  {
    section: '7.2',
    quotes: [
      'Workload update: a hostname containing a wildcard is refused with a message saying the domain does not conform to RFC 1035.',
    ],
    steps: [
      refused(
        PRODUCTION,
        { domains: ['*.example.com'] },
        /^The domain \*\.example\.com does not conform to RFC 1035\.$/,
      ),
    ],
  },
  {
    section: '7.3',
    quotes: [
      'Workload update: a hostname the account may not use is refused with a message naming the hostname(s) and saying the account is not allowed to use those CNAMEs.',
    ],
    embedded: 'hostnames of other workloads and of the platform',
    steps: [
      refused(
        WITHOUT_HOSTNAMES,
        { domains: ['a.example.com', FRONT.toUpperCase(), 'x.map.edge.example.net'] },
        /not allowed to use these CNAMEs: FRONT\.SHOP\.EXAMPLE\.COM, x\.map\.edge\.example\.net\.$/,
      ),
    ],
  },
  {
    section: '7.4',
    quotes: [
      'Workload update on a staging workload: refused with a message saying a custom hostname is not available in the staging infrastructure environment.',
    ],
    steps: [{ domains: ['a.example.com'] }, CLOSE, OPEN].map((body) =>
      refused(
        STAGING,
        body,
        /^A custom hostname is not available in the staging infrastructure environment\.$/,
      ),
    ),
  },
  {
    section: '7.5',
    quotes: [
      'Workload update closing the workload domain while no hostname is listed: refused with a message saying that when workload hostname access is blocked, alternate domains or domains are required.',
    ],
    steps: [
      refused(WITHOUT_HOSTNAMES, CLOSE, /access is blocked, alternate domains or domains are required/),
      refused(PRODUCTION, { ...CLOSE, domains: [] }, /required/),
      accepted(WITHOUT_HOSTNAMES, { ...CLOSE, domains: ['a.example.com'] }),
    ],
  },
];
