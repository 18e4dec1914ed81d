{{- define "edge-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "edge-exporter.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "edge-exporter.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "edge-exporter.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* What a selector finds the pods by; never changes, since a Deployment's cannot. */}}
{{- define "edge-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "edge-exporter.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "edge-exporter.labels" -}}
{{ include "edge-exporter.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end }}

{{- define "edge-exporter.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end }}
{{- end }}

{{/* Where the configuration comes from: exactly one of three. */}}
{{- define "edge-exporter.checkSource" -}}
{{- $given := 0 }}
{{- if .Values.sandbox }}{{ $given = add1 $given }}{{ end }}
{{- if .Values.config }}{{ $given = add1 $given }}{{ end }}
{{- if .Values.existingConfigMap }}{{ $given = add1 $given }}{{ end }}
{{- if ne (int $given) 1 }}
{{- fail "give exactly one of config (with its accounts), existingConfigMap, and sandbox=true" }}
{{- end }}
{{- end }}

{{- define "edge-exporter.kind" -}}
{{ if gt (int .Values.shards) 1 }}StatefulSet{{ else }}Deployment{{ end }}
{{- end }}

{{/* Something where each shard has a claim of its own, which its StatefulSet makes and never removes. */}}
{{- define "edge-exporter.claimsOfShards" -}}
{{ if and .Values.persistence.enabled (gt (int .Values.shards) 1) }}true{{ end }}
{{- end }}

{{- define "edge-exporter.claimSpec" -}}
{{- with .Values.persistence -}}
accessModes: {{- toYaml .accessModes | nindent 2 }}
{{- with .storageClassName }}
storageClassName: {{ . }}
{{- end }}
resources:
  requests: { storage: {{ .size }} }
{{- end }}
{{- end }}

{{/* What divides the accounts, where there are several exporters: one of two. */}}
{{- define "edge-exporter.checkShards" -}}
{{- if gt (int .Values.shards) 1 }}
{{- if .Values.database.url }}
{{- fail "give either shards or database.url: replicas on a database divide the accounts themselves" }}
{{- end }}
{{- if .Values.persistence.existingClaim }}
{{- fail "persistence.existingClaim is one volume, and each of the shards needs its own" }}
{{- end }}
{{- end }}
{{- end }}
