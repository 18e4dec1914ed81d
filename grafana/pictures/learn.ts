import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Prometheus } from '../../test/end-to-end/prometheus.ts';
import { promtool } from '../../test/end-to-end/promtool.ts';
import { eventually } from '../../test/eventually.ts';

const RECORDING_RULES = join('config', 'prometheus', 'recording.rules.yml');

/** Rules to evaluate from `from` (ms) on, and a metric that appears when Prometheus has loaded the result. */
interface Lesson {
  readonly groups: RegExp;
  readonly records?: RegExp;
  readonly from: number;
  readonly yields: string;
}

interface RuleFile {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly record: string }[];
  }[];
}

/**
 * Evaluates the recording rules over the past. Lessons run in order, because rules over other rules need their results,
 * and Prometheus looks for new blocks once a minute.
 */
export async function learn(
  prometheus: Prometheus,
  { storage, to, lessons }: { storage: string; to: number; lessons: readonly Lesson[] },
): Promise<void> {
  const rules = parse(await readFile(RECORDING_RULES, 'utf8')) as RuleFile;
  for (const [index, { groups, records = /^/, from, yields }] of lessons.entries()) {
    const file = join(storage, '..', `lesson-${index}.yml`);
    const learned = rules.groups
      .filter(({ name }) => groups.test(name))
      .map((group) => ({ ...group, rules: group.rules.filter(({ record }) => records.test(record)) }));
    await writeFile(file, stringify({ groups: learned }));
    const seconds = (ms: number) => String(Math.floor(ms / 1000));
    const span = [`--start=${seconds(from)}`, `--end=${seconds(to)}`, '--eval-interval=60s'];
    const command = ['tsdb', 'create-blocks-from', 'rules', ...span, `--url=${prometheus.url}`];
    const built = await promtool([...command, `--output-dir=${storage}`, file]);
    if (built.code !== 0) throw new Error(built.stderr);
    const loaded = async () => (await prometheus.query(yields, to - 600_000)).length > 0;
    await eventually(`${yields} is loaded`, loaded, { within: 600_000, every: 3_000 });
  }
}
