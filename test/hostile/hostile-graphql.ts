import type { FaultSettings } from '../../src/sandbox/faults/faults.ts';

const AT = { paths: ['/metrics/graphql', '/v4/metrics/graphql'] };

/**
 * Hostile answers of the sandbox to GraphQL questions, by their effect. None may cause a wrong value. Answers
 * that a client cannot recognise, such as a single missing row, are excluded.
 */
export const HOSTILE_GRAPHQL: Readonly<Record<string, FaultSettings>> = {
  'answers with nothing and 204': { no_content: AT },
  'answers with errors beside null, and 200': { graphql_errors: AT },
  'answers with errors beside rows, and 200': { graphql_errors: { ...AT, data: 'whole' } },
  'answers with an empty object': { empty_answer: { ...AT, form: 'object' } },
  'answers null': { empty_answer: { ...AT, form: 'null' } },
  'answers without a body': { empty_answer: { ...AT, form: 'body' } },
  'has no rows': { empty_answer: { ...AT, form: 'points' } },
  'cuts answers where more was asked for': { cut_rows: { ...AT, rows: 25 } },
  'answers far more rows than it was asked for': { huge_answer: { ...AT, rows: 100_000 } },
  'repeats every row': { repeated_rows: { ...AT, share: 1 } },
  'repeats rows with other values': { conflicting_rows: { ...AT, share: 0.3 } },
  'leaves out every selected field': { missing_fields: AT },
  'leaves out whose the rows are': { missing_fields: { ...AT, fields: ['configurationId'] } },
  'leaves out the time': { missing_fields: { ...AT, fields: ['ts'], share: 0.5 } },
  'writes numbers as text': { number_strings: AT },
  'sends values of other types': {
    wrong_types: { ...AT, kinds: ['string_value', 'null_value', 'nan_text', 'object_value'], share: 0.3 },
  },
  'sends negative values': { wrong_types: { ...AT, kinds: ['negative_value'], share: 0.3 } },
  'sends times that are numbers': { wrong_types: { ...AT, kinds: ['seconds_timestamp'], share: 0.3 } },
  'sends rows of the future': { wrong_types: { ...AT, kinds: ['future_point'], share: 0.3 } },
  'sends rows out of order': { wrong_types: { ...AT, kinds: ['out_of_order'], share: 0 } },
  'sends absurd values': { absurd_values: { ...AT, share: 0.2 } },
  'sends times that are no starts of buckets': { timestamp_jitter: { ...AT, ms: 900 } },
  'sends wider buckets': { wide_buckets: { ...AT, minutes: 5 } },
  'sends buckets of two widths': { wide_buckets: { ...AT, minutes: 5, part: 'mixed' } },
  'sends no JSON': { malformed_body: AT },
  'sends half a document': { truncated_body: AT },
  'cuts the connection in the midst of an answer': { truncated_body: { ...AT, cut: 'connection' } },
  'resets connections': { connection_reset: AT },
  'answers with a page of HTML': { html_error: AT },
  'refuses as if the account might not use it': { forbidden: AT },
  'fails with 500': { server_error: AT },
  'fails with 503 and no body': { server_error: { ...AT, status: 503, form: 'empty' } },
  'refuses with 429, without saying until when': { rate_limited: AT },
  'leads elsewhere': { redirect: { ...AT, origin: 'http://127.0.0.1:9' } },
};
