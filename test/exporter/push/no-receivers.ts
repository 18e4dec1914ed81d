import type { Reply } from '../../../src/exporter/push/receiver-connection.ts';

/** Answers with success from servers in front of a receiver, such as a login page. */
export const NO_RECEIVERS: readonly (readonly [string, Partial<Reply>])[] = [
  [
    'a login page',
    { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, words: '<title>Sign in</title>' },
  ],
  ...['{"error":"upstream timed out"}', '{"errors":[{"message":"no"}]}', '{"status":"error"}'].map(
    (json): [string, Partial<Reply>] => [
      `a gateway that says ${json}`,
      { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(json), words: json },
    ],
  ),
];
