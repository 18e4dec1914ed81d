import type { Row } from './row.ts';

const WORKLOAD = '/v4/workspace/workloads/1720000000';

export const workloads: readonly Row[] = [
  {
    section: '4.16',
    says: 'the hostnames sent replace those of the workload',
    steps: [
      {
        send: `PATCH ${WORKLOAD}`,
        headers: { accept: 'application/json' },
        body: { domains: ['a.example.com', 'b.example.com'] },
        status: 202,
        has: {
          data: {
            domains: ['a.example.com', 'b.example.com'],
            workload_domain: '1720000000.map.edge.example.net',
          },
        },
      },
    ],
  },
  {
    section: '4.16',
    says: 'a workload answers only the hostnames in its list',
    steps: [
      { send: 'GET /_sandbox/edge?host=front.shop.example.com', status: 200, has: { status: 200 } },
      { send: 'GET /_sandbox/edge?host=other.shop.example.com', status: 200, has: { status: 404 } },
    ],
  },
];
