/** Parts of a dashboard's JSON that the pictures need. */
export interface DashboardJson {
  readonly title: string;
  readonly time: { readonly from: string; readonly to: string };
  readonly templating: { readonly list: readonly VariableJson[] };
  readonly links: readonly { readonly title: string }[];
  readonly annotations: { readonly list: readonly AnnotationJson[] };
  readonly panels: readonly PanelJson[];
}

export interface VariableJson {
  readonly name: string;
  readonly label: string;
  readonly type: string;
}

export interface AnnotationJson {
  readonly name: string;
  readonly expr: string;
  readonly iconColor: string;
  readonly useValueForTime: boolean;
}

export interface PanelJson {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly expr: string;
    readonly refId: string;
    readonly legendFormat: string;
  }[];
  readonly transformations?: readonly { readonly id: string; readonly options: OrganizeOptions }[];
  // Options of the panel's type, which Grafana's components accept unchanged.
  readonly options: Readonly<Record<string, never>>;
  readonly fieldConfig: FieldConfigJson;
}

export interface OrganizeOptions {
  readonly excludeByName?: Readonly<Record<string, boolean>>;
  readonly renameByName?: Readonly<Record<string, string>>;
  readonly indexByName?: Readonly<Record<string, number>>;
}

export interface FieldConfigJson {
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly overrides: readonly {
    readonly matcher: { readonly id: string; readonly options: string };
    readonly properties: readonly { readonly id: string; readonly value: unknown }[];
  }[];
}
