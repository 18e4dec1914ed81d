import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backfill } from '../backfill/backfill.ts';
import type { BackfillOptions } from '../backfill/backfill-options.ts';
import { fileHistory } from './file-history.ts';
import type { RehearsalHistory } from './history.ts';
import { onlyNeeded } from './needed-metrics.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

export interface PlatformHistoryOptions
  extends Pick<BackfillOptions, 'accounts' | 'from' | 'to' | 'clock' | 'signal' | 'guard' | 'observer'> {
  readonly rules: readonly RehearsedRules[];
  /** Where to keep what was read; without it nothing is kept. */
  readonly file: string | undefined;
  readonly source: string;
  readonly onChunk?: () => void;
}

/**
 * Reads a history from the platform, as `backfill` does.
 * @throws what `backfill` throws, and RehearsalRefusal
 */
export async function platformHistory(options: PlatformHistoryOptions): Promise<RehearsalHistory> {
  const { file, rules, accounts, source, onChunk } = options;
  const temporary = file === undefined ? await mkdtemp(join(tmpdir(), 'edge-exporter-')) : undefined;
  const output = file ?? join(temporary ?? '', 'history.om');
  const names = new Set(rules.flatMap(({ scraped }) => [...scraped]));
  try {
    await backfill({
      ...options,
      accounts: accounts.map((account) => onlyNeeded(account, names)),
      labels: {},
      families: names,
      output,
      receivers: [],
      mode: 'continue',
    });
    return await fileHistory({ file: output, rules, source, ...(onChunk && { onChunk }) });
  } finally {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
  }
}

/** Whether there is such a file. */
export async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    // Whatever else is wrong with it shows when it is written.
    () => false,
  );
}
