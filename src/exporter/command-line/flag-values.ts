import { z } from 'zod';
import type { Shard } from '../cluster/shard.ts';
import { SWITCH } from '../configuration/environment.ts';
import { parseDuration } from '../text/figures.ts';
import { parseListenAddress } from '../web/listen-address.ts';

/** Type of a flag's values: how to parse and describe them. */
export interface FlagValue<Value> {
  /** Placeholder of the value in the help; a flag without one is a switch. */
  readonly placeholder?: string;
  /** Placeholder in the help for the optional value of a switch. */
  readonly option?: string;
  readonly expected: string;
  /** True if the flag may be repeated, which is the same as values separated by commas. */
  readonly repeatable?: true;
  parse(text: string): Value | undefined;
}

/** On or off. */
export const onOff: FlagValue<boolean> = {
  expected: 'true or false',
  parse: (text) => SWITCH[text],
};

/** Selected receivers: none, all, or one by name. */
export type ReceiverChoice = 'none' | 'all' | { readonly name: string };

/** A switch with an optional receiver name. */
export const receiverChoice: FlagValue<ReceiverChoice> = {
  option: 'receiver',
  expected: 'nothing, or the name of a receiver',
  parse(given) {
    const isOn = SWITCH[given];
    if (isOn !== undefined) return isOn ? 'all' : 'none';
    return given === '' ? undefined : { name: given };
  },
};

/** Returns a flag type for any text except the empty one. */
export function text(placeholder: string): FlagValue<string> {
  return { placeholder, expected: 'a value', parse: (given) => (given === '' ? undefined : given) };
}

/** Returns a flag type that accepts exactly one of the given words. */
export function oneOf<const Word extends string>(words: readonly Word[]): FlagValue<Word> {
  return {
    placeholder: words.join('|'),
    expected: words.join(', '),
    parse: (given) => words.find((word) => word === given),
  };
}

/** A whole number from 0. */
export const count: FlagValue<number> = {
  placeholder: 'count',
  expected: 'a whole number that is not negative',
  parse(given) {
    const value = Number(given);
    return /^\d+$/.test(given) && Number.isSafeInteger(value) ? value : undefined;
  },
};

/** A whole number from 1. */
export const positive: FlagValue<number> = {
  placeholder: 'count',
  expected: 'a whole number from 1',
  parse: (given) => count.parse(given) || undefined,
};

/** Index of one of several processes: `2/5` is the third of five. */
export const shardOfAll: FlagValue<Shard> = {
  placeholder: 'index/count',
  expected: 'a shard such as "0/3", the first of three; the last is "2/3"',
  parse(given) {
    const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(given) ?? [];
    const shard = { index: Number(index), of: Number(of) };
    return shard.index < shard.of ? shard : undefined;
  },
};

/** A default number, and numbers by name. */
export interface Counts {
  readonly usual: number;
  readonly named: ReadonlyMap<string, number>;
}

/** Maximum number of a count, more than any account has. A plan of some hundred millions would exhaust the memory. */
const MOST_COUNTED = 1_000_000;

/** Counts by name, and one without a name as the default for all others (or else 0): `10,edge_applications=40`. */
export const counts: FlagValue<Counts> = {
  placeholder: 'counts',
  expected: 'counts of at most 1000000, such as "10" or "10,edge_applications=40"',
  parse(given) {
    const entries = given.split(',').map((part) => {
      const [, name = '', digits = ''] = /^(?:([\w-]+)=)?(\d+)$/.exec(part.trim()) ?? [];
      return [name, count.parse(digits)] as const;
    });
    const named = new Map<string, number>();
    for (const [name, value] of entries) {
      if (value === undefined || value > MOST_COUNTED || named.has(name)) return undefined;
      named.set(name, value);
    }
    return { usual: named.get('') ?? 0, named };
  },
};

/** An absolute URL path. */
export const urlPath: FlagValue<string> = {
  placeholder: 'path',
  expected: 'a path such as "/metrics"',
  parse: (given) => (/^\/[\w\-.~/]*$/.test(given) ? given : undefined),
};

/** URL of an HTTP API, without a trailing slash. It has no login, which would be visible in process lists. */
export const httpAddress: FlagValue<string> = {
  placeholder: 'url',
  expected: 'an address such as "http://localhost:9090", without a login',
  parse(given) {
    if (!/^https?:\/\//.test(given) || !URL.canParse(given)) return undefined;
    const { username, password, search, hash } = new URL(given);
    return username + password + search + hash === '' ? given.replace(/\/+$/, '') : undefined;
  },
};

const MOMENT = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/** A point in time: a date, or a date and a time with its zone, in ms since the epoch. */
export const moment: FlagValue<number> = {
  placeholder: 'time',
  expected: 'a time such as "2025-01-31" or "2025-01-31T12:00:00Z"',
  parse: (given) => (MOMENT.safeParse(given).success ? Date.parse(given) : undefined),
};

/** Labels by name. None may start with two underscores, which Prometheus reserves. */
export const labelSet: FlagValue<Readonly<Record<string, string>>> = {
  placeholder: 'name=value,...',
  expected: 'labels such as "job=edge-exporter,instance=exporter:9801", each name once',
  parse(given) {
    const pairs = given.split(',').map((pair) => /^(?!__)([a-zA-Z_]\w*)=(.+)$/.exec(pair));
    const entries = pairs.flatMap((pair) =>
      pair === null ? [] : [[String(pair[1]), String(pair[2])] as const],
    );
    return new Map(entries).size === pairs.length ? Object.fromEntries(entries) : undefined;
  },
};

/** An address that a server listens on, in the form of `parseListenAddress`. */
export const listenAddress: FlagValue<string> = {
  placeholder: 'address',
  expected: 'an address such as ":9801" or "127.0.0.1:9801"',
  parse: (given) => (parseListenAddress(given) === undefined ? undefined : given),
};

/** One or several addresses that a server listens on. */
export const listenAddresses: FlagValue<readonly string[]> = {
  ...listenAddress,
  repeatable: true,
  parse: (given) => (given.split(',').every(parseListenAddress) ? given.split(',') : undefined),
};

/** Host names in lower case; `*.` in front matches every subdomain. */
export const hostNames: FlagValue<readonly string[]> = {
  placeholder: 'name',
  expected: 'names such as "exporter.example.net" or "*.example.net", without a port',
  repeatable: true,
  parse(given) {
    const names = given.toLowerCase().split(',');
    return names.every((name) => /^(\*\.)?[\w-]+(\.[\w-]+)*$/.test(name)) ? names : undefined;
  },
};

/** A duration above 0 in the form of the configuration; milliseconds. */
export const timeSpan: FlagValue<number> = {
  placeholder: 'duration',
  expected: 'a duration such as "30s" or "5m"',
  parse: (given) => parseDuration(given) || undefined,
};
