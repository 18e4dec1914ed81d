import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { beginProgram } from './call-program.ts';

function begin(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ending = new AbortController();
  const running = beginProgram(['serve', ...args], { signal: ending.signal, env });
  return { ...running, end: () => ending.abort() };
}

test('it listens on every address that is given, and says so', async () => {
  const addresses = ['--web.listen-address=127.0.0.1:0', '--web.listen-address=localhost:0'];
  const { exitCode, end, err } = begin(['--sandbox', ...addresses]);
  const urls = () => [...err().matchAll(/msg=listening address=(\S+)/g)].map(([, url]) => url);
  await eventually('it listens', () => urls().length === 2);
  for (const url of urls()) expect((await fetch(`${url}/-/healthy`)).status).toBe(200);
  end();
  expect(await exitCode).toBe(0);
});

test('a replica whose database does not answer says so on its page and in its metrics', async () => {
  const database = 'postgres://edge@127.0.0.1:1/edge';
  const { exitCode, end, err } = begin([
    '--sandbox',
    `--state.url=${database}`,
    '--web.listen-address=127.0.0.1:0',
  ]);
  const url = () => /msg=listening address=(\S+)/.exec(err())?.[1];
  await eventually('it listens', () => url() !== undefined);
  const textOf = async (path: string) => (await fetch(`${url()}${path}`)).text();
  await eventually('its state is measured', async () =>
    (await textOf('/metrics')).includes('state_durable{'),
  );
  expect(await textOf('/metrics')).toContain(`edge_exporter_state_durable{directory="${database}"} 0\n`);
  const page = (await textOf('/')).replaceAll(/<[^>]+>/g, '');
  expect(page).toContain(
    `This replica has no account now; nothing is polled here: the database ${database} cannot be used.`,
  );
  expect(page).toContain('this replica holds no lease: connect ECONNREFUSED');
  end();
  expect(await exitCode).toBe(0);
});

test.each([
  ['--shard=1/3', 'accounts'],
  ['--shard.configurations=1/3', 'configurations'],
])('%s is told in the log, on the page and as a metric', async (flag, by) => {
  const address = '--web.listen-address=127.0.0.1:0';
  const env = { EDGE_API_URL: 'http://127.0.0.1:1', EDGE_TOKEN: 'none' };
  const { exitCode, end, err } = begin([flag, address], env);
  const url = () => /msg=listening address=(\S+)/.exec(err())?.[1];
  await eventually('it listens', () => url() !== undefined);
  expect(err()).toMatch(new RegExp(`msg="this process is a shard: others poll the rest" shard=1/3 by=${by}`));
  const textOf = async (path: string) => (await fetch(`${url()}${path}`)).text();
  expect(await textOf('/metrics')).toContain(`edge_exporter_shard_info{shard="1",of="3",by="${by}"} 1\n`);
  expect((await textOf('/')).replaceAll(/<[^>]+>/g, '')).toContain(`1/3its part of the ${by}`);
  end();
  expect(await exitCode).toBe(0);
});

test('an address that is not to be had among several ends it, and the others are closed', async () => {
  const { exitCode, err } = begin([
    '--sandbox',
    '--web.listen-address=127.0.0.1:0',
    '--web.listen-address=192.0.2.1:9801',
  ]);
  expect(await exitCode).toBe(1);
  expect(err()).toContain('error: cannot listen on 192.0.2.1:9801');
});
