/** `observability`: the metrics, logs and traces of the service. */
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { entries, formed, group, may, text, time, url, whole, word } = Kinds

/** The loopback address, so that by default only programs on this machine can read metrics. */
const METRICS_HOST = "127.0.0.1"

const LOGS = "text"

const SAMPLE = 0.1

/** The section `observability` of the configuration file. */
export const section = group(
  {
    logs: may(
      word(["text", "json"], {
        description: "The form of the log on standard error: lines of logfmt, or a JSON object in each line.",
        default: LOGS
      })
    ),
    slowCall: may(
      time({
        description:
          "A call to a node that takes longer is logged, with its network, method and project. Left out: no call is logged."
      })
    ),
    metrics: may(
      group(
        {
          host: may(
            formed(/^[A-Za-z0-9._:%-]{1,253}$/u, "must be an IP address or a host name, without a port", {
              description: "Address of the port for metrics. Everyone who can connect to it can read them.",
              default: METRICS_HOST
            })
          ),
          port: may(
            whole(0, 65_535, {
              description:
                "Port that serves /metrics without a token; 0 means any free port. Left out, there is none. The service's own port serves /metrics to holders of the admin token."
            })
          )
        },
        "Metrics for Prometheus."
      )
    ),
    traces: may(
      group(
        {
          url: url(["http", "https"], {
            description:
              "URL of a collector that takes OTLP over HTTP with JSON, such as http://collector:4318/v1/traces."
          }),
          headers: may(
            entries(text({ description: "The value of a header. It is never shown." }), {
              description: "Headers of each export, by name."
            })
          ),
          sample: may(
            Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
              description:
                "Share of the requests that are traced. A caller can ask for fewer traces, but not for more.",
              default: SAMPLE,
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

/** The settings of the section, as the file gives them. */
export type Section = typeof section.Type

/** The collector of spans. */
export interface Traces {
  readonly url: Redacted.Redacted
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly sample: number
}

/** The settings of the service. */
export interface Settings {
  readonly logs: "text" | "json"
  /** Milliseconds. */
  readonly slowCall: number | undefined
  readonly metrics: { readonly host: string; readonly port: number | undefined }
  readonly traces: Traces | undefined
}

/** Returns the section as settings. */
export const settings = ({ logs = LOGS, metrics = {}, slowCall, traces }: Section = {}): Settings => ({
  logs,
  slowCall: slowCall === undefined ? undefined : Kinds.millisOf(slowCall),
  metrics: { host: metrics.host ?? METRICS_HOST, port: metrics.port },
  traces: traces && {
    url: Redacted.make(traces.url),
    headers: Object.fromEntries(
      Object.entries(traces.headers ?? {}).map(([name, value]) => [name, Redacted.make(value)])
    ),
    sample: traces.sample ?? SAMPLE
  }
})

/** Returns the settings in the form of the file. */
export const view = ({ logs, metrics, slowCall, traces }: Settings): Sections.Shown => ({
  logs,
  ...Sections.given({ slowCall: slowCall === undefined ? undefined : Kinds.timeOf(slowCall) }),
  metrics: { host: metrics.host, ...Sections.given({ port: metrics.port }) },
  ...Sections.given({
    traces: traces && {
      url: Sections.hostOf(traces.url),
      headers: Sections.mapped(traces.headers, () => Sections.SECRET),
      sample: traces.sample
    }
  })
})

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = ({ slowCall, traces }: Section = {}): Sections.Found => [
  ...Sections.timer(["observability", "slowCall"], slowCall),
  ...(traces === undefined || URL.canParse(traces.url)
    ? []
    : [{ path: ["observability", "traces", "url"], problem: "is not a URL" }]),
  ...Object.entries(traces?.headers ?? {}).flatMap(([name, value]) =>
    isHeader(name, value)
      ? []
      : [{ path: ["observability", "traces", "headers", name], problem: "is not a header that can be sent" }]
  )
]

const isHeader = (name: string, value: string): boolean =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/u.test(name) && /^[\t\x20-\x7e]*$/u.test(value)
