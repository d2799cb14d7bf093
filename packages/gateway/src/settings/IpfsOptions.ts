/**
 * Every setting of the IPFS half of the gateway, its unit and its default.
 *
 * @since 0.1.0
 */
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { Node } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { Holder, Project } from "../accounts/Account.ts"
import { GatewayError } from "../errors/GatewayError.ts"
import type * as IpfsQuota from "../limits/IpfsQuota.ts"

/**
 * What is served under `/api/v0/`, to whom, and within which bounds.
 *
 * @since 0.1.0
 */
export interface IpfsOptions {
  /**
   * What a project sees of the node, within its quotas. It is asked for each request, so it must not wait; `() => node`
   * shows all to all, without quotas.
   */
  readonly node: (holder: Holder, quotas: IpfsQuota.Limits) => Node
  /** The quotas of a project, for `node`. Default: those among its limits. */
  readonly quotas?: ((holder: Holder) => IpfsQuota.Limits) | undefined
  /** Bytes of what a project has pinned, for its figures: asked behind each command that may change it. Default: not known. */
  readonly stored?: ((holder: Holder) => Effect.Effect<number, IpfsNodeError>) | undefined
  /**
   * Origins of pages that may call, such as `https://app.example`, beside those that always may: pages that the service
   * serves itself on this machine, and the two extensions of IPFS Companion. `*` is any.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** Commands that are there and answered with 403. Default: none. */
  readonly disallowed?: ReadonlyArray<IpfsApi.Name> | undefined
  /** What one request may take. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * How long a client may be silent in the middle of an upload, or send less than 1 KiB while it is waited for: 30 seconds.
   * An upload as a whole may take any time.
   */
  readonly uploadIdle?: Duration.Input | undefined
}

/**
 * Bounds of one request. Every one is a whole number above zero.
 *
 * Files and CARs have no bound: they are never in memory. The headers of a part may have 16 KiB, and an upload 2048
 * directories, with 8 more for each of its parts.
 *
 * @since 0.1.0
 */
export interface Limits {
  /** Parts of an upload: 100000. */
  readonly parts: number
  /** Bytes of what must be in memory as a whole: a block, a node of dag/put or object/put. 8 MiB. */
  readonly blockBytes: number
  /** Pins, or entries of all directories together, in an answer that is not a stream: 100000. */
  readonly listed: number
}

/**
 * The defaults of {@link Limits}.
 *
 * @since 0.1.0
 */
export const defaultLimits: Limits = { parts: 100_000, blockBytes: 8 * 1024 * 1024, listed: 100_000 }

/**
 * Options with every default in its place; times in milliseconds.
 *
 * @since 0.1.0
 */
export interface Settings {
  readonly node: (holder: Holder, quotas: IpfsQuota.Limits) => Node
  readonly quotas: (holder: Holder) => IpfsQuota.Limits
  readonly stored: (holder: Holder) => Effect.Effect<number | undefined, IpfsNodeError>
  readonly allowedOrigins: ReadonlySet<string>
  readonly disallowed: ReadonlySet<string>
  readonly limits: Limits
  readonly uploadIdle: number
}

/**
 * Fills in the defaults, or says which option is wrong.
 *
 * @since 0.1.0
 */
export const resolve = (options: IpfsOptions): Result.Result<Settings, GatewayError> => {
  const limits = numbers("limits", options.limits, defaultLimits)
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
  const duration = Duration.fromInput(options.uploadIdle ?? "30 seconds")
  const uploadIdle = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  // Node's timers count in 32 bits: what is longer would fire at once.
  if (!(uploadIdle >= 1 && uploadIdle <= 0x7fff_ffff)) {
    return badOption("ipfs.uploadIdle", "must be a time from 1 millisecond to 24 days")
  }
  return Result.succeed({
    node: options.node,
    quotas: options.quotas ?? (({ project }) => quotasOf(project)),
    stored: options.stored ?? (() => Effect.undefined),
    allowedOrigins,
    disallowed,
    limits: limits.success,
    uploadIdle
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

/** The most that a limiter counts exactly. */
const MAX = 1_000_000_000_000

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
