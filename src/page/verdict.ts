import type { Status } from '../status.ts';
import { duration } from '../text/duration.ts';
import { accountFindings } from './account-findings.ts';
import { exporterFindings } from './exporter-findings.ts';
import { bySeverity, type Finding } from './finding.ts';
import { type Html, html } from './html.ts';
import type { TalliedAccount } from './job-totals.ts';
import { grouped } from './time-format.ts';

/** Findings on the page at most; the accounts below tell the rest. */
const MOST_FINDINGS = 5;

/** Whether an account is up and none of its data older than expected. */
export function isFresh({ account, tally }: TalliedAccount): boolean {
  return account.up === true && tally.late === 0;
}

/** In one sentence how things are, and then what is wrong, the worst first, each with what to do next. */
export function verdictBox(status: Status, accounts: readonly TalliedAccount[], now: number): Html {
  const findings = findingsOf(status, accounts, now);
  const [worst, ...others] = findings.slice(0, MOST_FINDINGS);
  const unsaid = findings.length - MOST_FINDINGS;
  return html`<div id="verdict" class="verdict ${worst?.mood ?? 'ok'}">
<p class="says" role="status">${sentence(accounts, worst)}.</p>
${worst === undefined ? '' : details(worst)}
${others.length === 0 ? '' : html`<ul>${others.map((finding) => html`<li>${clause(finding)}.${details(finding)}</li>`)}</ul>`}
${unsaid > 0 ? html`<p class="small">And ${grouped(unsaid)} more: see the accounts below.</p>` : ''}</div>`;
}

/** All that is wrong, the worst first. */
function findingsOf(status: Status, accounts: readonly TalliedAccount[], now: number): Finding[] {
  const ofAccounts = accounts.flatMap((account) => accountFindings(account, now));
  return [...exporterFindings(status, now), ...ofAccounts].sort(bySeverity);
}

function sentence(accounts: readonly TalliedAccount[], worst: Finding | undefined): Html {
  if (worst === undefined) return freshness(accounts);
  const soleTrouble = accounts.length === 1 && worst.account !== undefined && !accounts.every(isFresh);
  return soleTrouble ? clause(worst) : html`${freshness(accounts)}; ${clause(worst, accounts.length)}`;
}

/** How many accounts are fresh, and how old the oldest data is where that is all of them. */
function freshness(accounts: readonly TalliedAccount[]): Html {
  const [only, ...others] = accounts;
  if (only === undefined) return html`No account is configured`;
  const fresh = accounts.filter(isFresh).length;
  const subject =
    others.length === 0 ? html`<bdi>${only.account.name}</bdi> is` : `All ${accounts.length} accounts are`;
  if (fresh === accounts.length) return html`${subject} fresh${oldest(accounts)}`;
  return others.length === 0
    ? html`${subject} not fresh`
    : html`${fresh} of ${accounts.length} accounts are fresh`;
}

function oldest(accounts: readonly TalliedAccount[]): string {
  const ages = accounts.flatMap(({ tally }) => tally.oldestSeconds ?? []);
  return ages.length === 0 ? '' : `: the oldest data is ${duration(Math.max(...ages))} old`;
}

/** The account is named, unless the only one has just been. */
function clause({ account, text }: Finding, accounts = 0): Html {
  return account === undefined || accounts === 1 ? text : html`<bdi>${account}</bdi>: ${text}`;
}

function details({ next, lines = [] }: Finding): Html {
  const listed = lines.map((line) => html`<li><bdi>${line}</bdi></li>`);
  return html`<p class="next">${next}</p>${lines.length === 0 ? '' : html`<ul class="lines">${listed}</ul>`}`;
}
