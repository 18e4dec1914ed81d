import { createTheme, dateTime, type GrafanaTheme2 } from '@grafana/data';
import {
  BigValue,
  BigValueColorMode,
  BigValueGraphMode,
  BigValueJustifyMode,
  BigValueTextMode,
  LegendDisplayMode,
  PanelChrome,
  Table,
  TimeSeries,
  type VizLegendOptions,
} from '@grafana/ui';
import type { ReactElement } from 'react';
import type { PanelJson } from './dashboard.ts';
import { figuresOf, framesOf, tableOf } from './fields.ts';
import { type Mark, Marks } from './marks.tsx';
import type { Range, Series } from './prometheus.ts';

export const THEME: GrafanaTheme2 = createTheme({ colors: { mode: 'dark' } });

/** Properties that all graphs of a dashboard share. */
export interface Shared {
  readonly range: Range;
  readonly marks: readonly Mark[];
}

export interface Answered {
  readonly panel: PanelJson;
  readonly answers: readonly (readonly Series[])[];
}

const LEGEND: VizLegendOptions = {
  showLegend: true,
  displayMode: LegendDisplayMode.List,
  placement: 'bottom',
  calcs: [],
};

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Draws a panel and its frame with Grafana's components. */
export function Panel({ answered, shared, width, height }: { answered: Answered; shared: Shared } & Size) {
  const { panel } = answered;
  return (
    <PanelChrome width={width} height={height} title={panel.title} description={panel.description ?? ''}>
      {(innerWidth, innerHeight) => content(answered, shared, { width: innerWidth, height: innerHeight })}
    </PanelChrome>
  );
}

function content(answered: Answered, shared: Shared, size: Size): ReactElement {
  switch (answered.panel.type) {
    case 'stat':
      return stat(answered, size);
    case 'table':
      return rows(answered, size);
    case 'timeseries':
      return graph(answered, shared, size);
    default:
      throw new Error(`no drawing of ${answered.panel.type}`);
  }
}

function nothing({ panel }: Answered, { width, height }: Size): ReactElement {
  const text = String(panel.fieldConfig.defaults['noValue'] ?? '') || 'no data';
  const style = { width, height, display: 'grid', placeItems: 'center', color: THEME.colors.text.secondary };
  return <div style={style}>{text}</div>;
}

function stat(answered: Answered, { width, height }: Size): ReactElement {
  const noValue = String(answered.panel.fieldConfig.defaults['noValue'] ?? '');
  const nothing = { text: noValue, numeric: Number.NaN, color: THEME.colors.text.secondary, title: '' };
  const found = figuresOf(answered.panel, answered.answers, THEME);
  const values = found.length > 0 ? found : [nothing];
  const drawn = values.map((value) => (
    <BigValue
      key={value.title}
      width={width / values.length}
      height={height}
      theme={THEME}
      value={value}
      colorMode={BigValueColorMode.Value}
      graphMode={BigValueGraphMode.None}
      justifyMode={BigValueJustifyMode.Auto}
      textMode={values.length > 1 ? BigValueTextMode.ValueAndName : BigValueTextMode.Value}
      text={answered.panel.options['text']}
    />
  ));
  return <div style={{ display: 'flex' }}>{drawn}</div>;
}

function rows(answered: Answered, size: Size): ReactElement {
  const data = tableOf(answered.panel, answered.answers, THEME);
  if (data.length === 0) return nothing(answered, size);
  const { sortBy } = answered.panel.options as { sortBy?: { displayName: string; desc: boolean }[] };
  return (
    <Table
      ariaLabel={answered.panel.title}
      data={data}
      width={size.width}
      height={size.height}
      initialSortBy={sortBy ?? []}
      enablePagination
      footerOptions={{ enablePagination: true, show: false, reducer: [], countRows: false }}
    />
  );
}

function graph(answered: Answered, { range, marks }: Shared, size: Size): ReactElement {
  const frames = framesOf(answered.panel, answered.answers, THEME, range.step);
  if (frames.length === 0) return nothing(answered, size);
  const [from, to] = [dateTime(range.from), dateTime(range.to)];
  return (
    <TimeSeries
      frames={frames}
      width={size.width}
      height={size.height}
      structureRev={1}
      timeRange={{ from, to, raw: { from, to } }}
      timeZone="utc"
      legend={answered.panel.options['legend'] ?? LEGEND}
      options={{}}
    >
      {(config) => <Marks config={config} marks={marks} />}
    </TimeSeries>
  );
}
