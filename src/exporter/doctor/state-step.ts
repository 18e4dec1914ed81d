import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Step, stepsNamed } from './step.ts';

/** Size (bytes) of a commit of a large account. */
const PROBE_BYTES = 1 << 20;

/** Tests if counters would be durable: writes a file into the state directory as a commit does, and removes it. */
export async function stateStep(directory: string): Promise<Step> {
  const { ok, warning, problem } = stepsNamed('state');
  const probe = join(directory, `doctor-${randomUUID()}`);
  try {
    const found = await stat(directory).catch(unlessMissing);
    if (found === undefined) return warning(`${directory} is not there: it is created at the start`);
    if (!found.isDirectory()) return problem(withheld(directory, 'it is no directory'));
    const file = await open(probe, 'wx', 0o600);
    try {
      await file.writeFile(Buffer.alloc(PROBE_BYTES));
      await file.sync();
    } finally {
      await file.close();
      await rm(probe, { force: true });
    }
    return ok(`${directory} can be written`);
  } catch (error) {
    const { code = '', message } = Object(error) as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      return problem(`counters would stand still: ${directory} cannot be written: the disk is full`);
    return problem(withheld(directory, message));
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function withheld(directory: string, why: string): string {
  return `counters would be withheld: ${directory} cannot be used: ${why}`;
}
