/**
 * What taking in an answer costs, beside `JSON.parse` of the same: `npm run bench -- ingest --configurations=2000`. For where the time
 * goes: `node --cpu-prof .cache/bench/test/bench/ingest.js`.
 */
import { parseArgs } from 'node:util';
import { measureIngest } from './ingest-measure.ts';

const { values } = parseArgs({
  options: {
    configurations: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '4' },
  },
});

const { points, parse, decode, singly, together, bytes } = await measureIngest({
  configurations: Number(values.configurations),
  minutes: Number(values.minutes),
});
const row = (what: string, ms: number) =>
  `| ${what} | ${ms.toFixed(3)} | ${Math.round((1_000 * points) / ms)} | ${(parse / ms).toFixed(3)} |\n`;
process.stdout.write(
  `An answer of ${points} points, in ms of CPU; a compressed page of ${Math.round(bytes / 1_000)} kB.\n
| | ms | points/s | of JSON.parse |\n| --- | --: | --: | --: |\n` +
    row('JSON.parse', parse) +
    row('decoded, once parsed', decode) +
    row('from bytes to the body of a scrape, one by one', singly) +
    row('16 at once', together),
);
