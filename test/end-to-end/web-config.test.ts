import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { hash } from '@node-rs/bcrypt';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { configFile } from './config-file.ts';
import { startExporter } from './exporter-process.ts';
import { startPrometheus } from './prometheus.ts';

const CERTIFICATES = join(import.meta.dirname, '..', 'certificates');
const CA_FILE = join(CERTIFICATES, 'ca.pem');
const [USER, PASSWORD] = ['prometheus', 'scrape: it!'];

function statusOf(url: string, auth?: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { ca: readFileSync(CA_FILE), agent: false, ...(auth === undefined ? {} : { auth }) };
    get(url, options, (response) => resolve(response.resume().statusCode)).once('error', reject);
  });
}

it('is scraped over TLS by a Prometheus that knows the password, and by no other', async () => {
  const web = await configFile({
    tls_server_config: {
      cert_file: join(CERTIFICATES, 'server.pem'),
      key_file: join(CERTIFICATES, 'server.key'),
    },
    basic_auth_users: { [USER]: await hash(PASSWORD, 10) },
  });
  const exporter = await startExporter({
    args: ['serve', '--sandbox', `--web.config.file=${web.path}`],
    answers: async (address) => (await statusOf(`${address}/-/healthy`)) === 401,
  });
  onTestFinished(async () => void (await exporter.stop()));
  expect(exporter.url).toMatch(/^https:/);
  for (const path of ['/', '/metrics', '/api/v1/status', '/-/ready', '/-/reload', '/nothing']) {
    expect(await statusOf(`${exporter.url}${path}`), path).toBe(401);
    expect(await statusOf(`${exporter.url}${path}`, `${USER}:wrong`), path).toBe(401);
  }

  const scraped = { static_configs: [{ targets: [exporter.target] }] };
  const secure = { ...scraped, scheme: 'https', tls_config: { ca_file: CA_FILE } };
  const prometheus = await startPrometheus({
    scrapeConfigs: [
      { ...secure, job_name: 'edge', basic_auth: { username: USER, password: PASSWORD } },
      { ...secure, job_name: 'without-password' },
      { ...scraped, job_name: 'without-tls' },
    ],
  });
  onTestFinished(() => prometheus.stop());
  // `edge_up` has no value before the platform's first answer.
  const up = () => prometheus.value('edge_up{job="edge"}');
  expect(await eventually('a scrape tells whether the platform answers', up)).toBe(1);
  // On a busy machine, one scrape may exceed its timeout of one second.
  const targets = await eventually('all were scraped, and the one with the password in time', async () => {
    const found = await prometheus.targets();
    const isOver = found.every(({ health }) => health !== 'unknown');
    return isOver && found.some(({ health }) => health === 'up') && found;
  });
  expect(Object.fromEntries(targets.map(({ labels, lastError }) => [labels['job'], lastError]))).toEqual({
    edge: '',
    'without-password': expect.stringContaining('401'),
    'without-tls': expect.stringMatching(/./),
  });
});
