import { renderPage } from '../../../src/exporter/page/page.ts';
import { parsePageQuery } from '../../../src/exporter/page/query.ts';
import type { Status } from '../../../src/exporter/status-document.ts';
import { NOW } from './made-up-status.ts';

/**
 * Returns the markup of the status page.
 * @param search query of the page's address
 */
export function page(status: Status, search = ''): string {
  return renderPage(status, { query: parsePageQuery(search), now: NOW, telemetryPath: '/metrics' });
}

/** Returns the text that a reader sees: the markup without tags. */
export function words(markup: string): string {
  const start = markup.indexOf('<body>');
  const body = start < 0 ? markup : markup.slice(start, markup.indexOf('<script>'));
  return body
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'");
}
