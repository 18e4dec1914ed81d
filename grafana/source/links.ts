const CARRIED = `\${datasource:queryparam}&\${__url_time_range}`;

/** From a row of accounts to the overview of that account alone. */
export const TO_ACCOUNT = {
  title: 'Only this account',
  url: `/d/edge-overview?var-account=\${__data.fields["Account"]}&${CARRIED}`,
};

/** From a row that has no product to the dashboard of its configuration. */
export const TO_NAMESAKE = {
  title: 'Look at this configuration',
  url: `/d/edge-configuration?var-account=\${__data.fields["Account"]}&var-configuration=\${__data.fields["Configuration"]}&${CARRIED}`,
};

/** From a row of configurations to the dashboard of that one. */
export const TO_CONFIGURATION = {
  title: 'Look at this configuration',
  url: `/d/edge-configuration?var-account=\${__data.fields["Account"]}&var-product=\${__data.fields["Product"]}&var-configuration=\${__data.fields["Configuration"]}&${CARRIED}`,
};

/** From an alert to the page that says what to do. */
export const TO_RUNBOOK = {
  title: 'Runbook',
  url: 'https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md',
};
