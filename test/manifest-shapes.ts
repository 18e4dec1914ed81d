type Labels = Readonly<Record<string, string>>;

interface Mount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

interface Container {
  readonly args: readonly string[];
  readonly ports: readonly [{ readonly name: string; readonly containerPort: number }];
  readonly volumeMounts: readonly Mount[];
  readonly securityContext: object;
  readonly livenessProbe: { readonly httpGet: object };
  readonly readinessProbe: { readonly httpGet: object };
}

interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: { readonly defaultMode: number };
  }[];
}

interface ConfigMap {
  readonly kind: string;
  readonly data: Readonly<Record<string, string>>;
}

interface Claim {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
  };
}

interface Service {
  readonly kind: string;
  readonly metadata: { readonly labels: Labels };
  readonly spec: { readonly selector: Labels; readonly ports: readonly [{ readonly name: string }] };
}

export type KubernetesManifests = readonly [ConfigMap, Claim, Deployment, Service];

export interface ServiceMonitor {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly endpoints: readonly [{ readonly port: string }];
  };
}

export interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly image?: string;
        readonly build?: string;
        readonly ports: readonly string[];
        readonly volumes: readonly string[];
      }
    >
  >;
  readonly volumes: object;
}

interface Targets {
  readonly scrape_interval?: string;
  readonly static_configs: readonly [{ readonly targets: readonly string[] }];
}

export interface PrometheusConfig {
  readonly scrape_configs: readonly [Targets];
  readonly alerting: { readonly alertmanagers: readonly [Targets] };
}

export interface DatasourceProvisioning {
  readonly datasources: readonly [
    { readonly url: string; readonly jsonData: { readonly timeInterval: string } },
  ];
}

export interface DashboardProvisioning {
  readonly providers: readonly [{ readonly options: { readonly path: string } }];
}
