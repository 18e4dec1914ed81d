import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { families } from '../../src/exporter/catalogue/catalogue.ts';
import {
  DISCOVERY_FAMILIES,
  LEARNED_FAMILIES,
  PLATFORM_FAMILIES,
} from '../../src/exporter/catalogue/platform-families.ts';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import type { FamilyMetadata } from '../../src/exporter/exposition/text-format.ts';
import { ownFamilies, processFamilies } from '../reference/exported-families.ts';

const OF_PROMETHEUS = ['up', 'scrape_duration_seconds', 'ALERTS', 'ALERTS_FOR_STATE'];

let known: ReadonlySet<string> | undefined;

/** Returns the names of all series that the exporter, Prometheus, and the recording rules can have. */
export function knownMetrics(): ReadonlySet<string> {
  // The names are cached, because reading the rules takes a second.
  known ??= allNames();
  return known;
}

function allNames(): ReadonlySet<string> {
  const selfMetrics = [...ownFamilies().flatMap(seriesNames), ...processFamilies()];
  const settings = Object.values(COLLECTORS).flatMap((collector) => collector.families);
  const platform = [
    ...families(),
    ...PLATFORM_FAMILIES,
    ...DISCOVERY_FAMILIES,
    ...LEARNED_FAMILIES,
    ...settings,
  ].map(({ name }) => name);
  return new Set([...selfMetrics, ...platform, ...recorded(), ...OF_PROMETHEUS]);
}

function seriesNames({ name, type }: FamilyMetadata): string[] {
  if (type === 'histogram') return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
  return type === 'summary' ? [name, `${name}_sum`, `${name}_count`] : [name];
}

const RULES = join(import.meta.dirname, '..', '..', 'config', 'prometheus');

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly record?: string }[] }[];
}

function recorded(): string[] {
  const files = readdirSync(RULES).filter((file) => file.endsWith('.rules.yml'));
  return files
    .map((file) => parse(readFileSync(join(RULES, file), 'utf8')) as RuleFile)
    .flatMap(({ groups }) => groups.flatMap(({ rules }) => rules.flatMap(({ record }) => record ?? [])));
}
