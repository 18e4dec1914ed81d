/**
 * Scrapes of the process that users run, while it polls, beside a static file on node:http (the floor), prom-client
 * behind express, and Debian's Pushgateway, all with the same series: `npm run bench`. For a smaller run:
 * `npm run bench -- scrape --sizes=1000x1,10000x1 --jobs=0 --out=/tmp/results.md`, series x accounts, and jobs of one account.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureJobs } from './jobs.ts';
import { ROOT } from './programs.ts';
import { withFigures } from './readme-figures.ts';
import { type Measured, measure } from './scrape-measure.ts';
import { report } from './scrape-report.ts';

const RESULTS = join(ROOT, 'test', 'bench', 'RESULTS.md');
const README = join(ROOT, 'README.md');
const ALL_SIZES = '1000x1,10000x1,100000x1,500000x1,100000x100,100000x1000';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: ALL_SIZES },
    jobs: { type: 'string', default: '10000' },
    out: { type: 'string', default: RESULTS },
  },
});

function progress(text: string): void {
  process.stderr.write(`${(performance.now() / 60_000).toFixed(1)} min: ${text} …\n`);
}

const sizes: Measured[] = [];
for (const size of values.sizes.split(',').filter(Boolean)) {
  const [series = 1_000, accounts = 1] = size.split('x').map(Number);
  progress(`${series} series of ${accounts} accounts`);
  sizes.push(await measure({ series, accounts }));
}
const jobCount = Number(values.jobs);
if (jobCount > 0) progress(`${jobCount} jobs`);
const jobs = jobCount > 0 ? await measureJobs(jobCount) : [];
progress('done');
const text = report({ sizes, jobs, jobCount });
writeFileSync(values.out, text);
if (values.out === RESULTS) writeFileSync(README, withFigures(readFileSync(README, 'utf8'), text));
process.stdout.write(text);
