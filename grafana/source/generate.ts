import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DASHBOARDS, textOf } from './dashboards.ts';

const folder = process.argv[2] ?? join('grafana', 'dashboards');
await mkdir(folder, { recursive: true });
for (const [file, dashboard] of Object.entries(DASHBOARDS)) {
  await writeFile(join(folder, file), textOf(dashboard));
}
