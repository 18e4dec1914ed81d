/** Runs the role that the first argument names. A benchmark forks this process. */
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { serveFile, servePromClient } from './peers.ts';
import { servePlatform } from './platform.ts';

const [role, argument = ''] = process.argv.slice(2);
if (role === 'platform') servePlatform(Number(argument));
else if (role === 'file') serveFile(argument);
else if (role === 'prom-client') await servePromClient(argument);
else if (role === 'sandbox') await serveSandbox(Number(argument));
else throw new Error(`no role ${role}`);

async function serveSandbox(accounts: number): Promise<void> {
  const { listen } = createSandbox({
    configurations: 5,
    domainsPerConfiguration: 1,
    tokens: Array.from({ length: accounts }, (_, index) => ({ token: `account-${index}` })),
  });
  const { url } = await listen(0);
  process.send?.({ port: Number(new URL(url).port) });
}
