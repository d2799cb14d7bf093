/**
 * Every setting of the IPFS half of the gateway, its unit and its default.
 */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { Node } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { Holder, Project } from "../accounts/Account.ts"
import { GatewayError } from "../errors/GatewayError.ts"
import type * as IpfsQuota from "../limits/IpfsQuota.ts"
import type * as ProjectLimits from "../limits/Limits.ts"
import type { UpstreamState } from "../networks/Upstream.ts"

/**
 * The service below `/api/v0/`: its node, its callers and its bounds.
 */
export interface IpfsOptions {
  /**
   * Returns the node as a project sees it, within its quotas. It is called for each request, so it must not wait; `()
   * => node` shows everything to all projects, without quotas.
   */
  readonly node: (holder: Holder, quotas: IpfsQuota.Limits) => Node
  /** Returns the quotas of a project, for `node`. Default: those among its limits. */
  readonly quotas?: ((holder: Holder) => IpfsQuota.Limits) | undefined
  /**
   * Returns the size of a project's pins in bytes, for its figures: called after each command that may change it.
   * Default: unknown.
   */
  readonly stored?: ((holder: Holder) => Effect.Effect<number, IpfsNodeError>) | undefined
  /** The state of the nodes, for `/health`: `health` of `IpfsNodes`. Default: not shown. */
  readonly health?: Effect.Effect<Health> | undefined
  /**
   * Origins of pages that may call, such as `https://app.example`. Always allowed are pages that the service itself
   * serves on this machine, and the two extensions of IPFS Companion. `*` is any.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** Commands that are answered with 403. Default: none. */
  readonly disallowed?: ReadonlyArray<IpfsApi.Name> | undefined
  /** Bounds of one request. */
  readonly limits?: Partial<Limits> | undefined
  /** The trustless gateway: blocks and CARs below `/ipfs/`, by GET. */
  readonly gateway?: Trustless | undefined
  /**
   * Maximum time in an upload without data, or with less than 1 KiB while the service waits: 30 seconds. An upload as a
   * whole may take any time.
   */
  readonly uploadIdle?: Duration.Input | undefined
}

/**
 * The callers and the bounds of the trustless gateway.
 */
export interface Trustless {
  /**
   * - `key`, the default: callers with the key of a project, in the path (`/v3/<key>/ipfs/<cid>`) or with its secret in
   *   the Authorization header (`/ipfs/<cid>`).
   * - `public`: these, and callers without a key at `/ipfs/<cid>`. Together they are the project `public`.
   * - `off`: none. The paths are 404.
   */
  readonly access?: "off" | "key" | "public" | undefined
  /** The limits of all callers without a key together, as those of one project. Default: none. */
  readonly limits?: ProjectLimits.Limits | undefined
  /** CIDs that are answered with 410, as roots and as any block of an answer. Default: none. */
  readonly blocked?: ReadonlyArray<string> | undefined
  /** Maximum time until the first byte of an answer, which is 504 after that: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * The state of one node: `down` while others are asked first, `wrong` for a while after it gave bytes that do not match
 * their CID. `lies` counts these since the start.
 */
export interface NodeHealth {
  readonly name: string
  readonly state: UpstreamState
  readonly lies: number
}

/**
 * The figures of the cache since the start. `damaged` counts blocks of the folder that no longer matched their CID, and
 * were removed; `problem` is the code of the last error of the folder.
 */
export interface CacheHealth {
  readonly hits: number
  readonly misses: number
  readonly damaged: number
  readonly memoryBytes: number
  readonly diskBytes: number
  readonly problem?: string | undefined
}

/**
 * The state of the IPFS nodes, as in the answer of `/health`. It holds nothing secret: the names are the operator's.
 */
export interface Health {
  readonly nodes: ReadonlyArray<NodeHealth>
  /** Absent without a cache. */
  readonly cache?: CacheHealth | undefined
}

/**
 * Bounds of one request. Each is a whole number above zero.
 *
 * Files and CARs have no bound: they are never in memory. The headers of a part may have 16 KiB, and an upload 2048
 * directories, with 8 more for each of its parts.
 */
export interface Limits {
  /** Parts of an upload: 100000. */
  readonly parts: number
  /** Bytes of data that must be in memory as a whole: a block, a node of dag/put or object/put. 8 MiB. */
  readonly blockBytes: number
  /** Pins, or entries of all directories together, in an answer that is not a stream: 100000. */
  readonly listed: number
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults: {
  readonly limits: Limits
  readonly uploadIdle: number
  readonly gateway: { readonly access: "off" | "key" | "public"; readonly timeout: number }
} = {
  limits: { parts: 100_000, blockBytes: 8 * 1024 * 1024, listed: 100_000 },
  uploadIdle: 30_000,
  gateway: { access: "key", timeout: 30_000 }
}

/**
 * Options with all defaults filled in; times in milliseconds.
 */
export interface Settings {
  readonly node: (holder: Holder, quotas: IpfsQuota.Limits) => Node
  readonly quotas: (holder: Holder) => IpfsQuota.Limits
  readonly stored: (holder: Holder) => Effect.Effect<number | undefined, IpfsNodeError>
  readonly health: Effect.Effect<Health> | undefined
  readonly allowedOrigins: ReadonlySet<string>
  readonly disallowed: ReadonlySet<string>
  readonly limits: Limits
  readonly uploadIdle: number
  readonly gateway: {
    readonly access: "off" | "key" | "public"
    readonly limits: ProjectLimits.Limits
    /** The multihashes, as `Cid.key` writes them. */
    readonly blocked: ReadonlySet<string>
    readonly timeout: number
  }
}

/**
 * Fills in the defaults, or fails with the name of the wrong option.
 */
export const resolve = (options: IpfsOptions): Result.Result<Settings, GatewayError> => {
  const limits = numbers("limits", options.limits, defaults.limits)
  if (Result.isFailure(limits)) return Result.fail(limits.failure)
  const allowedOrigins = new Set<string>()
  for (const origin of options.allowedOrigins ?? []) {
    if (origin !== "*" && !/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/u.test(origin)) {
      return badOption("ipfs.allowedOrigins", "must be origins, such as https://app.example, in lower case, or *")
    }
    allowedOrigins.add(origin)
  }
  const disallowed = new Set<string>(options.disallowed)
  for (const name of disallowed) {
    if (IpfsApi.find(name) === undefined) return badOption("ipfs.disallowed", "must be names of commands")
  }
  const uploadIdle = millisOf(options.uploadIdle ?? defaults.uploadIdle)
  if (uploadIdle === undefined) return badOption("ipfs.uploadIdle", TIME)
  const { access = defaults.gateway.access, blocked = [], limits: publicLimits = {} } = options.gateway ?? {}
  const timeout = millisOf(options.gateway?.timeout ?? defaults.gateway.timeout)
  if (timeout === undefined) return badOption("ipfs.gateway.timeout", TIME)
  const keys = new Set<string>()
  for (const text of blocked) {
    const cid = Cid.fromText(text)
    if (Result.isFailure(cid)) return badOption("ipfs.gateway.blocked", "must be CIDs")
    keys.add(Cid.key(cid.success))
  }
  return Result.succeed({
    node: options.node,
    quotas: options.quotas ?? (({ project }) => quotasOf(project)),
    stored: options.stored ?? (() => Effect.undefined),
    health: options.health,
    allowedOrigins,
    disallowed,
    limits: limits.success,
    uploadIdle,
    gateway: { access, limits: publicLimits, blocked: keys, timeout }
  })
}

/** Returns the quotas of a project: bytes to store, to send and to read. */
const quotasOf = ({ limits }: Project): IpfsQuota.Limits => ({
  stored: limits.ipfsStored,
  uploaded: limits.ipfsUploadedPerDay,
  downloaded: limits.ipfsDownloadedPerDay
})

const numbers = <A extends object>(
  what: string,
  given: { readonly [K in keyof A]?: number | undefined } | undefined,
  defaults: A & { readonly [K in keyof A]: number }
): Result.Result<A, GatewayError> => {
  const resolved: { -readonly [K in keyof A]: number } = { ...defaults }
  for (const name of Object.keys(defaults) as Array<keyof A & string>) {
    const value = given?.[name] ?? defaults[name]
    if (!Number.isSafeInteger(value) || value < 1 || value > MAX) {
      return badOption(`ipfs.${what}.${name}`, "must be a whole number above zero")
    }
    resolved[name] = value
  }
  return Result.succeed(resolved as A)
}

/** The largest number that a limiter counts exactly. */
const MAX = 1_000_000_000_000

/** Returns a time that Node's timers can count. They count in 32 bits, and a longer time would fire at once. */
const millisOf = (input: Duration.Input): number | undefined => {
  const duration = Duration.fromInput(input)
  const millis = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  return millis >= 1 && millis <= 0x7fff_ffff ? millis : undefined
}

const TIME = "must be a time from 1 millisecond to 24 days"

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
