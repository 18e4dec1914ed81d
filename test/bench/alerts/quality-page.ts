/** What precedes the tables: what was generated, and what counts as what. */
export const QUALITY_PAGE = `# How good the alerts are

Written by \`test/bench/alert-quality.ts\`: eight generated weeks of traffic, on which the rules' own formula and thresholds
(\`source/thresholds.ts\`) are evaluated minute by minute from the first minute on, when nothing is known yet. A test proves that
Prometheus evaluates the rules to the same numbers.

**Accounts** have 1 to 8 configurations, from a few requests a minute to tens of thousands, with a daily and a weekly shape
of their own, a trend, noise that lasts for hours, minutes and single minutes, two holidays (0.35 to 1.7 times the traffic, for a day),
campaigns (1.3 to 2.5 times, for hours), a deployment every ten days (shifts the level of threats for good: log-normal, spread 0.4, so
that one in six raises it by half or more), times without data (minutes to six hours), and scanners and restarts: bursts of one to three minutes, up to many times the usual,
that nobody is to be woken for.

**Attacks and failures** are flat, ramps, decays, waves with pauses, slow rises and ragged ones, of 6 minutes to 8 hours; attacks of 30 to 30,000
threats a minute on one configuration or on all, failures of 1 to 100 % of the requests of one. *Plain* are those that a person
who looks at the chart would call one. An attack: for at least 8 minutes at least 4 times what is expected in that minute, 6 of its
usual deviations above it, and at least 60 a minute. A failure: for at least 8 minutes at least 5 % of the responses and 30 a minute. The others are *doubtful*: neither
finding nor missing them counts.

**False alarms** are those that begin outside all attacks (half an hour of echo allowed), on whatever series of the account; alarms at the same time are one. **Delay** is in minutes
from the first plain minute; to it come the exporter's publish delay and the evaluation interval. The other rules are held for five minutes as well.

**What these figures are worth.** The formula was chosen among about 25 on the first 20 to 60 accounts of seed 20261120, and the
least traffic that is judged for failures was lowered after three small sites that failed as a whole had been missed there: its rows are
no independent proof. Seed 4711 was evaluated after the first choice, seed 86028121 once, after both. Minutes without data were taken
out of what a person can see after two such attacks had been missed.`;
