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
