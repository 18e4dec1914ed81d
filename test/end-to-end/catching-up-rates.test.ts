import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { type Simulation, simulate } from '../simulation/simulation.ts';
import { PROMTOOLS, testRules } from './promtool.ts';

const FAMILIES = /^edge_(requests_total|requests_per_minute|totals_catching_up)$/;

const RATE = '60 * sum(rate(edge_requests_total[5m]))';
const STEADY_RATE = `60 * sum(
  rate(edge_requests_total[5m])
  unless on (account, product, configuration_id)
  (max_over_time(edge_totals_catching_up[5m]) > 0)
)`;

class Scraped {
  readonly #values = new Map<string, string[]>();
  #minutes = 0;

  async minutes(simulation: Simulation, count: number): Promise<void> {
    for (let minute = 0; minute < count; minute++) {
      await simulation.minutes(1);
      const { samples } = simulation.isRunning() ? await simulation.scrape() : { samples: new Map() };
      for (const [key, value] of samples) {
        const [family, labels] = JSON.parse(key) as [string, [string, string][]];
        if (!FAMILIES.test(family)) continue;
        const series = `${family}{${labels.map(([name, text]) => `${name}=${JSON.stringify(text)}`).join()}}`;
        this.#valuesOf(series).push(String(value));
      }
      this.#minutes += 1;
      for (const values of this.#values.values()) if (values.length < this.#minutes) values.push('_');
    }
  }

  get length(): number {
    return this.#minutes;
  }

  inputSeries(): { series: string; values: string }[] {
    return [...this.#values].map(([series, values]) => ({ series, values: values.join(' ') }));
  }

  #valuesOf(series: string): string[] {
    const known = this.#values.get(series) ?? Array.from({ length: this.#minutes }, () => '_');
    this.#values.set(series, known);
    return known;
  }
}

const worst = (expression: string, minutes: number) =>
  `max_over_time((${expression})[${minutes}m:1m]) / max_over_time(sum(edge_requests_per_minute)[${minutes}m:1m])`;

const account = {
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
};
const sandbox = { configurations: 3, rateLimit: { reads: 15, writes: 20, purges: 20 } };

it('after a day without the exporter the rate of the documentation does not spike, and a plain one does', async () => {
  const simulation = await simulate({ account, sandbox });
  const scraped = new Scraped();
  await scraped.minutes(simulation, 45);
  await simulation.stop();
  await scraped.minutes(simulation, 1_440);
  await simulation.start();
  await scraped.minutes(simulation, 90);

  const folder = await mkdtemp(join(tmpdir(), 'catching-up-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'test.yaml');
  const at = scraped.length - 1;
  const isTrue = (expr: string) => ({ expr, eval_time: `${at}m`, exp_samples: [{ labels: '{}', value: 1 }] });
  const test = {
    interval: '1m',
    input_series: scraped.inputSeries(),
    promql_expr_test: [
      isTrue(`${worst(STEADY_RATE, at)} <= bool 1.3`),
      isTrue(`${worst(RATE, at)} > bool 10`),
      // The steady rate is back once the counters have caught up.
      isTrue(`${STEADY_RATE} > bool 0.7 * sum(edge_requests_per_minute)`),
    ],
  };
  await writeFile(file, stringify({ rule_files: [], tests: [test] }));
  for (const tool of PROMTOOLS) expect(await testRules(tool, file), tool).toBe('');
});
