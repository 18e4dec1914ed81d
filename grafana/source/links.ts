const CARRIED = `\${datasource:queryparam}&\${__url_time_range}`;

/** Link from a row of accounts to the overview of that account. */
export const TO_ACCOUNT = {
  title: 'Only this account',
  url: `/d/edge-overview?var-account=\${__data.fields["Account"]}&${CARRIED}`,
};

/** Link from a row without a product to the dashboard of its configuration. */
export const TO_NAMESAKE = {
  title: 'Look at this configuration',
  url: `/d/edge-configuration?var-account=\${__data.fields["Account"]}&var-configuration=\${__data.fields["Configuration"]}&${CARRIED}`,
};

/** Link from a row of configurations to its dashboard. */
export const TO_CONFIGURATION = {
  title: 'Look at this configuration',
  url: `/d/edge-configuration?var-account=\${__data.fields["Account"]}&var-product=\${__data.fields["Product"]}&var-configuration=\${__data.fields["Configuration"]}&${CARRIED}`,
};

/** Link from an alert to its runbook page. */
export const TO_RUNBOOK = {
  title: 'Runbook',
  url: 'https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md',
};
