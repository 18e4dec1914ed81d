import { Session } from 'node:inspector/promises';
import { simulate } from '../simulation/simulation.ts';

/** How much code one steady poll of one metric enters: `npm run bench -- poll-path`. */
const simulation = await simulate({
  sandbox: { configurations: 1 },
  account: {
    reconciliation_share: 0,
    collectors: { metrics: { products: { edge_applications: { metrics: ['waf'] } } } },
  },
});
await simulation.minutes(35);
const configurations =
  simulation
    .exporter()
    .accounts()[0]
    ?.jobs.filter(({ metric }) => metric === 'waf') ?? [];
// Away from the minute in which the lists of configurations are read.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await simulation.minutes(1);
const { result } = await session.post('Profiler.takePreciseCoverage');
await session.post('Profiler.stopPreciseCoverage');
await simulation.close();

const own = result
  .filter(({ url }) => url.includes('/src/') && !/\/(node_modules|src\/sandbox)\//.test(url))
  .map(({ url, functions }) => ({
    file: url.replace(/^.*\/src\//, ''),
    entered: functions.filter(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    ),
  }))
  .filter(({ entered }) => entered.length > 0);
const folders = new Map<string, number>();
for (const { file } of own) {
  const folder = file.includes('/') ? file.replace(/\/.*$/, '') : '.';
  folders.set(folder, (folders.get(folder) ?? 0) + 1);
}
const functions = own.reduce((sum, { entered }) => sum + entered.length, 0);
const calls = own.reduce(
  (sum, { entered }) => sum + entered.reduce((all, { ranges }) => all + (ranges[0]?.count ?? 0), 0),
  0,
);
process.stdout.write(
  `${configurations.length} polls of one metric in a minute: ${own.length} files, ${functions} functions, ${calls} calls\n`,
);
process.stdout.write(
  `${[...folders]
    .sort()
    .map(([folder, files]) => `  ${folder} ${files}`)
    .join('\n')}\n`,
);
if (process.argv.includes('--files'))
  for (const { file, entered } of own.toSorted((a, b) => a.file.localeCompare(b.file)))
    process.stdout.write(`${file}: ${entered.map(({ functionName }) => functionName).join(' ')}\n`);
