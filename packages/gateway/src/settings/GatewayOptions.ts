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
 * The networks, the address and the bounds of a gateway.
 */
export interface GatewayOptions {
  /** The networks; at least one. */
  readonly networks: ReadonlyArray<Network>
  /** The IPFS HTTP API. Without it there are no paths below `/api/v0/`. */
  readonly ipfs?: IpfsOptions.IpfsOptions | undefined
  /** Name of the network for unknown hosts. Default: the first. */
  readonly defaultNetwork?: string | undefined
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string | undefined
  /** Port to listen on; 0, the default, is any free one. */
  readonly port?: number | undefined
  /** Bounds of a single caller, and of all together. */
  readonly limits?: Partial<Limits> | undefined
  /** Bounds of time. */
  readonly timeouts?: Partial<Timeouts> | undefined
  /**
   * Trusted proxies in front of the service, as addresses or networks such as `10.0.0.0/8`: their `X-Forwarded-For` is
   * believed. Default: none, and the other end of the connection is the caller.
   */
  readonly trustedProxies?: ReadonlyArray<string> | undefined
  /** The cost of calls. Default: the table of `Costs`. */
  readonly costs?: Costs.Costs | undefined
  /** The wording of exceeded limits. */
  readonly wording?: LimitExceeded.Wording | undefined
  /**
   * The certificate for HTTPS and secure WebSockets. Default: none, and the listener speaks plain HTTP. A reload can
   * bring another one, and cannot switch between plain and secure.
   */
  readonly tls?: Tls.Tls | undefined
  /** Handlers of other programs on the same listener. Default: none. */
  readonly mounts?: ReadonlyArray<Mount> | undefined
  /**
   * Bytes of an answer to calls from which it is compressed by Brotli or gzip, if the caller takes that. Default 4096;
   * 0 compresses none.
   */
  readonly compressFrom?: number | undefined
  /** Log each HTTP request: method, redacted path, status, duration. Default false. */
  readonly accessLog?: boolean | undefined
  /** The time above which a call to a node is logged, without its parameters. Default: none. */
  readonly slowCall?: Duration.Input | undefined
  /** Metrics of other parts, read at each scrape: `families` of `UsageWebhooks`. Default: there are none. */
  readonly families?: Effect.Effect<ReadonlyArray<Family>> | undefined
  /** Returns the counts of the cache of proven answers: `stats` of `VerifiedCache`. Default: there is none. */
  readonly cache?: (() => Stats | undefined) | undefined
  /** Makes spans of requests and of their calls to nodes. Default: none. */
  readonly tracing?: Tracing | undefined
}

export type { Mount } from "../http/Mount.ts"

export type { Tracing } from "../tracing/tracing.ts"

/**
 * Bounds of size and number. Each is a whole number above zero.
 */
export interface Limits {
  /** Bytes of an HTTP body or a WebSocket message: 5 MiB, as geth. */
  readonly bodyBytes: number
  /** Calls in a batch: 1000, as geth. */
  readonly batch: number
  /** Depth of nested arrays and objects in a body: 64. */
  readonly depth: number
  /**
   * Values of one call: members of objects and elements of arrays, at any depth: 16,384. A call with more is answered
   * with -32600, and never parsed. Each parameter of a method has a bound of its own, which is lower.
   */
  readonly values: number
  /** Simultaneous calls of one batch at a node: 16. */
  readonly batchConcurrency: number
  /** Bytes of the results of one request together: 64 MiB. Further calls are answered with -32003. */
  readonly answerBytes: number
  /** Simultaneous HTTP requests: 1024. Further ones are answered with 503. */
  readonly requests: number
  /**
   * Bytes of HTTP bodies and WebSocket messages in memory at a time: 256 MiB. Further bodies are answered with 503; a
   * WebSocket is not read until there is room for its message.
   */
  readonly bufferedBytes: number
  /** TCP connections: 10000. Further ones are closed. */
  readonly connections: number
  /** WebSockets: 5000. Further ones are answered with 503. */
  readonly sockets: number
  /** WebSockets of one project: 100. Further ones are answered with 429. */
  readonly socketsPerProject: number
  /** Simultaneous messages of one WebSocket: 32. At this number the socket is not read. */
  readonly socketInFlight: number
  /** Bytes waiting for one WebSocket to read them: 16 MiB. A socket with more is closed with 1013. */
  readonly socketBufferedBytes: number
  /** Subscriptions of one WebSocket: 100. Further ones are answered with -32005. */
  readonly socketSubscriptions: number
}

/**
 * Bounds of time. Numbers are milliseconds.
 */
export interface Timeouts {
  /** Maximum time from the first byte of a request to the end of its headers: 10 seconds. */
  readonly headers: Duration.Input
  /**
   * Maximum time from the first byte of a request to the last byte of its body: 30 seconds, as geth. Uploads to IPFS
   * have `uploadIdle` instead.
   */
  readonly request: Duration.Input
  /** Calls of a batch that have not begun within this time are answered with -32002: 60 seconds. */
  readonly answer: Duration.Input
  /** Time without progress while the caller reads an answer: 30 seconds. */
  readonly write: Duration.Input
  /** Time after which idle connections are closed: 120 seconds, as geth. */
  readonly idle: Duration.Input
  /**
   * Interval between pings of a WebSocket: 30 seconds, as geth. The gateway closes the socket if a ping is still
   * unanswered when the next one is due.
   */
  readonly heartbeat: Duration.Input
  /**
   * Time at the start of a shutdown in which the gateway still answers all requests, while readiness answers 503, so
   * that load balancers and clients use other processes. Default: 0. The `up` command has 5 seconds.
   */
  readonly grace: Duration.Input
  /** Time after `grace` for requests in flight: 10 seconds. Unfinished work is then given up. */
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
 * Options with all defaults filled in; times in milliseconds.
 */
export interface Settings {
  readonly host: string
  readonly port: number
  readonly limits: Limits
  readonly timeouts: { readonly [Name in keyof Timeouts]: number }
  readonly ipfs: IpfsOptions.Settings | undefined
  /** Returns the address of a request's caller. */
  readonly callerOf: CallerOf
  readonly costs: Costs.Costs
  readonly wording: LimitExceeded.Wording
  readonly mounts: ReadonlyArray<Mount>
  readonly tls: Tls.Checked | undefined
  readonly accessLog: boolean
  /** Bytes; Infinity if no answer is compressed. */
  readonly compressFrom: number
  /** Milliseconds; Infinity if no call is logged. */
  readonly slowCall: number
  readonly tracing: Tracing | undefined
  readonly cache: (() => Stats | undefined) | undefined
  readonly families: Effect.Effect<ReadonlyArray<Family>>
}

/**
 * Fills in the defaults, or fails with the name of the wrong option.
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
    // Node's timers count in 32 bits: a longer time would fire at once.
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
  if (named !== undefined) return badOption("mounts", `paths of a network begin with those of ${named.path}`)
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
