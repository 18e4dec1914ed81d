/** The processes that a benchmark forks, by the first argument. */
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveQuestions } from './graphql-answers.ts';
import { type IngestOptions, tellIngest } from './ingest-measure.ts';
import { serveJobs } from './jobs-exporter.ts';
import { serveFile, servePromClient } from './scrape-peers.ts';
import { type PlatformOptions, servePlatform } from './scrape-platform.ts';
import { readAgainAndAgain } from './scrape-reader.ts';
import { type ReplayOptions, serveReplay } from './scrape-replay.ts';

const [role, argument = ''] = process.argv.slice(2);
if (role === 'platform') servePlatform(JSON.parse(argument) as PlatformOptions);
else if (role === 'file') serveFile(argument);
else if (role === 'replay') serveReplay(JSON.parse(argument) as ReplayOptions);
else if (role === 'prom-client') await servePromClient(argument);
else if (role === 'reader') await readAgainAndAgain(argument);
else if (role === 'ingest') await tellIngest(JSON.parse(argument) as IngestOptions);
else if (role === 'jobs') await serveJobs(argument);
else if (role === 'questions') serveQuestions(Number(argument));
else if (role === 'sandbox') await serveSandbox(Number(argument));
else throw new Error(`no role ${role}`);

/** The embedded platform, whose token `account-<n>` is the nth of so many accounts. */
async function serveSandbox(accounts: number): Promise<void> {
  const { listen } = createSandbox({
    configurations: 5,
    domainsPerConfiguration: 1,
    tokens: Array.from({ length: accounts }, (_, index) => ({ token: `account-${index}` })),
  });
  const { url } = await listen(0);
  process.send?.({ port: Number(new URL(url).port) });
}
