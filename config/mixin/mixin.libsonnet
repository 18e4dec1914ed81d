// Rules, alerts and dashboards for those who build their monitoring with jsonnet:
//
//   jb install github.com/edge-exporter/edge-exporter@main
//   local edge = (import 'github.com/edge-exporter/edge-exporter/config/mixin/mixin.libsonnet') + { _config+:: { without: ['EdgeSettingChanged'] } };
//   edge.prometheusAlerts
//
// rules.libsonnet is what `edge-exporter rules --format=jsonnet` writes: with `--alerts.file=…` it has thresholds of your own.
{
  _config+:: {
    runbookUrl: 'https://github.com/edge-exporter/edge-exporter/blob/main/config/prometheus/runbook.md',
    // Alerts that are left out, and severities by alert: of each form that is graver.
    without: [],
    severities: {},
  },

  local shipped = import 'rules.libsonnet',
  local config = self._config,
  local gravity = ['info', 'ticket', 'page'],
  local lesser(a, b) = if std.find(a, gravity)[0] < std.find(b, gravity)[0] then a else b,
  local alert(rule) = rule {
    labels+: {
      severity: if std.objectHas(config.severities, rule.alert) then lesser(super.severity, config.severities[rule.alert]) else super.severity,
    },
    annotations+: { runbook_url: config.runbookUrl + '#' + std.asciiLower(rule.alert) },
  },

  prometheusRules+:: shipped.prometheusRules,

  prometheusAlerts+:: {
    groups: [
      group { rules: [alert(rule) for rule in group.rules if !std.member(config.without, rule.alert)] }
      for group in shipped.prometheusAlerts.groups
    ],
  },

  grafanaDashboards+:: {
    'configuration.json': import '../../grafana/dashboards/configuration.json',
    'exporter.json': import '../../grafana/dashboards/exporter.json',
    'overview.json': import '../../grafana/dashboards/overview.json',
    'security.json': import '../../grafana/dashboards/security.json',
  },
}
