import { spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RunningProcess, runToEnd, startProcess } from './child-process.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const COPIED = ['package.json', 'LICENSE'];

/**
 * Builds the image in a folder by the Dockerfile's steps, without Docker. `/app` has the dependencies of `npm
 * ci --omit=dev --ignore-scripts`; Node.js and the libraries are those of this system.
 */
export async function buildImage(folder: string): Promise<void> {
  const app = join(folder, 'app');
  await mkdir(app, { recursive: true });
  await cp(join(ROOT, 'package-lock.json'), join(app, 'package-lock.json'));
  for (const name of COPIED) await cp(join(ROOT, name), join(app, name), { recursive: true });
  const build = [join(ROOT, 'node_modules/.bin/rolldown'), '--config', `--dir=${join(app, 'dist')}`];
  const built = await runToEnd({ path: process.execPath, args: build, cwd: ROOT });
  if (built.code !== 0) throw new Error(built.stderr);
  const install = ['ci', '--omit=dev', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { code, stderr } = await runToEnd({ path: 'npm', args: install, cwd: app });
  if (code !== 0) throw new Error(stderr);
  spawnSync('rm', [join(app, 'package-lock.json')]);
  const [, tidied] =
    /^RUN (find node_modules .+)$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
  if (tidied === undefined) throw new Error('the Dockerfile leaves all of the dependencies in the image');
  const tidying = await runToEnd({ path: '/bin/sh', args: ['-c', tidied], cwd: app });
  if (tidying.code !== 0) throw new Error(tidying.stderr);
  for (const name of ['usr', 'etc', 'dev', 'proc', 'state', 'node']) await mkdir(join(folder, name));
  for (const name of ['bin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(folder, name));
  await cp(process.execPath, join(folder, 'node', 'node'));
}

/**
 * Script that runs a container like `docker run --read-only --user 1000:1000 --cap-drop ALL`, with or without
 * a volume at /state.
 */
const RUN = `
set -eu
mount --make-rprivate /
mount --bind "$IMAGE" "$IMAGE"
for name in usr etc dev; do mount --rbind "/$name" "$IMAGE/$name"; done
mount -o remount,bind,ro "$IMAGE/usr"
mount -t proc proc "$IMAGE/proc"
if [ -n "$VOLUME" ]; then mount --bind "$VOLUME" "$IMAGE/state"; fi
mount -o remount,bind,ro "$IMAGE"
exec chroot "$IMAGE" /usr/bin/setpriv --reuid=1000 --regid=1000 --clear-groups --bounding-set=-all --no-new-privs \\
  /usr/bin/env -i PATH=/usr/bin NODE_ENV=production EDGE_EXPORTER_STATE_DIR=/state /node/node /app/dist/main.js "$@"
`;

export interface Container {
  readonly process: RunningProcess;
  /** Returns the process id, on this system, of the container's process 1. */
  readonly pid: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Runs the image's program as process 1 of its own namespaces. Requires root. */
export async function runImage(folder: string, args: readonly string[], volume?: string): Promise<Container> {
  const script = join(folder, '..', 'run.sh');
  await writeFile(script, RUN);
  const running = await startProcess({
    path: 'unshare',
    args: ['--mount', '--pid', '--fork', '/bin/sh', script, ...args],
    env: { PATH: process.env['PATH'], IMAGE: folder, VOLUME: volume ?? '' },
  });
  const pid = async () =>
    Number((await readFile(`/proc/${running.pid}/task/${running.pid}/children`, 'utf8')).trim());
  const stop = async () => {
    // Ending `unshare` would not end the program, because the change of user disables --kill-child.
    if (running.running()) process.kill(await pid(), 'SIGKILL');
    await running.ended;
  };
  return { process: running, pid, stop };
}
