/**
 * Every setting of the IPFS part of the gateway, with its unit and its default.
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
 * The service below `/api/v0/`: its node, its callers and its limits.
 */
export interface IpfsOptions {
  /**
   * Returns the node as a project sees it, with the project's quotas applied. It runs for each request, so it must not
   * wait. `() => node` shows everything to all projects, without quotas.
   */
  readonly node: (holder: Holder, quotas: IpfsQuota.Limits) => Node
  /** Returns the quotas of a project, for `node`. Default: the quotas among the project's limits. */
  readonly quotas?: ((holder: Holder) => IpfsQuota.Limits) | undefined
  /**
   * Returns the size of a project's pins in bytes, for its usage figures. It runs after each command that may change
   * the size. Default: unknown.
   */
  readonly stored?: ((holder: Holder) => Effect.Effect<number, IpfsNodeError>) | undefined
  /** The state of the nodes, for `/health`, such as `health` of `IpfsNodes`. Default: not shown. */
  readonly health?: Effect.Effect<Health> | undefined
  /**
   * Origins of web pages that may call, such as `https://app.example`; `*` permits every origin. Pages that the service
   * itself serves on this machine may always call. The two extensions of IPFS Companion may always call too.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** Commands that are answered with 403. Default: none. */
  readonly disallowed?: ReadonlyArray<IpfsApi.Name> | undefined
  /** Limits of one request. */
  readonly limits?: Partial<Limits> | undefined
  /** The trustless gateway: blocks and CARs below `/ipfs/`, by GET. */
  readonly gateway?: Trustless | undefined
  /**
   * Maximum time for which the service waits for the next 1 KiB of an upload: 30 seconds. The upload as a whole can
   * take any time.
   */
  readonly uploadIdle?: Duration.Input | undefined
}

/**
 * The callers and the limits of the trustless gateway.
 */
export interface Trustless {
  /**
   * The callers that may use the trustless gateway:
   *
   * - `key`, the default: callers with a project's key in the path (`/v3/<key>/ipfs/<cid>`), or with key and secret in
   *   the Authorization header (`/ipfs/<cid>`).
   * - `public`: these callers, and callers without a key at `/ipfs/<cid>`. All callers without a key count as the
   *   project `public`.
   * - `off`: no callers. The paths are 404.
   */
  readonly access?: "off" | "key" | "public" | undefined
  /** The limits of all callers without a key together, in the form of a project's limits. Default: none. */
  readonly limits?: ProjectLimits.Limits | undefined
  /**
   * Blocked CIDs. A request gets 410 if it names one of them, or if its answer would contain the block of one of them.
   * Default: none.
   */
  readonly blocked?: ReadonlyArray<string> | undefined
  /** Maximum time until the first byte of an answer: 30 seconds. After that the answer is 504. */
  readonly timeout?: Duration.Input | undefined
}

/**
 * The state of one node. `down`: other nodes are asked first. `wrong`: the node recently gave bytes that do not match
 * their CID. `lies` counts such answers since the start.
 */
export interface NodeHealth {
  readonly name: string
  readonly state: UpstreamState
  readonly lies: number
}

/**
 * The figures of the cache since the start. `damaged` counts blocks in the folder that no longer matched their CID and
 * were removed. `problem` is the code of the folder's last error.
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
 * The state of the IPFS nodes, as in the answer of `/health`. It holds no secrets: the operator chose the names.
 */
export interface Health {
  readonly nodes: ReadonlyArray<NodeHealth>
  /** The figures of the cache. Absent without a cache. */
  readonly cache?: CacheHealth | undefined
}

/**
 * Limits of one request. Each limit is a whole number above zero, and its comment ends with the default.
 *
 * Files and CARs have no limit, because they are never in memory as a whole. The headers of a part may have 16 KiB. An
 * upload may have 2048 directories, and 8 more for each of its parts.
 */
export interface Limits {
  /** Maximum parts of an upload: 100000. */
  readonly parts: number
  /** Maximum bytes of data that must be in memory as a whole (a block, or a node of dag/put or object/put): 8 MiB. */
  readonly blockBytes: number
  /** Maximum pins, or entries of all directories together, in an answer that is not a stream: 100000. */
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
 * Options with all defaults filled in. Times are in milliseconds.
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
    /** The multihashes of the blocked CIDs, as `Cid.key` writes them. */
    readonly blocked: ReadonlySet<string>
    readonly timeout: number
  }
}

/**
 * Fills in the defaults. Fails with the name of an invalid option.
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

/** Returns the quotas of a project for stored, sent and received bytes. */
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

/**
 * Returns a time in milliseconds if Node's timers can count it. They have 32 bits, and a longer time would fire at
 * once.
 */
const millisOf = (input: Duration.Input): number | undefined => {
  const duration = Duration.fromInput(input)
  const millis = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  return millis >= 1 && millis <= 0x7fff_ffff ? millis : undefined
}

const TIME = "must be a time from 1 millisecond to 24 days"

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
