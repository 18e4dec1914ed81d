import { z } from 'zod';
import { content, flag, identifier, seriesOf, text } from '../settings/collector.ts';
import { settingsCollector } from '../settings/settings-collector.ts';

const row = z.object({
  id: identifier,
  name: text,
  // The specification defines only id and name; answers have the other fields, too.
  subject_name: content,
  issuer: text,
  validity: text,
  certificate_type: text,
  status: text,
  managed: flag,
});

type Certificate = z.output<typeof row>;

const { info, switched, timed } = seriesOf<Certificate>('digital certificates');

/** Digital certificates (sections 2.3 and 4.3). Reads never return the certificate or its key. */
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
    info('edge_certificate_info', 'A digital certificate, always 1; join by certificate_id.', {
      issuer: 'issuer',
      certificate_type: 'certificate_type',
      status: 'status',
    }),
    timed(
      'edge_certificate_expiry_timestamp_seconds',
      'Expiry of a digital certificate, as a Unix time. Absent if the platform does not return it.',
      'validity',
    ),
    switched(
      'edge_certificate_managed',
      'the platform renews a digital certificate itself',
      'managed',
      ' Absent if the platform does not return it.',
    ),
  ],
});
