/**
 * The floor while polling: a process that reads the same answers at the same moments as the exporter did, by undici and
 * `JSON.parse`, and otherwise serves a static buffer.
 */
import { Pool } from 'undici';
import { serveFile } from './scrape-peers.ts';
import { COUNTED_ANSWER } from './scrape-platform.ts';

/** The platform's address, and the body that is served. */
export interface ReplayOptions {
  readonly platform: string;
  readonly file: string;
}

/** What the parent asks for: a read at each of these times (ms) from now on, in ascending order. */
export interface Replay {
  readonly readAt: readonly number[];
}

export function serveReplay({ platform, file }: ReplayOptions): void {
  const pool = new Pool(platform);
  const read = async () => {
    const { body } = await pool.request({ method: 'GET', path: COUNTED_ANSWER });
    JSON.parse(await body.text());
  };
  process.on('message', ({ readAt }: Replay) => {
    const begun = performance.now();
    let next = 0;
    const readDue = () => {
      while ((readAt[next] ?? Number.POSITIVE_INFINITY) <= performance.now() - begun) {
        next += 1;
        void read();
      }
      const at = readAt[next];
      if (at !== undefined) setTimeout(readDue, begun + at - performance.now());
    };
    readDue();
  });
  serveFile(file);
}
