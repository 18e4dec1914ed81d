import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Way in which a disk fails a process until it is repaired. */
export interface DiskFailure {
  readonly name: string;
  readonly reason: RegExp;
  /** True if commits can continue during the failure. */
  readonly canBeBorne?: boolean;
  /**
   * Returns true if tests can cause the failure here.
   * @param directory directory of the state
   */
  isPossible(directory: string): boolean;
  strike(pid: number, directory: string): Promise<{ mend(): Promise<void> }>;
}

const isRoot = process.getuid?.() === 0;
const has = (command: string) => spawnSync(command, ['--version']).status === 0;

const fileSizeLimit: DiskFailure = {
  name: 'no file may grow',
  reason: /disk I\/O error|full/,
  isPossible: () => has('prlimit'),
  async strike(pid) {
    execFileSync('prlimit', [`--pid=${pid}`, '--fsize=4096:']);
    return {
      mend: async () => void spawnSync('prlimit', [`--pid=${pid}`, '--fsize=unlimited:']),
    };
  },
};

const SMALL_DISK = 8 * 2 ** 20;

/** Mounts a small disk at the directory. Without the permission, it prints a message and mounts nothing. */
export function mountSmallDisk(directory: string): void {
  const args = ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', directory];
  const { status, stderr } = spawnSync('mount', args);
  if (status === 0) return;
  process.stderr.write(`no full disk is tried: ${directory} cannot be a disk of its own: ${stderr}\n`);
}

function isSmallDisk(directory: string): boolean {
  const { blocks, bsize } = statfsSync(directory);
  return blocks * bsize <= SMALL_DISK;
}

const fullDisk: DiskFailure = {
  name: 'the disk is full',
  reason: /full/,
  canBeBorne: true,
  isPossible: isSmallDisk,
  async strike(_pid, directory) {
    const ballast = join(directory, '.ballast');
    fill(ballast, directory);
    return { mend: async () => rmSync(ballast) };
  },
};

function fill(ballast: string, directory: string): void {
  for (;;) {
    const { bavail, bsize } = statfsSync(directory);
    if (bavail === 0) return;
    try {
      writeFileSync(ballast, Buffer.alloc(bavail * bsize), { flag: 'a' });
    } catch {
      // The process itself has used the free space in the meantime.
    }
  }
}

function systemCalls(name: string, error: 'EIO' | 'EROFS' | 'ENOSPC', calls: string): DiskFailure {
  return injected(name, /disk I\/O error|full|readonly|cannot be read/, `${calls}:error=${error}`);
}

/** Failure in which writes and syncs hang for a minute, or until the disk is repaired. */
export const HANGING_DISK: DiskFailure = injected(
  'it hangs',
  /the disk has not responded for 10 s/,
  'pwrite64,fsync,fdatasync:delay_enter=60000000',
);

/** True if tests can make system calls fail. */
export const canInject = isRoot && has('strace');

function injected(name: string, reason: RegExp, injection: string): DiskFailure {
  return {
    name,
    reason,
    isPossible: () => canInject,
    async strike(pid) {
      const strace = spawn('strace', ['-f', '-p', `${pid}`, '-o', '/dev/null', '-e', `inject=${injection}`], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      // strace ends with the process, possibly before the disk works again.
      const closed = once(strace, 'close');
      await Promise.race([once(strace.stderr, 'data'), closed]);
      return {
        async mend() {
          strace.kill('SIGINT');
          await closed;
        },
      };
    },
  };
}

export const DISK_FAILURES: readonly DiskFailure[] = [
  fileSizeLimit,
  fullDisk,
  systemCalls('writes fail', 'EIO', 'pwrite64'),
  { ...systemCalls('reads fail', 'EIO', 'pread64'), canBeBorne: true },
  systemCalls('syncs fail', 'EIO', 'fsync,fdatasync'),
  systemCalls('writes and syncs fail', 'EIO', 'pwrite64,fsync,fdatasync,ftruncate'),
  systemCalls('it is read-only', 'EROFS', 'pwrite64,ftruncate,fallocate,unlink'),
  systemCalls('syncs find it full', 'ENOSPC', 'fsync,fdatasync'),
];
