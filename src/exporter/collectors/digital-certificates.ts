import { z } from 'zod';
import { parseTimestamp } from '../platform/headers.ts';
import { content, flag, identifier, text } from '../settings/item-fields.ts';
import { seriesOf } from '../settings/setting-series.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  // The specification knows only id and name; the rest was seen in later answers.
  subject_name: content,
  issuer: text,
  validity: text,
  certificate_type: text,
  status: text,
  managed: flag,
});

type Certificate = z.output<typeof row>;

const { info, measured, switched } = seriesOf<Certificate>('digital certificates');

/** Digital certificates (sections 2.3 and 4.3): reads never hold the certificate or its key. */
export const digitalCertificates = settingsCollector({
  about: 'Digital certificates and, if the platform returns it, when they expire.',
  schedule: '*/30 * * * *',
  section: '4.3',
  version: 3,
  permission: 'View Security Settings',
  kind: 'certificate',
  things: 'digital certificates',
  list: '/digital_certificates',
  row,
  unwatched: ['status'],
  series: [
    info(
      'edge_certificate_info',
      'A digital certificate, always 1; join by certificate_id.',
      ({ issuer, certificate_type, status }) => ({ issuer, certificate_type, status }),
    ),
    measured(
      'edge_certificate_expiry_timestamp_seconds',
      'When a digital certificate expires, as a Unix time; absent if the platform does not return it.',
      ({ validity }) => seconds(validity),
    ),
    switched(
      'edge_certificate_managed',
      'Whether the platform renews a digital certificate itself',
      ({ managed }) => managed,
      '1 or 0; absent if the platform does not return it',
    ),
  ],
});

function seconds(timestamp: string | null | undefined): number | undefined {
  const ms = parseTimestamp(timestamp ?? '');
  return ms === undefined ? undefined : ms / 1_000;
}
