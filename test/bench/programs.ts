/** Starts the programs that benchmarks measure. Benchmarks are compiled to `.cache/bench/test/bench`. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolPath } from '../end-to-end/tools.ts';
import { type Server, startProgram } from './processes.ts';

export const ROOT = join(import.meta.dirname, '..', '..', '..', '..');

const NODE_FLAGS = (process.env['NODE_FLAGS'] ?? '--no-memory-reducer')
  .split(' ')
  .filter((flag) => flag !== '');

/** Starts the exporter as users do, with a configuration in `folder`, and watches its event loop. */
export function startWatchedExporter(
  folder: string,
  configuration: object,
  ...flags: readonly string[]
): Promise<Server> {
  const preload = `--import=${join(import.meta.dirname, 'block-watch.js')}`;
  const args = argumentsOf(folder, configuration, flags);
  return startProgram('exporter', process.execPath, (address) => [preload, ...args(address)], 'ipc');
}

function argumentsOf(folder: string, configuration: object, flags: readonly string[]) {
  const text = JSON.stringify(configuration);
  const file = join(folder, `exporter-${createHash('sha256').update(text).digest('hex').slice(0, 8)}.yaml`);
  writeFileSync(file, text);
  return (address: string) => [
    ...NODE_FLAGS,
    join(ROOT, 'dist', 'main.js'),
    'serve',
    `--config.file=${file}`,
    `--web.listen-address=${address}`,
    '--log.level=error',
    ...flags,
  ];
}

/** Starts a Prometheus that receives remote write. Creates `folder` for its data. */
export function startReceiver(
  folder: string,
  configuration = {},
  path = toolPath('prometheus'),
): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'receiver.yml');
  writeFileSync(file, JSON.stringify(configuration));
  return startProgram('receiver', path, (address) => [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'tsdb')}`,
    `--web.listen-address=${address}`,
    '--web.enable-remote-write-receiver',
    '--log.level=error',
  ]);
}
