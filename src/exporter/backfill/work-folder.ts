import {
  access,
  constants,
  mkdir,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LOCK_FILE, StateInUse, unlessMissing } from '../state/directory.ts';
import { type DatabaseThread, lockDirectory } from '../state/sqlite.ts';
import { type HistoryPlan, parsePlan } from './history-plan.ts';
import { BackfillRefusal, fileTrouble, Misuse } from './refusal.ts';
import { isPushedRecord } from './spool.ts';

const PLAN_FILE = 'plan.json';

/** The folder beside the output, or where it would be, in which a history grows, so that it is only ever seen whole under its own name. */
export class WorkFolder {
  readonly path: string;
  readonly #output: string;
  #lock: DatabaseThread | undefined;

  constructor(output: string) {
    this.#output = output;
    this.path = join(dirname(output), `${basename(output)}.partial`);
  }

  /** Where the text is written before it is whole. */
  get unfinished(): string {
    return join(this.path, basename(this.#output));
  }

  /** Looks, before the platform is asked, whether there is a place for the output. @throws BackfillRefusal where not */
  async checkPlace(): Promise<void> {
    const parent = resolve(dirname(this.#output));
    try {
      await (await opendir(parent)).close();
      await access(parent, constants.W_OK | constants.X_OK);
    } catch (error) {
      const trouble = fileTrouble(error);
      if (trouble === undefined) throw error;
      throw new Misuse(`the folder of --output: ${trouble}`);
    }
  }

  /** What is under the output's name now. */
  async output(): Promise<'nothing' | 'file' | 'folder'> {
    const found = await unlessMissing(stat(this.#output));
    if (found === undefined) return 'nothing';
    return found.isDirectory() ? 'folder' : 'file';
  }

  /** The plan of a history that was begun here; undefined when there is none. */
  async begun(): Promise<HistoryPlan | undefined> {
    if ((await unlessMissing(stat(this.path))) === undefined) return undefined;
    const text = await unlessMissing(readFile(join(this.path, PLAN_FILE), 'utf8'));
    const plan = text === undefined ? undefined : parsePlan(text);
    if (plan === undefined && (await this.#isForeign(text))) {
      throw new Misuse(`${this.path} exists and was not created by backfill`);
    }
    return plan;
  }

  /** Keeps other backfills out until `release`. @param begun what `begun` said before: another may have been at work since */
  async lock(begun: HistoryPlan | undefined): Promise<void> {
    await makeFolder(this.path);
    try {
      this.#lock = await lockDirectory(this.path);
    } catch (error) {
      if (!(error instanceof StateInUse)) throw error;
      throw new BackfillRefusal(`another backfill is running in ${this.path}`);
    }
    if (isDeepStrictEqual(begun, await this.begun())) return;
    throw new BackfillRefusal(`another backfill has used ${this.path} in the meantime`);
  }

  async release(): Promise<void> {
    await this.#lock?.release();
    this.#lock = undefined;
  }

  /** Starts over with a plan. */
  async begin(plan: HistoryPlan): Promise<void> {
    for (const name of await readdir(this.path)) {
      if (isSpool(name) || isPushedRecord(name)) await rm(join(this.path, name));
    }
    const path = join(this.path, PLAN_FILE);
    await writeFile(`${path}.new`, `${JSON.stringify(plan, undefined, 2)}\n`, { flush: true });
    await rename(`${path}.new`, path);
  }

  /** Renames the complete file, which is on disk, to its final name, and cleans up. */
  async finish(): Promise<void> {
    await rename(this.unfinished, this.#output);
    await this.remove();
  }

  /** Removes what was kept of a history that is complete. */
  async remove(): Promise<void> {
    // First what makes it a history that was begun: whatever is left after a sudden end is only remains.
    await rm(join(this.path, PLAN_FILE));
    await this.release();
    await rm(this.path, { recursive: true });
  }

  /** Whether a folder without a readable plan holds anything that a backfill does not leave. */
  async #isForeign(planText: string | undefined): Promise<boolean> {
    if (planText !== undefined) return true;
    const own = new Set([LOCK_FILE, `${PLAN_FILE}.new`, basename(this.#output)]);
    return (await readdir(this.path)).some(
      (name) => !own.has(name) && !isSpool(name) && !isPushedRecord(name),
    );
  }
}

function isSpool(name: string): boolean {
  return /^\d{5,}\.jsonl$/.test(name);
}

/** Creates a folder whose parent must exist: a mistyped path must not create folders. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
