import { expect } from 'vitest';
import { WORKLOADS } from './expected.ts';
import { BASIC, type Row } from './row.ts';

const RESET = expect.stringMatching(/^2026-11-20T12:35:20(\.\d+)?Z?$/);
const HEADERS = {
  'X-ratelimit-limit': expect.stringMatching(/^\d+$/),
  'X-ratelimit-remaining': expect.stringMatching(/^\d+$/),
  'X-ratelimit-reset': RESET,
};
const WINDOW = { pass: 60_000 };

/** Section 8, the rate limit. */
export const limits: readonly Row[] = [
  {
    section: '8',
    quotes: ['Rate limit: responses carry three headers.'],
    embedded:
      'every answer has them, a 401 too: requests without a token share a limit. Setting `rate_headers` leaves them out',
    steps: [
      { send: 'GET /domains', status: 200, answers: HEADERS },
      { send: 'GET /domains', headers: { authorization: null }, status: 401, answers: HEADERS },
      { send: 'GET /domains', headers: { authorization: 'Token wrong' }, status: 401, answers: HEADERS },
      { send: 'POST /tokens', headers: { authorization: 'Basic eDp5' }, status: 401, answers: HEADERS },
      { send: 'POST /tokens', headers: BASIC, status: 201, answers: HEADERS },
      { send: 'GET /domains/5', status: 404, answers: HEADERS },
      { send: 'GET /nothing', status: 404, answers: HEADERS },
      { send: 'PUT /tokens', status: 405, answers: HEADERS },
      { send: 'GET /domains', headers: { accept: null }, status: 406, answers: HEADERS },
    ],
  },
  {
    section: '8',
    quotes: ['X-ratelimit-limit · number of operations allowed in one time frame'],
    families: ['edge_api_ratelimit_limit'],
    embedded: 'setting `rate_limit`: apart for reads, writes and purges, as recorded, and for each token',
    options: { rateLimit: { reads: 80, writes: 20, purges: 200 } },
    steps: [
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-limit': '80' } },
      { send: 'DELETE /domains/5', status: 404, answers: { 'X-ratelimit-limit': '20' } },
      { send: 'POST /purge/url', body: {}, status: 400, answers: { 'X-ratelimit-limit': '200' } },
    ],
  },
  {
    section: '8',
    quotes: ['X-ratelimit-remaining · operations still available in the time frame'],
    families: ['edge_api_ratelimit_remaining'],
    options: { rateLimit: { reads: 80, writes: 20, purges: 200 } },
    steps: ['79', '78', '77'].map((remaining) => ({
      send: 'GET /domains',
      status: 200,
      answers: { 'X-ratelimit-remaining': remaining },
    })),
  },
  {
    section: '8',
    quotes: [
      'X-ratelimit-reset · ISO 8601 date and time at which the time frame closes and the counters restart',
    ],
    families: ['edge_api_ratelimit_reset_timestamp_seconds'],
    embedded: 'settings `reset_format` (UTC without a zone, as recorded, or with `Z`) and `header_case`',
    steps: [
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-reset': '2026-11-20T12:35:20.000207' } },
      { send: 'PATCH /_sandbox/settings', body: { reset_format: 'zulu' }, status: 200 },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-reset': '2026-11-20T12:35:20.000Z' } },
    ],
  },
  {
    section: '8',
    quotes: [
      'Rules: when `X-ratelimit-remaining` reaches zero, the next request is answered 429, and the client waits until the reset time before retrying.',
    ],
    families: ['edge_api_ratelimit_remaining'],
    options: { rateLimit: { reads: 2, writes: 20, purges: 200 } },
    steps: [
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '1' } },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '0' } },
      { send: 'GET /domains', status: 429, answers: { 'X-ratelimit-remaining': '0' } },
      { pass: 59_999 },
      { send: 'GET /domains', status: 429 },
      { pass: 1 },
      { send: 'GET /domains', status: 200, answers: { 'X-ratelimit-remaining': '1' } },
    ],
  },
  {
    section: '7',
    quotes: [
      '429 · TOO MANY REQUESTS · rate limit reached; wait until the time in the reset header, then retry',
    ],
    families: ['edge_api_ratelimit_reset_timestamp_seconds'],
    embedded: 'setting `retry_after` adds the header Retry-After; fault `rate_limited`',
    options: { rateLimit: { reads: 1, writes: 20, purges: 200 }, retryAfter: 'reset' },
    steps: [
      { send: 'GET /domains', status: 200 },
      { send: 'GET /domains', status: 429, answers: { 'X-ratelimit-reset': RESET, 'Retry-After': '60' } },
      WINDOW,
      { send: 'GET /domains', status: 200 },
    ],
  },
  {
    section: '8',
    quotes: [
      'The sample shows a limit of 200 operations per one-minute frame, with 199 remaining after one request.',
      'The real quota value, field length limits and the maximum page_size: not shown.',
    ],
    embedded: 'settings `rate_limit` and `max_page_size`, 200 reads a minute and 100 items unless set',
    options: { rateLimit: { reads: 200, writes: 20, purges: 200 }, configurations: 60 },
    steps: [
      {
        send: 'GET /domains?page_size=1000',
        status: 200,
        answers: { 'X-ratelimit-limit': '200', 'X-ratelimit-remaining': '199' },
        has: { count: 120, total_pages: 2 },
      },
    ],
  },
  {
    section: '8',
    quotes: ['workload change propagation · workload updates · takes several minutes'],
    embedded: 'setting `propagation_ms`, five minutes unless set',
    steps: [
      { send: `PATCH ${WORKLOADS}/1720000000`, body: { domains: ['new.example.com'] }, status: 202 },
      { send: 'GET /_sandbox/edge?host=new.example.com', status: 200, has: { status: 404 } },
      { pass: 300_000 },
      { send: 'GET /_sandbox/edge?host=new.example.com', status: 200, has: { status: 200 } },
    ],
  },
];
