/**
 * Every setting of the gateway, its unit and its default.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { Stats } from "../cache/VerifiedCache.ts"
import { GatewayError } from "../errors/GatewayError.ts"
import * as Callers from "../http/callers.ts"
import type { CallerOf } from "../http/callers.ts"
import type { Mount } from "../http/Mount.ts"
import * as Mounts from "../http/mounts.ts"
import * as Tls from "../http/Tls.ts"
import type * as LimitExceeded from "../limits/LimitExceeded.ts"
import * as Costs from "../metering/Costs.ts"
import type { Family } from "../meters/Family.ts"
import type { Network } from "../networks/Network.ts"
import type { Tracing } from "../tracing/tracing.ts"
import * as IpfsOptions from "./IpfsOptions.ts"

export type { CallerOf } from "../http/callers.ts"

/**
 * The networks, the address and the limits of a gateway.
 */
export interface GatewayOptions {
  /** The networks; at least one. */
  readonly networks: ReadonlyArray<Network>
  /** The IPFS HTTP API. Without it there are no paths below `/api/v0/`. */
  readonly ipfs?: IpfsOptions.IpfsOptions | undefined
  /** Name of the network for unknown hosts. Default: the first network. */
  readonly defaultNetwork?: string | undefined
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** Port to listen on. Default 0: the system chooses a free port. */
  readonly port?: number | undefined
  /** Limits for a single caller, and for all callers together. */
  readonly limits?: Partial<Limits> | undefined
  /** Time limits. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /**
   * Trusted proxies in front of the service, as addresses or networks such as `10.0.0.0/8`. The gateway takes the
   * caller's address from their `X-Forwarded-For` header. Default: none; the caller's address is then the address at
   * the other end of the connection.
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The cost of calls. Default: the table of `Costs`. */
  readonly costs?: Costs.Costs | undefined
  /** The text of the refusals that callers over a limit get. */
  readonly wording?: LimitExceeded.Wording | undefined
  /**
   * The certificate for HTTPS and secure WebSockets. Default: none; the listener then uses plain HTTP. A reload can
   * change the certificate, but cannot switch between plain and secure.
   */
  readonly tls?: Tls.Tls | undefined
  /** Handlers of other programs on the same listener. Default: none. */
  readonly mounts?: ReadonlyArray<Mount> | undefined
  /**
   * An answer to calls is compressed, with Brotli or gzip, if it has at least this many bytes and the caller accepts
   * that. Default 4096; 0 turns compression off.
   */
  readonly compressFrom?: number | undefined
  /** Logs each HTTP request: method, redacted path, status, duration. Default false. */
  readonly accessLog?: boolean | undefined
  /**
   * A call to a node that takes longer than this time is logged, without its parameters. Default: no call is logged.
   */
  readonly slowCall?: Duration.Input | undefined
  /** Metrics of other parts, read at each scrape, such as `families` of `UsageWebhooks`. Default: none. */
  readonly families?: Effect.Effect<ReadonlyArray<Family>> | undefined
  /** Returns the counts of the cache of proven answers, such as `stats` of `VerifiedCache`. Default: no cache. */
  readonly cache?: (() => Stats | undefined) | undefined
  /** Makes spans of requests and of their calls to nodes. Default: no spans. */
  readonly tracing?: Tracing | undefined
}

export type { Mount } from "../http/Mount.ts"

export type { Tracing } from "../tracing/tracing.ts"

/**
 * Limits of size and number. Each is a whole number above zero. Each text names the default.
 */
export interface Limits {
  /** Maximum bytes of an HTTP body or a WebSocket message: 5 MiB, as in geth. */
  readonly bodyBytes: number
  /** Maximum calls in a batch: 1000, as in geth. */
  readonly batch: number
  /** Maximum depth of nested arrays and objects in a body: 64. */
  readonly depth: number
  /**
   * Maximum number of values in one call: 16,384. Members of objects and elements of arrays count, at any depth. A call
   * with more is answered with -32600, and never parsed. Each parameter of a method has a separate, lower limit.
   */
  readonly values: number
  /** Maximum calls of one batch that run at a node at the same time: 16. */
  readonly batchConcurrency: number
  /** Maximum bytes of all results of one request together: 64 MiB. Further calls are answered with -32003. */
  readonly answerBytes: number
  /** Maximum simultaneous HTTP requests: 1024. Further requests are answered with 503. */
  readonly requests: number
  /**
   * Maximum bytes of HTTP bodies and WebSocket messages in memory at a time: 256 MiB. Further bodies are answered with
   * 503. A WebSocket is not read until there is room for its message.
   */
  readonly bufferedBytes: number
  /** Maximum TCP connections: 10000. Further connections are closed. */
  readonly connections: number
  /** Maximum WebSockets: 5000. Further ones are answered with 503. */
  readonly sockets: number
  /** Maximum WebSockets of one project: 100. Further ones are answered with 429. */
  readonly socketsPerProject: number
  /** Maximum simultaneous messages of one WebSocket: 32. At this number the socket is not read. */
  readonly socketInFlight: number
  /** Maximum bytes that wait until one WebSocket's peer reads them: 16 MiB. A socket with more is closed with 1013. */
  readonly socketBufferedBytes: number
  /** Maximum subscriptions of one WebSocket: 100. Further ones are answered with -32005. */
  readonly socketSubscriptions: number
}

/**
 * Time limits. Numbers are milliseconds. Each text names the default.
 */
export interface Timeouts {
  /** Maximum time from the first byte of a request to the end of its headers: 10 seconds. */
  readonly headers: Duration.Input
  /**
   * Maximum time from the first byte of a request to the last byte of its body: 30 seconds, as in geth. For uploads to
   * IPFS `uploadIdle` is used instead.
   */
  readonly request: Duration.Input
  /** Maximum time until a call of a batch begins: 60 seconds. Later calls are answered with -32002. */
  readonly answer: Duration.Input
  /** Maximum time without progress while the caller reads an answer: 30 seconds. */
  readonly write: Duration.Input
  /** Time after which idle connections are closed: 120 seconds, as in geth. */
  readonly idle: Duration.Input
  /**
   * Interval between pings of a WebSocket: 30 seconds, as in geth. If a ping is unanswered when the next one is due,
   * the gateway closes the socket.
   */
  readonly heartbeat: Duration.Input
  /**
   * Time at the start of a shutdown in which the gateway still answers all requests while readiness answers 503. Load
   * balancers and clients can then move to other processes. Default: 0. The `up` command uses 5 seconds.
   */
  readonly grace: Duration.Input
  /** Maximum time after `grace` for requests in flight: 10 seconds. The remaining work is then given up. */
  readonly drain: Duration.Input
}

/**
 * The defaults of the options.
 */
export const defaults: {
  readonly host: string
  readonly port: number
  readonly compressFrom: number
  readonly limits: Limits
  readonly timeouts: Timeouts
} = {
  host: "127.0.0.1",
  port: 0,
  compressFrom: 4096,
  limits: {
    bodyBytes: 5 * 1024 * 1024,
    batch: 1000,
    depth: 64,
    values: 16_384,
    batchConcurrency: 16,
    answerBytes: 64 * 1024 * 1024,
    requests: 1024,
    bufferedBytes: 256 * 1024 * 1024,
    connections: 10_000,
    sockets: 5000,
    socketsPerProject: 100,
    socketInFlight: 32,
    socketBufferedBytes: 16 * 1024 * 1024,
    socketSubscriptions: 100
  },
  timeouts: {
    headers: "10 seconds",
    request: "30 seconds",
    answer: "60 seconds",
    write: "30 seconds",
    idle: "120 seconds",
    heartbeat: "30 seconds",
    grace: 0,
    drain: "10 seconds"
  }
}

/**
 * Options with all defaults filled in. Times are in milliseconds.
 */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly limits: Limits
  readonly timeouts: { readonly [Name in keyof Timeouts]: number }
  readonly ipfs: IpfsOptions.Settings | undefined
  /** Returns the address of the caller of a request. */
  readonly callerOf: CallerOf
  readonly costs: Costs.Costs
  readonly wording: LimitExceeded.Wording
  readonly mounts: ReadonlyArray<Mount>
  readonly tls: Tls.Checked | undefined
  readonly accessLog: boolean
  /** Answers of at least this many bytes are compressed; Infinity turns compression off. */
  readonly compressFrom: number
  /** Milliseconds above which a call is logged; Infinity if none is. */
  readonly slowCall: number
  readonly tracing: Tracing | undefined
  readonly cache: (() => Stats | undefined) | undefined
  readonly families: Effect.Effect<ReadonlyArray<Family>>
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
 * Result.isFailure(wrong) && wrong.failure.message // => "limits.batch: must be a whole number above zero"
 * ```
 */
export const resolve = (options: GatewayOptions): Result.Result<Settings, GatewayError> => {
  const host = options.host ?? defaults.host
  const port = options.port ?? defaults.port
  if (!Number.isInteger(port) || port < 0 || port > 65_535) return badOption("port", "must be 0 to 65535")

  const limits = { ...defaults.limits, ...defined(options.limits) }
  for (const [name, value] of Object.entries(limits)) {
    if (!Number.isSafeInteger(value) || value < 1) {
      return badOption(`limits.${name}`, "must be a whole number above zero")
    }
  }
  const inputs = { ...defaults.timeouts, ...defined(options.timeouts) }
  const timeouts: Record<string, number> = {}
  for (const [name, input] of Object.entries(inputs)) {
    const millis = millisOf(input)
    // The maximum below is that of Node's timers, which have 32 bits: a longer timer would fire at once.
    const least = name === "grace" ? 0 : 1
    if (!(millis >= least && millis <= 0x7fff_ffff)) {
      return badOption(
        `timeouts.${name}`,
        `must be a time from ${least} millisecond${least === 1 ? "" : "s"} to 24 days`
      )
    }
    timeouts[name] = Math.ceil(millis)
  }
  const { compressFrom = defaults.compressFrom } = options
  if (!Number.isSafeInteger(compressFrom) || compressFrom < 0) {
    return badOption("compressFrom", "must be a whole number from 0")
  }
  const slowCall = options.slowCall === undefined ? Infinity : millisOf(options.slowCall)
  if (!(slowCall >= 1)) return badOption("slowCall", "must be a time from 1 millisecond")
  const { sample = 0 } = options.tracing ?? {}
  if (!(sample >= 0 && sample <= 1)) return badOption("tracing.sample", "must be a number from 0 to 1")
  const ipfs = options.ipfs === undefined ? undefined : IpfsOptions.resolve(options.ipfs)
  if (ipfs !== undefined && Result.isFailure(ipfs)) return Result.fail(ipfs.failure)
  const tls = options.tls === undefined ? undefined : Tls.check(options.tls)
  if (tls !== undefined && Result.isFailure(tls)) return badOption("tls", tls.failure)
  const callerOf = Callers.make(options.trustedProxies ?? [])
  if (callerOf === undefined) {
    return badOption("trustedProxies", "must be addresses or networks, such as 10.0.0.0/8")
  }
  const mounts = options.mounts ?? []
  const flaw = Mounts.flawOf(mounts)
  if (flaw !== undefined) return badOption("mounts", flaw)
  const named = mounts.find(({ path }) => options.networks.some(({ name }) => name === path.split("/", 2)[1]))
  if (named !== undefined) return badOption("mounts", `the path ${named.path} begins with the name of a network`)
  return Result.succeed({
    host,
    port,
    limits,
    timeouts: timeouts as Settings["timeouts"],
    ipfs: ipfs?.success,
    callerOf,
    costs: options.costs ?? Result.getOrThrow(Costs.make()),
    wording: options.wording ?? {},
    mounts,
    tls: tls?.success,
    accessLog: options.accessLog ?? false,
    compressFrom: compressFrom === 0 ? Infinity : compressFrom,
    slowCall,
    tracing: options.tracing,
    cache: options.cache,
    families: options.families ?? Effect.succeed([])
  })
}

const millisOf = (input: Duration.Input): number => {
  const duration = Duration.fromInput(input)
  return duration._tag === "Some" ? Duration.toMillis(duration.value) : Number.NaN
}

const defined = <A extends object>(options: A | undefined): Partial<A> =>
  Object.fromEntries(Object.entries(options ?? {}).filter(([, value]) => value !== undefined)) as Partial<A>

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
