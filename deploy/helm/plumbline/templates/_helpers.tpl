{{- define "plumbline.name" -}}
{{- $name := ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) (contains .Chart.Name .Release.Name) -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "plumbline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plumbline.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name (replace "+" "_" .Chart.Version) }}
{{ include "plumbline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "plumbline.image" -}}
{{- $repository := required "image.repository is missing: push the image of deploy/Containerfile to your registry, and name it here" .Values.image.repository -}}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}{{ else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{/* "yes" if there can be more than one process, else nothing. */}}
{{- define "plumbline.several" -}}
{{- if or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) -}}yes{{- end -}}
{{- end }}

{{/* "yes" if the state is in a folder, else nothing. */}}
{{- define "plumbline.folder" -}}
{{- if not (dig "state" "postgres" "" .Values.config) -}}yes{{- end -}}
{{- end }}

{{/* The configuration file. It is JSON, because YAML 1.2 reads a text such as 0x12 without quotes as a number. */}}
{{- define "plumbline.config" -}}
{{- $metrics := dict "host" .Values.listen "port" 9464 -}}
{{- $own := dict
  "server" (dict "host" .Values.listen "port" 8645)
  "admin" (dict "host" .Values.listen "port" 8646 "tokenFile" "/run/secrets/plumbline/admin-token")
  "observability" (dict "metrics" $metrics)
-}}
{{- if include "plumbline.folder" . -}}
{{- $_ := set $own "state" (dict "folder" "/data") -}}
{{- end -}}
{{- if .Values.tls.secret -}}
{{- $_ := set $own "tls" (dict "certificate" "/run/secrets/tls/tls.crt" "key" "/run/secrets/tls/tls.key") -}}
{{- end -}}
{{- mustMergeOverwrite (mustDeepCopy .Values.config) $own | mustToPrettyJson -}}
{{- end }}

{{/* A time of the configuration, such as 250ms or 1.5m, in seconds. */}}
{{- define "plumbline.seconds" -}}
{{- if not (regexMatch "^[0-9.]+ ?(ms|s|m|h|d)$" .time) -}}
{{- fail (printf "config.server.timeouts.%s is %s, but the chart needs a time such as 10s to compute terminationGracePeriodSeconds" .name .time) -}}
{{- end -}}
{{- $unit := regexFind "[a-z]+$" .time -}}
{{- $number := regexFind "^[0-9.]+" .time | float64 -}}
{{- mulf $number (get (dict "ms" 0.001 "s" 1.0 "m" 60.0 "h" 3600.0 "d" 86400.0) $unit) -}}
{{- end }}

{{/*
The time from SIGTERM to the kill. The service answers everything for `grace`, closes its listener within 7.5 s, ends
calls within `drain`, and then needs up to 5 s for records and 2 s for clients that close late: docs/decisions/http.md.
*/}}
{{- define "plumbline.termination" -}}
{{- $timeouts := dig "server" "timeouts" dict .Values.config -}}
{{- $grace := include "plumbline.seconds" (dict "name" "grace" "time" (get $timeouts "grace" | default "5s")) | float64 -}}
{{- $drain := include "plumbline.seconds" (dict "name" "drain" "time" (get $timeouts "drain" | default "10s")) | float64 -}}
{{- $least := addf $grace 7.5 $drain 5.0 2.0 | ceil | int -}}
{{- $wanted := .Values.terminationGracePeriodSeconds | default $least | int -}}
{{- if lt $wanted $least -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, but the service needs up to %d s to end: raise it, or shorten config.server.timeouts" $wanted $least) -}}
{{- end -}}
{{- $wanted -}}
{{- end }}

{{/* The rules between values. */}}
{{- define "plumbline.check" -}}
{{- $state := dig "state" dict .Values.config -}}
{{- if include "plumbline.several" . -}}
{{- if not (get $state "postgres") -}}
{{- fail "more than one replica needs config.state.postgres: a data folder belongs to one process" -}}
{{- end -}}
{{- if not (get $state "redis") -}}
{{- fail "more than one replica needs config.state.redis: without it, each process counts limits for itself" -}}
{{- end -}}
{{- end -}}
{{- /* "$${" is a literal "${" */ -}}
{{- range regexFindAll "[$][{][A-Za-z_][A-Za-z0-9_]*[}]" (toJson .Values.config | replace "$${" "") -1 -}}
{{- $variable := trimPrefix "${" . | trimSuffix "}" -}}
{{- if not (hasKey $.Values.secrets $variable) -}}
{{- fail (printf "config names ${%s}, which is not listed in secrets" $variable) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled (lt (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas)) -}}
{{- fail "autoscaling.maxReplicas is less than autoscaling.minReplicas" -}}
{{- end -}}
{{- if and .Values.autoscaling.enabled .Values.autoscaling.loopLag.enabled (not .Values.prometheusRule.enabled) -}}
{{- fail "autoscaling.loopLag needs prometheusRule.enabled, which records its metric" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.egress) -}}
{{- fail "networkPolicy.egress is empty: allow at least your nodes, and Postgres and Redis if you use them" -}}
{{- end -}}
{{- end }}
