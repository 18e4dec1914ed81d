import { expect, test } from 'vitest';
import { eventually } from '../eventually.ts';
import { beginProgram } from './call-program.ts';

function begin(args: readonly string[]) {
  const ending = new AbortController();
  const running = beginProgram(['serve', ...args], { signal: ending.signal });
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

test('an address that is not to be had among several ends it, and the others are closed', async () => {
  const { exitCode, err } = begin([
    '--sandbox',
    '--web.listen-address=127.0.0.1:0',
    '--web.listen-address=192.0.2.1:9801',
  ]);
  expect(await exitCode).toBe(1);
  expect(err()).toContain('error: cannot listen on 192.0.2.1:9801');
});
