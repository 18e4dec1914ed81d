/** What it costs to read a large configuration, and how long nothing else has its turn meanwhile. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { systemClock } from '../../src/exporter/clock.ts';
import { ConfigInUse } from '../../src/exporter/configuration/config.ts';
import { CONFIG } from '../../src/exporter/configuration/schema.ts';
import { LongestBlock } from './cpu-wait.ts';
import { median } from './statistics.ts';

const SIZES = [1_000, 5_000];
/** Accounts in a file of `accounts_from`. */
const IN_A_FILE = 10;
const TIMES = 5;

interface Measured {
  readonly cpuMs: number;
  readonly longestMs: number;
  readonly longestOwnMs: number;
}

function account(index: number): string {
  return `  - name: account-${index}
    api_url: https://api-${index}.example.net
    token_file: /run/secrets/token-${index}
    quota: { reserve: 0.3 }
    collectors:
      metrics:
        schedule: "* * * * *"
        products:
          edge_applications:
            configurations: { include: ["shop-*"], exclude: ["*-staging"] }
            metrics: [cdn_requests, status_code, waf]
`;
}

function accounts(from: number, count: number): string {
  return `accounts:\n${Array.from({ length: count }, (_, index) => account(from + index)).join('')}`;
}

/** Medians of what `load` takes, and of the longest turn of the event loop in it. */
async function measure(load: (time: number) => Promise<unknown>): Promise<Measured> {
  const all: Measured[] = [];
  for (let time = 0; time < TIMES; time++) {
    const turns = new LongestBlock();
    let watching = true;
    const turn = () => {
      turns.turn();
      if (watching) setImmediate(turn);
    };
    turn();
    await new Promise(setImmediate);
    turns.take();
    const before = process.cpuUsage();
    await load(time);
    await new Promise(setImmediate);
    const { user, system } = process.cpuUsage(before);
    const { longest, longestOwn } = turns.take();
    watching = false;
    all.push({ cpuMs: (user + system) / 1_000, longestMs: longest, longestOwnMs: longestOwn });
  }
  return {
    cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
    longestMs: median(all.map(({ longestMs }) => longestMs)),
    longestOwnMs: median(all.map(({ longestOwnMs }) => longestOwnMs)),
  };
}

async function loadGood(inUse: ConfigInUse): Promise<void> {
  const loaded = await inUse.load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
}

const folder = mkdtempSync(join(tmpdir(), 'edge-exporter-bench-'));
const rows: string[] = [];
try {
  for (const size of SIZES) {
    const one = join(folder, `${size}.yaml`);
    const text = accounts(0, size);
    writeFileSync(one, text);
    const several = join(folder, `${size}-from.yaml`);
    const parts = join(folder, `${size}.d`);
    mkdirSync(parts);
    writeFileSync(several, `accounts_from: ${size}.d\n`);
    const part = (index: number) => join(parts, `${index}.yaml`);
    for (let index = 0; index < size / IN_A_FILE; index++)
      writeFileSync(part(index), accounts(index * IN_A_FILE, IN_A_FILE));
    const inOneTurn = async () => {
      CONFIG.parse(parseDocument(text, { merge: true, stringKeys: true, uniqueKeys: false }).toJS());
    };
    const ofOne = new ConfigInUse({ file: one, env: {} }, systemClock);
    const ofSeveral = new ConfigInUse({ file: several, env: {} }, systemClock);
    const report = (what: string, { cpuMs, longestMs, longestOwnMs }: Measured) => {
      rows.push(
        `| ${size} | ${what} | ${cpuMs.toFixed(0)} | ${longestMs.toFixed(1)} | ${longestOwnMs.toFixed(1)} |`,
      );
      process.stderr.write(`${rows.at(-1)}\n`);
    };
    report('YAML and schema in one turn, to compare', await measure(inOneTurn));
    report('one file', await measure(() => loadGood(ofOne)));
    await loadGood(ofSeveral);
    report(
      `${size / IN_A_FILE} files, one has changed`,
      await measure((time) => {
        writeFileSync(part(3), accounts(30 + (time + 1) * size, IN_A_FILE));
        return loadGood(ofSeveral);
      }),
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(
  `| accounts | read | CPU ms | longest turn ms | of its own |\n| --: | :-- | --: | --: | --: |\n`,
);
process.stdout.write(`${rows.join('\n')}\n`);
