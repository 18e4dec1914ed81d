import type { MinuteSamples } from '../../../src/rules/rehearse/history.ts';

/** Returns series as OpenMetrics text, as `backfill` writes it. */
export function openMetrics(series: readonly MinuteSamples[]): string {
  const families = new Map<string, string[]>();
  for (const { name, labels, times, values } of series) {
    const text = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
    const lines = [...times].map((at, index) => `${name}{${text.join(',')}} ${values[index]} ${at / 1_000}`);
    families.set(name, [...(families.get(name) ?? []), ...lines]);
  }
  const parts = [...families].map(([name, lines]) => `# TYPE ${name} gauge\n${lines.join('\n')}\n`);
  return `${parts.join('')}# EOF\n`;
}
