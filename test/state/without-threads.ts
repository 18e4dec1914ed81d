import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';
import type { Question } from '../../src/state/database.ts';
import { answer } from '../../src/state/database-thread.js';

/** What a thread is to the database, in this thread: it answers later, and from copies. */
class InThisThread extends EventEmitter {
  ref(): void {}

  unref(): void {}

  postMessage(question: Question): void {
    setImmediate(() => this.emit('message', structuredClone(answer(structuredClone(question)))));
  }

  async terminate(): Promise<void> {
    this.emit('exit');
  }
}

/**
 * Runs with all databases open in this thread, one at a time: to start a thread takes ten times as long as what a database is asked.
 * What SQLite has open it closes with the garbage only, so that no file may be opened a second time.
 */
export async function withoutThreads(run: () => Promise<void>): Promise<void> {
  const { Worker } = workerThreads;
  Object.assign(workerThreads, { Worker: InThisThread });
  syncBuiltinESMExports();
  try {
    await run();
  } finally {
    Object.assign(workerThreads, { Worker });
    syncBuiltinESMExports();
  }
}
