/** `server`: the address of the service, and its bounds. */
import * as GatewayOptions from "@plumbline/gateway/settings/GatewayOptions"
import * as Result from "effect/Result"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { count, flag, formed, group, listOf, may, size, time, wait, whole } = Kinds
const { host: HOST, limits: usualLimits, timeouts: usualTimeouts } = GatewayOptions.defaults

/** Matches a host name, an IPv4 address or an IPv6 address. An IPv6 address has at least two colons. */
const HOST_FORM = /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9._-]+)?)$/u

/** The port of the service if the file does not set it, and the port is free. */
export const USUAL_PORT = 8645

/** Milliseconds of `server.timeouts.grace` if the file does not set it, and the service does not run in a terminal. */
export const USUAL_GRACE = 5000

/** The section `server` of the configuration file. */
export const section = group(
  {
    host: may(
      formed(HOST_FORM, "must be an IP address or a host name, without a port", {
        description:
          "Address to listen on. 0.0.0.0 means all IPv4 addresses of this machine, and :: all IPv6 addresses too.",
        default: HOST
      })
    ),
    port: may(
      whole(0, 65_535, {
        description: "Port to listen on; 0 means any free port. Left out, it is 8645, or any free port if that is busy."
      })
    ),
    trustedProxies: may(
      listOf(
        formed(/^[0-9a-f:.]+(?:\/\d{1,3})?$/iu, "must be an IP address, or a network such as 10.0.0.0/8", {
          description: "An IP address, or a network such as 10.0.0.0/8."
        }),
        { description: "Proxies in front of the service: their X-Forwarded-For is believed.", default: [] }
      )
    ),
    compressFrom: size(
      "Size of an answer from which it is compressed by Brotli or gzip, if the caller takes that; 0 compresses none.",
      GatewayOptions.defaults.compressFrom
    ),
    accessLog: may(flag({ description: "Log each HTTP request, without keys.", default: false })),
    limits: may(
      group(
        {
          bodyBytes: size("Size of an HTTP body or a WebSocket message.", usualLimits.bodyBytes),
          batch: count("Calls in a batch.", usualLimits.batch),
          depth: count("Nesting depth of arrays and objects in a body.", usualLimits.depth),
          values: count("Values of one call: members of objects and elements of arrays.", usualLimits.values),
          batchConcurrency: count(
            "Calls of one batch that are at a node at the same time.",
            usualLimits.batchConcurrency
          ),
          answerBytes: size("Size of the results of one request together.", usualLimits.answerBytes),
          requests: count("HTTP requests being answered at a time.", usualLimits.requests),
          bufferedBytes: size("Size of bodies and WebSocket messages in memory at a time.", usualLimits.bufferedBytes),
          connections: count("TCP connections.", usualLimits.connections),
          sockets: count("WebSockets.", usualLimits.sockets),
          socketsPerProject: count("WebSockets of one project.", usualLimits.socketsPerProject),
          socketInFlight: count("Messages of one WebSocket being answered at a time.", usualLimits.socketInFlight),
          socketSubscriptions: count("Subscriptions of one WebSocket.", usualLimits.socketSubscriptions),
          socketBufferedBytes: size("Bytes that wait for one WebSocket to read them.", usualLimits.socketBufferedBytes)
        },
        "Bounds of size and number, of one caller and of all together."
      )
    ),
    timeouts: may(
      group(
        {
          headers: wait(
            "Maximum time from the first byte of a request to the end of its headers.",
            usualTimeouts.headers
          ),
          request: wait(
            "Maximum time from the first byte of a request to the last byte of its body.",
            usualTimeouts.request
          ),
          answer: wait(
            "Time from the start of a batch after which calls that have not started are refused.",
            usualTimeouts.answer
          ),
          write: wait("Maximum time without progress while the caller reads an answer.", usualTimeouts.write),
          idle: wait("Time after which an idle connection is closed.", usualTimeouts.idle),
          heartbeat: wait("Time between two pings of a WebSocket.", usualTimeouts.heartbeat),
          grace: may(
            time({
              description:
                "Time after a shutdown signal in which /readyz answers 503 but every call is still answered. In a terminal the default is 0s.",
              default: Kinds.timeOf(USUAL_GRACE)
            })
          ),
          drain: wait("Maximum time after grace to finish requests in flight.", usualTimeouts.drain)
        },
        "Bounds of time."
      )
    )
  },
  "Address of the service, and its bounds."
)

/** The section, if the file has it. */
export type Section = typeof section.Type

/** The settings of the service. Times are milliseconds. */
export interface Settings {
  readonly host: string
  /** The port. If undefined, the service takes the usual port, or any free port if that one is busy. */
  readonly port: number | undefined
  readonly trustedProxies: ReadonlyArray<string>
  readonly accessLog: boolean
  /** Bytes. */
  readonly compressFrom: number
  readonly limits: Partial<GatewayOptions.Limits>
  readonly timeouts: { readonly [Name in keyof GatewayOptions.Timeouts]?: number }
}

/** Returns the section as settings. */
export const settings = (section: Section = {}): Settings => ({
  host: section.host ?? HOST,
  port: section.port,
  trustedProxies: section.trustedProxies ?? [],
  accessLog: section.accessLog ?? false,
  compressFrom: Kinds.bytesOf(section.compressFrom ?? GatewayOptions.defaults.compressFrom),
  limits: Sections.mapped(section.limits, Kinds.bytesOf),
  timeouts: Sections.mapped(section.timeouts, Kinds.millisOf)
})

/** Returns the mistakes that the Schema cannot find. */
export const mistakes = ({ limits, timeouts, trustedProxies }: Section = {}): Sections.Found => {
  const found = [
    ...Object.entries(timeouts ?? {}).flatMap(([name, time]) =>
      Sections.timer(["server", "timeouts", name], time, Sections.TIMER, name === "grace" ? 0 : 1)
    ),
    ...Sections.zeros(["server", "limits"], limits)
  ]
  const checked = GatewayOptions.resolve({ networks: [], trustedProxies })
  return Result.isSuccess(checked)
    ? found
    : [
        ...found,
        { path: ["server", "trustedProxies"], problem: "must be IP addresses, or networks such as 10.0.0.0/8" }
      ]
}

/** Returns the settings in the form of the file. */
export const view = ({
  accessLog,
  compressFrom,
  host,
  limits,
  port,
  timeouts,
  trustedProxies
}: Settings): Sections.Shown => ({
  host,
  ...Sections.given({ port }),
  trustedProxies,
  accessLog,
  compressFrom,
  limits: { ...usualLimits, ...limits },
  timeouts: {
    ...Sections.mapped(usualTimeouts, Kinds.shortened),
    grace: Kinds.timeOf(USUAL_GRACE),
    ...Sections.mapped(timeouts, Kinds.timeOf)
  }
})
