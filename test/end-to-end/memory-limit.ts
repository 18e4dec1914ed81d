import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Command that runs a process with a memory limit. */
export interface MemoryLimit {
  /** Name of the limit, for messages. */
  readonly by: string;
  readonly command: readonly string[];
  readonly nodeFlags: readonly string[];
}

const [, CPU = '0'] = /^Cpus_allowed_list:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];

/** Returns the limits of the Helm chart and of the manifests: 1 GiB of memory and one CPU. */
export function shippedLimits(): MemoryLimit {
  const { by, command, nodeFlags } = memoryLimit(2 ** 30);
  return { by: `${by} and on one CPU`, command: [...command, 'taskset', '--cpu-list', CPU], nodeFlags };
}

/** Shell script that joins the control group in `$0`, and then executes the given command. */
const JOIN = 'echo $$ > "$0" && exec "$@"';

/**
 * Returns a memory limit like a container's: a control group that is removed when the test finishes. If none
 * can be created, V8's heap gets the limit that Node.js derives in a container of that size.
 */
function memoryLimit(bytes: number): MemoryLimit {
  const group = controlGroup(bytes);
  if (group !== undefined)
    return {
      by: 'a control group',
      command: ['/bin/sh', '-c', JOIN, join(group, 'cgroup.procs')],
      nodeFlags: [],
    };
  const heap = Math.floor(bytes / 2 ** 21);
  return { by: `a heap of ${heap} MiB`, command: [], nodeFlags: [`--max-old-space-size=${heap}`] };
}

function controlGroup(bytes: number): string | undefined {
  const ours = readFileSync('/proc/self/cgroup', 'utf8');
  const [, own1] = /^\d+:memory:(.*)$/m.exec(ours) ?? [];
  const [, own2] = /^0::(.*)$/m.exec(ours) ?? [];
  const candidates: [folder: string, file: string][] = [
    [join('/sys/fs/cgroup/memory', own1 ?? ''), 'memory.limit_in_bytes'],
    [join('/sys/fs/cgroup', own2 ?? ''), 'memory.max'],
  ];
  for (const [folder, file] of candidates) {
    if (!existsSync(join(folder, file)) && own1 === undefined) continue;
    const group = join(folder, `edge-exporter-test-${process.pid}-${Date.now()}`);
    try {
      mkdirSync(group);
    } catch {
      // Only root can create a control group.
      continue;
    }
    onTestFinished(() => rmdirSync(group));
    try {
      writeFileSync(join(group, file), String(bytes));
      return group;
    } catch {
      // In version 2, a control group that has processes cannot limit its child groups.
    }
  }
  return undefined;
}
