/** `observability`: the metrics, logs and traces of the service. */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as GatewayOptions from "@plumbline/gateway/settings/GatewayOptions"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import type * as ConfigMistake from "./ConfigMistake.ts"

const { defaulted, group, integer, literal, optional, pattern, record, secret, secretUrl, struct, text, url } = Setting

export const section = group(
  {
    logs: defaulted(
      literal(["text", "json"], {
        description:
          "The form of the log on standard error: lines of logfmt, or a JSON object in each line. With json, up prints no key.",
        default: "text"
      })
    ),
    slowCall: GatewayOptions.fields.slowCall,
    metrics: group(
      {
        host: defaulted(
          pattern(/^[A-Za-z0-9._:%-]{1,253}$/u, "must be an IP address or a host name, without a port", {
            description: "Address of the port for metrics. Everyone who can connect to it can read them.",
            // the loopback address, so that by default only programs on this machine can read metrics
            default: "127.0.0.1"
          })
        ),
        port: optional(
          integer(0, 65_535, {
            description:
              "Port that serves /metrics without a token; 0 means any free port. Left out, there is none. The service's own port serves /metrics to holders of the admin token."
          })
        )
      },
      "Metrics for Prometheus."
    ),
    traces: optional(
      struct(
        {
          url: secretUrl(
            url(["http", "https"], {
              description:
                "URL of a collector that takes OTLP over HTTP with JSON, such as http://collector:4318/v1/traces."
            })
          ),
          headers: defaulted(
            record(secret(text({ description: "The value of a header. It is never shown." })), {
              description: "Headers of each export, by name.",
              default: {}
            })
          ),
          sample: defaulted(
            Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
              description:
                "Share of the requests that are traced. A caller can ask for fewer traces, but not for more.",
              default: 0.1,
              message: "must be a number from 0 to 1"
            })
          )
        },
        "Traces for OpenTelemetry. Left out: none."
      )
    )
  },
  "Metrics, logs and traces."
)

export type ObservabilitySettings = typeof section.Type

/** The collector of spans. */
export type TracesSettings = NonNullable<ObservabilitySettings["traces"]>

export const mistakes = ({ traces }: ObservabilitySettings): ReadonlyArray<ConfigMistake.SettingMistake> =>
  Object.entries(traces?.headers ?? {}).flatMap(([name, value]) =>
    isHeader(name, Redacted.value(value))
      ? []
      : [{ path: ["observability", "traces", "headers", name], problem: "is not a header that can be sent" }]
  )

const isHeader = (name: string, value: string): boolean =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u.test(name) && /^[\t\x20-\x7e]*$/u.test(value)
