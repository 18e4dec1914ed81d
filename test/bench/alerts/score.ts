import { type Firing, merged } from './firing.ts';
import type { Labelled } from './labelled.ts';
import { MINUTES, WEEKS } from './span.ts';

/** How well a rule did over all accounts. */
export class Score {
  plain = 0;
  found = 0;
  doubtful = 0;
  doubtfulFound = 0;
  falseAlarms = 0;
  accounts = 0;
  readonly delays: number[] = [];
  readonly missed: Labelled[] = [];

  /** Takes in what fired on any series of one account, and what was there to be found. */
  add(firing: readonly Firing[], incidents: readonly Labelled[]): void {
    const alarms = merged(firing);
    this.accounts += 1;
    this.falseAlarms += alarms.filter(
      (alarm) => !incidents.some((incident) => concerns(alarm, incident)),
    ).length;
    for (const incident of incidents) {
      const alarm = alarms.find((candidate) => concerns(candidate, incident));
      if (incident.verdict === 'doubtful') {
        this.doubtful += 1;
        if (alarm) this.doubtfulFound += 1;
        continue;
      }
      this.plain += 1;
      if (alarm === undefined) this.missed.push(incident);
      else {
        this.found += 1;
        this.delays.push(Math.max(0, alarm.from - incident.visibleFrom));
      }
    }
  }

  get falseAlarmsPerWeek(): number {
    return this.falseAlarms / this.accounts / WEEKS;
  }

  /** Minutes from the first visible one; of all that were found, the share whose delay is not above. */
  delay(share: number): number {
    const sorted = this.delays.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  }
}

/** An alarm belongs to an incident when it begins in it, or in the echo that windows and `for` give it. */
function concerns(alarm: Firing, { from, minutes }: Labelled): boolean {
  const echo = 30;
  return alarm.from < Math.min(MINUTES, from + minutes + echo) && alarm.to > from;
}
