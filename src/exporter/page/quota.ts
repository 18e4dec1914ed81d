import type { QuotaStatus } from '../status.ts';
import { grouped } from '../text/numbers.ts';
import { type Html, html } from './html.ts';
import { moment } from './time-format.ts';

/** One limit scope: what is left and since when that is known, who spends it, and when it is full again. */
export function quotaRow(quota: QuotaStatus, now: number): Html {
  return html`<div class="quota">
<div class="line"><span>Quota <bdi class="mono">${quota.scope}</bdi></span><span>${remaining(quota, now)}</span></div>
${quotaBar(quota)}
<div class="line small"><span>${spenders(quota)}</span><span class="quiet">${
    quota.reset_at === null ? '' : html`resets ${moment(quota.reset_at, now)}`
  }</span></div>
<div class="line small quiet"><span>${Math.round(quota.reserve * 100)} % reserved</span><span>${
    quota.waiting > 0 ? html`${grouped(quota.waiting)} waiting` : 'nothing waiting'
  }</span></div>
${quota.stopped_until === null ? '' : html`<p class="small bad-text">Stopped by the platform, continues ${moment(quota.stopped_until, now)}</p>`}
${quota.note === '' ? '' : html`<p class="small quiet"><bdi>${quota.note}</bdi></p>`}
</div>`;
}

function remaining({ limit, remaining: left, remaining_at: at }: QuotaStatus, now: number): Html {
  if (limit === null) return html`<span class="quiet">not known yet</span>`;
  if (left === null)
    return html`<span class="quiet">${grouped(limit)} a minute, none asked for in this minute</span>`;
  const asOf = at === null ? '' : html` <span class="small quiet">as of ${moment(at, now)}</span>`;
  return html`<strong>${grouped(left)}</strong> of ${grouped(limit)} left${asOf}`;
}

/** Who uses the window up: this exporter as counted, the token's other clients as far as observed. */
function spenders({ own, limit, others_per_minute: others }: QuotaStatus): Html {
  // More than the limit is nothing that headers can show.
  const shown = limit === null ? 0 : Math.round(Math.min(limit, others));
  const those =
    shown < 1
      ? 'no other client seen'
      : html`<strong>other clients about ${grouped(shown)} a minute</strong>`;
  return html`used by this exporter ${grouped(own)}, ${those}`;
}

/** What is left as a share of the limit, with a mark where the reserve begins. */
function quotaBar({ scope, limit, remaining: left, reserve }: QuotaStatus): Html {
  if (limit === null || left === null || limit <= 0) return html``;
  const share = Math.min(1, Math.max(0, left / limit));
  // As the rate limiter rounds it: at this many it waits.
  const reserved = Math.ceil(limit * reserve);
  const mood = left <= 0 ? 'out' : left <= reserved ? 'low' : 'fill';
  const meaning = { out: ', used up', low: ', only the reserve', fill: '' }[mood];
  const label = `${scope}: ${left} of ${limit} left${meaning}; ${reserved} in reserve`;
  return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label="${label}">
<rect class="track" width="1000" height="10"/><rect class="${mood}" width="${Math.round(share * 1000)}" height="10"/>
<rect class="mark" x="${Math.round(Math.min(1, Math.max(0, reserve)) * 997)}" width="3" height="10"/></svg>`;
}
