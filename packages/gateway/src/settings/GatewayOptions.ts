/**
 * Every setting of the gateway, its unit and its default.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { VerifiedCacheStats } from "../cache/VerifiedCache.ts"
import type { GatewayError } from "../errors/GatewayError.ts"
import * as ClientAddress from "../http/clientAddress.ts"
import type { ClientAddressOf } from "../http/clientAddress.ts"
import type { Mount } from "../http/Mount.ts"
import * as Mounts from "../http/mounts.ts"
import * as Tls from "../http/Tls.ts"
import type * as LimitExceeded from "../limits/LimitExceeded.ts"
import * as Costs from "../metering/Costs.ts"
import type { MetricFamily } from "../meters/MetricFamily.ts"
import type { Network } from "../networks/Network.ts"
import type { LieCount } from "../networks/Upstream.ts"
import * as Setting from "../schema/Setting.ts"
import type { Tracing } from "../tracing/tracing.ts"

export type { ClientAddressOf } from "../http/clientAddress.ts"

const { array, boolean, bytes, count, defaulted, duration, group, integer, optional, pattern, textThat } = Setting

/** Matches a host name, an IPv4 address or an IPv6 address. An IPv6 address has at least two colons. */
const HOST = /^(?:[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%[A-Za-z0-9._-]+)?)$/u

/** The settings of a listener. */
export const fields = {
  host: defaulted(
    pattern(HOST, "must be an IP address or a host name, without a port", {
      description:
        "Address to listen on. 0.0.0.0 means all IPv4 addresses of this machine, and :: all IPv6 addresses too.",
      default: "127.0.0.1"
    })
  ),
  port: defaulted(integer(0, 65_535, { description: "Port to listen on; 0 means any free port.", default: 0 })),
  trustedProxies: defaulted(
    array(
      textThat(ClientAddress.isProxy, "must be an IP address, or a network such as 10.0.0.0/8", {
        description: "An IP address, or a network such as 10.0.0.0/8."
      }),
      { description: "Proxies in front of the service: their X-Forwarded-For is believed.", default: [] }
    )
  ),
  compressFrom: defaulted(
    bytes({
      description:
        "Size of an answer from which it is compressed by Brotli or gzip, if the caller takes that; 0 compresses none.",
      default: "4KiB"
    })
  ),
  accessLog: defaulted(boolean({ description: "Log each HTTP request, without keys.", default: false })),
  lane: defaulted(
    boolean({
      description: "Read common calls directly from their connections; everything else is read by Node's HTTP server.",
      default: true
    })
  ),
  limits: group(
    {
      bodyBytes: defaulted(
        bytes({ description: "Size of an HTTP body or a WebSocket message.", default: "5MiB", least: 1 })
      ),
      batch: defaulted(count({ description: "Calls in a batch.", default: 1000 })),
      depth: defaulted(count({ description: "Nesting depth of arrays and objects in a body.", default: 64 })),
      values: defaulted(
        count({
          description:
            "Values of one call: members of objects and elements of arrays. A call with more is answered with -32600.",
          default: 16_384
        })
      ),
      batchConcurrency: defaulted(
        count({ description: "Calls of one batch that are at a node at the same time.", default: 16 })
      ),
      answerBytes: defaulted(
        bytes({
          description: "Size of the results of one request together. Further calls are answered with -32003.",
          default: "64MiB",
          least: 1
        })
      ),
      requests: defaulted(
        count({
          description: "HTTP requests being answered at a time. Further requests are answered with 503.",
          default: 1024
        })
      ),
      bufferedBytes: defaulted(
        bytes({
          description:
            "Size of bodies, WebSocket messages and IPFS answers in memory at a time. Further requests are answered with 503, and a WebSocket is not read until there is room.",
          default: "256MiB",
          least: 1
        })
      ),
      connections: defaulted(count({ description: "TCP connections. Further ones are closed.", default: 10_000 })),
      sockets: defaulted(count({ description: "WebSockets. Further ones are answered with 503.", default: 5000 })),
      socketsPerProject: defaulted(
        count({ description: "WebSockets of one project. Further ones are answered with 429.", default: 100 })
      ),
      socketInFlight: defaulted(
        count({
          description: "Messages of one WebSocket being answered at a time. At this number the WebSocket is not read.",
          default: 32
        })
      ),
      socketSubscriptions: defaulted(
        count({
          description: "Subscriptions of one WebSocket. Further ones are answered with -32005.",
          default: 100
        })
      ),
      socketBufferedBytes: defaulted(
        bytes({
          description: "Bytes that wait for one WebSocket to read them. With more it is closed with 1013.",
          default: "16MiB",
          least: 1
        })
      )
    },
    "Bounds of size and number, of one caller and of all together."
  ),
  timeouts: group(
    {
      headers: defaulted(
        duration({
          description: "Maximum time from the first byte of a request to the end of its headers.",
          default: "10s"
        })
      ),
      request: defaulted(
        duration({
          description:
            "Maximum time from the first byte of a request to the last byte of its body. For uploads to IPFS, uploadIdle is used instead.",
          default: "30s"
        })
      ),
      answer: defaulted(
        duration({
          description:
            "Time from the start of a batch after which calls that have not started are refused, with -32002.",
          default: "1m"
        })
      ),
      write: defaulted(
        duration({ description: "Maximum time without progress while the caller reads an answer.", default: "30s" })
      ),
      idle: defaulted(duration({ description: "Time after which an idle connection is closed.", default: "2m" })),
      heartbeat: defaulted(
        duration({
          description:
            "Time between two pings of a WebSocket. It is closed if a ping is unanswered when the next one is due.",
          default: "30s"
        })
      ),
      grace: optional(
        duration({
          description:
            "Time after a shutdown signal in which /readyz answers 503 but every call is still answered. In a terminal the default is 0s.",
          default: "5s",
          least: 0
        })
      ),
      drain: defaulted(
        duration({ description: "Maximum time after grace to finish requests in flight.", default: "10s" })
      )
    },
    "Bounds of time."
  ),
  slowCall: optional(
    duration({
      description:
        "A call to a node that takes longer is logged, with its network, method and project. Left out: no call is logged."
    })
  )
}

const listener = Schema.Struct(fields)

type Listener = typeof listener.Type

/** Limits of size and number. */
export type GatewayLimits = Listener["limits"]

/** Time limits in milliseconds. */
export type GatewayTimeouts = Listener["timeouts"]

/**
 * The networks, the address and the limits of a gateway. `fields` describes the settings with their units and defaults.
 * A gateway by itself has no `grace`.
 */
export interface GatewayOptions extends Setting.OptionsOf<Listener> {
  /** The networks; at least one. */
  readonly networks: ReadonlyArray<Network>
  /** Name of the network for unknown hosts. Default: the first network. */
  readonly defaultNetwork?: string | undefined
  /** The cost of calls. Default: the table of `Costs`. */
  readonly costs?: Costs.Costs | undefined
  /** The text of the refusals that callers over a limit get. */
  readonly wording?: LimitExceeded.LimitWording | undefined
  /**
   * The certificate for HTTPS and secure WebSockets. Default: none; the listener then uses plain HTTP. A reload can
   * change the certificate, but cannot switch between plain and secure.
   */
  readonly tls?: Tls.Tls | undefined
  /** Handlers of other programs on the same listener. Default: none. */
  readonly mounts?: ReadonlyArray<Mount> | undefined
  /** Metrics of other parts, read at each scrape, such as `families` of `UsageWebhooks`. Default: none. */
  readonly families?: Effect.Effect<ReadonlyArray<MetricFamily>> | undefined
  /** Returns the counts of the cache of proven answers, such as `stats` of `VerifiedCache`. Default: no cache. */
  readonly cache?: (() => VerifiedCacheStats | undefined) | undefined
  /** Makes spans of requests and of their calls to nodes. Default: no spans. */
  readonly tracing?: Tracing | undefined
  /**
   * True if other processes listen on the same port, as Linux's `SO_REUSEPORT` allows: the system gives each new
   * connection to one of them. Default: false.
   */
  readonly sharesPort?: boolean | undefined
  /**
   * A path of the file system at which the gateway listens as a Unix socket, in place of `host` and `port`. Every client
   * there is a trusted proxy, so only programs of this service may reach it. The port is then 0. Default: none.
   */
  readonly socketPath?: string | undefined
  /** The other processes that serve the same port as this service. Default: none. */
  readonly workers?: ServiceWorkers | undefined
}

/**
 * Processes that answer calls for a service.
 */
export interface ServiceWorkers {
  /** The number of processes that should run, of those that do, and of those with an earlier configuration. */
  readonly count: () => WorkerCount
  /** Returns the metrics of each process. They are added to those of this process. */
  readonly families: Effect.Effect<ReadonlyArray<ReadonlyArray<MetricFamily>>>
  /** Returns the lies of a network's nodes that the processes have found. The health of the nodes has them too. */
  readonly lies: (network: string) => ReadonlyArray<LieCount>
}

/**
 * The number of processes that should answer calls, and of those that do.
 */
export interface WorkerCount {
  readonly wanted: number
  readonly running: number
  /** The number of those that run with an earlier configuration, because they could not read the last one. */
  readonly outdated: number
}

export type { Mount } from "../http/Mount.ts"

export type { Tracing } from "../tracing/tracing.ts"

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults = { ...Setting.defaultsOf(listener), sharesPort: false }

/**
 * Options with all defaults filled in. Times are in milliseconds.
 */
export interface GatewaySettings extends Omit<Listener, "slowCall" | "timeouts" | "trustedProxies"> {
  readonly sharesPort: boolean
  readonly socketPath: string | undefined
  readonly workers: ServiceWorkers | undefined
  readonly timeouts: Required<GatewayTimeouts>
  /** Returns the address of the caller of a request. */
  readonly callerOf: ClientAddressOf
  readonly costs: Costs.Costs
  readonly wording: LimitExceeded.LimitWording
  readonly mounts: ReadonlyArray<Mount>
  readonly tls: Tls.CheckedTls | undefined
  /** Milliseconds above which a call is logged; Infinity if none is. */
  readonly slowCall: number
  readonly tracing: Tracing | undefined
  readonly cache: (() => VerifiedCacheStats | undefined) | undefined
  readonly families: Effect.Effect<ReadonlyArray<MetricFamily>>
}

/**
 * Fills in the defaults. Fails with the name of an invalid option.
 *
 * ```ts import.meta.vitest
 * import { GatewayOptions } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const settings = GatewayOptions.resolve({ networks: [], timeouts: { drain: "2 seconds" } })
 * Result.isSuccess(settings) && settings.success.timeouts.drain // => 2000
 * const wrong = GatewayOptions.resolve({ networks: [], limits: { batch: 0 } })
 * Result.isFailure(wrong) && wrong.failure.message // => "limits.batch: must be a whole number from 1 to 1000000000"
 * ```
 */
export const resolve = (options: GatewayOptions): Result.Result<GatewaySettings, GatewayError> =>
  Result.gen(function* () {
    const { trustedProxies, ...settings } = yield* Setting.resolve(listener, options)
    const { sample = 0 } = options.tracing ?? {}
    if (!(sample >= 0 && sample <= 1)) return yield* badOption("tracing.sample", "must be a number from 0 to 1")
    const tls =
      options.tls &&
      (yield* Result.mapError(Tls.check(options.tls), ({ problem }) => Setting.badOption({ path: ["tls"], problem })))
    const mounts = options.mounts ?? []
    const flaw = Mounts.flawOf(mounts)
    if (flaw !== undefined) return yield* badOption("mounts", flaw)
    const named = mounts.find(({ path }) => options.networks.some(({ name }) => name === path.split("/", 2)[1]))
    if (named !== undefined) {
      return yield* badOption("mounts", `the path ${named.path} begins with the name of a network`)
    }
    return {
      ...settings,
      timeouts: { grace: 0, ...settings.timeouts },
      callerOf: options.socketPath === undefined ? ClientAddress.make(trustedProxies) : ClientAddress.ofPeer,
      sharesPort: options.sharesPort ?? defaults.sharesPort,
      socketPath: options.socketPath,
      workers: options.workers,
      costs: options.costs ?? Result.getOrThrow(Costs.make()),
      wording: options.wording ?? {},
      mounts,
      tls,
      compressFrom: settings.compressFrom === 0 ? Infinity : settings.compressFrom,
      slowCall: settings.slowCall ?? Infinity,
      tracing: options.tracing,
      cache: options.cache,
      families: options.families ?? Effect.succeed([])
    }
  })

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(Setting.badOption({ path: [option], problem }))
