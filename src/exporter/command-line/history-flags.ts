import type { Flag } from './flag.ts';
import {
  httpAddress,
  labelSet,
  moment,
  oneOf,
  onOff,
  positive,
  receiverChoice,
  text,
} from './flag-values.ts';

/** Where a history comes from, which part of it, and what becomes of it: backfill, rules and rehearse. */
export const HISTORY_FLAGS = {
  'prometheus.url': {
    value: httpAddress,
    about:
      'Prometheus whose history to use, with its path prefix. Without it the history is read from the platform.',
    commands: ['rehearse'],
  },
  'prometheus.username': {
    value: text('name'),
    about: 'User name for the basic authentication of Prometheus.',
    commands: ['rehearse'],
  },
  'prometheus.password-file': {
    value: text('file'),
    about: 'File with the password of --prometheus.username.',
    commands: ['rehearse'],
  },
  'prometheus.bearer-token-file': {
    value: text('file'),
    about: 'File with a token for Prometheus.',
    commands: ['rehearse'],
  },
  'prometheus.ca-file': {
    value: text('file'),
    about: 'PEM file of the authorities to trust for Prometheus instead of the well-known ones.',
    commands: ['rehearse'],
  },
  'history.file': {
    value: text('file'),
    about:
      'History as backfill writes it: used if it exists; else it is read from the platform, written here, and kept.',
    commands: ['rehearse'],
  },
  days: {
    value: positive,
    about: 'How many days to rehearse, up to --to. Default: 30.',
    commands: ['rehearse'],
  },
  from: {
    value: moment,
    about:
      'Start of the history. Of backfill: at most 30 days ago, required. Of rehearse: instead of --days.',
    commands: ['backfill', 'rehearse'],
  },
  to: {
    value: moment,
    about: 'End of the history. Default: the newest settled bucket; with --prometheus.url, now.',
    commands: ['backfill', 'rehearse'],
  },
  output: {
    value: text('path'),
    about:
      'Of backfill: file that the history is written to; required without --push. Of rules: directory for the files, without it stdout. Of rehearse: file for an HTML page with a chart of each alert.',
    commands: ['backfill', 'rules', 'rehearse'],
  },
  'alerts.file': {
    value: text('file'),
    about:
      'File with thresholds, severities and addresses, such as config/alerts.yaml. Without it the rules are as shipped.',
    commands: ['rules', 'rehearse', 'check-config'],
  },
  compare: {
    value: text('file'),
    about: 'Another alerts file: what it would change.',
    commands: ['rehearse'],
  },
  format: {
    value: oneOf(['prometheus', 'kubernetes', 'jsonnet', 'text', 'json']),
    about:
      'Of rules: prometheus (default) for rule files, kubernetes for a PrometheusRule of its operator, or jsonnet for the rules of the mixin. Of rehearse: text (default) or json.',
    commands: ['rules', 'rehearse'],
    words: { rules: ['prometheus', 'kubernetes', 'jsonnet'], rehearse: ['text', 'json'] },
  },
  labels: {
    value: labelSet,
    about: 'Labels to add to every series, as a scrape would.',
    commands: ['backfill'],
  },
  push: {
    value: receiverChoice,
    default: 'false',
    about: 'Push the history to the receivers of the configuration, or to the one of this name.',
    commands: ['backfill'],
  },
  restart: {
    value: onOff,
    default: 'false',
    about: 'Start over, replacing what an earlier run left or wrote.',
    commands: ['backfill'],
  },
} as const satisfies Readonly<Record<string, Flag>>;
