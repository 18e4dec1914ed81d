import type { ClusterStatus } from '../cluster/member.ts';
import type { Cause } from '../facts/cause.ts';
import type { Facts } from '../facts/facts.ts';
import type { ConfigStatus, ReceiverStatus, StateStatus } from '../status.ts';
import type { AccountStatus, Status } from '../status-document.ts';
import { duration, grouped } from '../text/figures.ts';
import { clockTime, type Html, html, moment } from './html.ts';
import { addressOf } from './query.ts';

interface Remark {
  readonly severity: number;
  readonly mood: 'bad' | 'warn' | 'calm';
  /** Clause about the trouble, with the account's name if it concerns one. */
  readonly text: Html;
  /** Account whose state it explains; absent if it explains none. */
  readonly explains?: AccountStatus;
  /** Key that is equal for accounts in the same trouble; absent if it is not shared. */
  readonly trouble?: string;
  readonly next: Html;
  readonly lines?: readonly string[];
}

/** Severity by kind; the highest comes first. */
const SEVERITY = {
  down: 11,
  withheld: 10,
  refused: 9,
  late: 8,
  behind: 7,
  dropped: 6,
  starved: 5,
  failing: 4,
  config: 3,
  clock: 2,
  note: 1,
} as const;

/** Maximum number of findings on the page; the accounts below show the others. */
const MOST_FINDINGS = 5;

/** Renders the overall condition in one sentence, then the findings, the worst first, each with advice. */
export function verdictBox(status: Status, now: number): Html {
  const { accounts } = status;
  const findings = [
    ...exporterFindings(status, now),
    ...oncePerTrouble(accounts.flatMap((account) => accountFindings(account))),
  ].sort((a, b) => b.severity - a.severity);
  const [worst, ...others] = findings.slice(0, MOST_FINDINGS);
  const unsaid = findings.length - MOST_FINDINGS;
  return html`<div id="verdict" class="verdict ${worst?.mood ?? 'ok'}">
<p class="says" role="status">${sentence(accounts, worst, withoutAccounts(status))}.</p>
${worst === undefined ? '' : details(worst)}
${others.length === 0 ? '' : html`<ul>${others.map((finding) => html`<li>${finding.text}.${details(finding)}</li>`)}</ul>`}
${unsaid > 0 ? html`<p class="small">And ${grouped(unsaid)} more: see the accounts below.</p>` : ''}</div>`;
}

/** Returns the first finding of each shared trouble, with the number of other accounts in it. */
function oncePerTrouble(findings: readonly Remark[]): Remark[] {
  const alike = new Map<string | undefined, { readonly first: Remark; others: number }>();
  for (const finding of findings) {
    const known = alike.get(finding.trouble);
    if (known === undefined) alike.set(finding.trouble, { first: finding, others: 0 });
    else known.others += 1;
  }
  return Array.from(alike.values(), ({ first, others }) => {
    if (others === 0) return first;
    const those = others === 1 ? 'another account' : `${grouped(others)} other accounts`;
    return { ...first, text: html`${first.text}; the same goes for ${those}` };
  });
}

/** Returns the severity of an account's worst cause; 0 if there is none. */
export function severityOf({ facts }: AccountStatus): number {
  return Math.max(0, ...facts.causes.map((cause, index) => severityOfCause(cause, facts, index === 0)));
}

/** Compares accounts for sorting, the worst first. */
export function worstFirst(a: AccountStatus, b: AccountStatus): number {
  return severityOf(b) - severityOf(a) || b.facts.tally.failing - a.facts.tally.failing;
}

/** Returns why there is no account. Other replicas or shards may have some. */
export function withoutAccounts({ cluster, shard }: Pick<Status, 'cluster' | 'shard'>): string {
  if (cluster !== undefined) return 'This replica has no account now';
  return shard === undefined ? 'No account is configured' : 'This shard has no account';
}

function sentence(accounts: readonly AccountStatus[], worst: Remark | undefined, none: string): Html {
  const [only, ...more] = accounts;
  if (only === undefined) {
    return worst === undefined ? html`${none}` : html`${none}; ${worst.text}`;
  }
  if (more.length === 0) {
    const says = html`<bdi>${only.name}</bdi> <bdi>${marked(only.facts.says)}</bdi>`;
    return worst === undefined || worst.explains !== undefined ? says : html`${says}; ${worst.text}`;
  }
  const fresh = accounts.filter(({ facts }) => facts.state === 'well').length;
  const ages = accounts.flatMap(({ facts }) => facts.tally.oldestSeconds ?? []);
  const oldest = ages.length === 0 ? '' : `: the oldest data is ${duration(Math.max(...ages))} old`;
  const all = grouped(accounts.length);
  const freshness =
    fresh === accounts.length
      ? `All ${all} accounts are fresh${oldest}`
      : `${grouped(fresh)} of ${all} accounts are fresh`;
  return worst === undefined ? html`${freshness}` : html`${freshness}; ${worst.text}`;
}

function details({ next, lines = [] }: Remark): Html {
  const listed = lines.map((line) => html`<li><bdi>${line}</bdi></li>`);
  return html`<p class="next">${next}</p>${lines.length === 0 ? '' : html`<ul class="lines">${listed}</ul>`}`;
}

/** Returns the findings of an account, one for each cause. */
function accountFindings(account: AccountStatus): Remark[] {
  const { facts } = account;
  const { causes, says, state } = facts;
  return causes.map((cause, index) => {
    const explains = index === 0;
    const severity = severityOfCause(cause, facts, explains);
    return {
      severity,
      mood: severity >= SEVERITY.refused ? 'bad' : severity >= SEVERITY.clock ? 'warn' : 'calm',
      text: html`<bdi>${account.name}</bdi>${explains && state !== 'well' ? ' ' : ': '}<bdi>${marked(explains && state !== 'well' ? says : cause.text)}</bdi>`,
      ...(explains && { explains: account }),
      trouble: `${state} ${cause.kind} ${explains} ${cause.alike ?? ''}`,
      next: html`${marked(cause.next)}${which(cause, account)}`,
      lines: cause.symptoms,
    };
  });
}

function severityOfCause({ kind }: Cause, { state }: Pick<Facts, 'state'>, explains: boolean): number {
  if (kind === 'nothing_there' || kind === 'first_polls') return SEVERITY.note;
  if (explains && (state === 'no_data' || state === 'down')) return SEVERITY.down;
  switch (kind) {
    case 'rate_limited':
      return SEVERITY.refused;
    case 'platform_late':
    case 'exporter_late':
    case 'not_read_yet':
      return SEVERITY.late;
    case 'counters_behind':
    case 'rows_missing':
      return SEVERITY.behind;
    case 'quota':
      return state === 'late' ? SEVERITY.late : SEVERITY.note;
    case 'clock':
    case 'platform_clock':
      return SEVERITY.clock;
    default:
      return explains && state === 'late' ? SEVERITY.late : SEVERITY.failing;
  }
}

/** Renders a link to the jobs that a cause covers. */
function which({ kind, symptoms, jobs }: Cause, { name }: AccountStatus): Html {
  const show =
    kind === 'counters_behind'
      ? 'behind'
      : kind === 'not_read_yet'
        ? 'new'
        : symptoms.some((text) => text.includes(' fail'))
          ? 'failing'
          : 'late';
  if (jobs === 0 || (symptoms.length === 0 && show !== 'behind' && show !== 'new')) return html``;
  return html` <a href="${addressOf({ account: name, jobs: show })}">See which</a>.`;
}

/** Renders text in which backticks mark literal text. */
export function marked(text: string): Html {
  const pieces = text.split('`');
  return html`${pieces.map((piece, index) => (index % 2 === 1 && index < pieces.length - 1 ? html`<code>${piece}</code>` : piece))}`;
}

function exporterFindings(status: Status, now: number): Remark[] {
  const { config, state, cluster, series_dropped: dropped, push } = status;
  const found = [
    cluster === undefined ? stateFinding(state) : databaseFinding(state, cluster),
    configFinding(config, now),
    droppedFinding(dropped),
    ...push.map((receiver) => receiverFinding(receiver, now)),
  ];
  return found.filter((remark) => remark !== undefined);
}

/** Wait (ms) of a queue from which it is a finding. Shorter waits come with every restart of a receiver. */
const LONG_WAIT_MS = 5 * 60_000;

function receiverFinding(
  { name, oldest_waiting_at: oldest, note }: ReceiverStatus,
  now: number,
): Remark | undefined {
  if (oldest === null || now - Date.parse(oldest) < LONG_WAIT_MS) return undefined;
  return {
    severity: SEVERITY.late,
    mood: 'warn',
    text: html`samples have waited for the receiver <bdi class="mono">${name}</bdi> since ${clockTime(oldest, now)}`,
    next: html`They arrive, each at its own time, when it takes them again. Scrapes are not affected.`,
    lines: note === '' ? [] : [note],
  };
}

function stateFinding({ kind, directory, note, refusal }: StateStatus): Remark | undefined {
  if (refusal !== undefined) {
    return {
      severity: SEVERITY.withheld,
      mood: 'bad',
      text: html`counters stand still: the state directory <bdi class="mono">${directory}</bdi> cannot be written`,
      next: html`Make room, or make it writable: counters catch up as soon as it can be written. Gauges are not affected.`,
      lines: [refusal],
    };
  }
  if (kind === 'unavailable') {
    return {
      severity: SEVERITY.withheld,
      mood: 'bad',
      text: html`counters are withheld: the state directory <bdi class="mono">${directory}</bdi> cannot be used`,
      next: html`Make it exist, writable and with room: counters go on where they were as soon as it can be used. Gauges are not affected.`,
      lines: note === undefined ? [] : [note],
    };
  }
  if (kind === 'memory' || note === undefined) return undefined;
  return {
    severity: SEVERITY.note,
    mood: 'warn',
    text: html`counters started from zero`,
    next: html`<code>rate()</code> takes it for a restart; nothing is to be done unless the old state can be brought back.`,
    lines: [note],
  };
}

function databaseFinding({ kind, directory }: StateStatus, cluster: ClusterStatus): Remark | undefined {
  if (kind !== 'unavailable') return undefined;
  const database = html`the database <bdi class="mono">${directory}</bdi>`;
  const finding = { severity: SEVERITY.down, mood: 'bad', lines: [cluster.note] } as const;
  if (cluster.lease_left_seconds > 0)
    return {
      ...finding,
      text: html`not all accounts are polled: ${database} holds what cannot be loaded`,
      next: html`Mend the database: polling, and counters, then go on where they were. What is damaged for good can be deleted; counters of that account then begin anew.`,
    };
  return {
    ...finding,
    text: html`nothing is polled here: ${database} cannot be used`,
    next: html`Start it, or mend the way to it: polling, and counters, then go on where they were. Replicas that reach it poll meanwhile.`,
  };
}

function configFinding(config: ConfigStatus, now: number): Remark | undefined {
  if (config.last_reload_successful) return undefined;
  return {
    severity: SEVERITY.config,
    mood: 'warn',
    text: html`the last reload of the configuration failed; the one loaded ${moment(config.loaded_at, now)} is in force`,
    next: html`Correct <bdi class="mono">${config.source}</bdi>, try it with <code>edge-exporter check-config</code>, and reload.`,
    lines: config.issues,
  };
}

function droppedFinding(dropped: number): Remark | undefined {
  if (dropped === 0) return undefined;
  return {
    severity: SEVERITY.dropped,
    mood: 'warn',
    text: html`${grouped(dropped)} series are dropped, since the limit is reached`,
    next: html`Raise <code>limits.series</code>, or select fewer configurations or metrics.`,
  };
}
