/**
 * Every setting of the IPFS half of the gateway, its unit and its default.
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
  /**
   * Origins of pages that may call, such as `https://app.example`. Always allowed are pages that the service itself
   * serves on this machine, and the two extensions of IPFS Companion. `*` is any.
   */
  readonly allowedOrigins?: ReadonlyArray<string> | undefined
  /** Commands that are answered with 403. Default: none. */
  readonly disallowed?: ReadonlyArray<IpfsApi.Name> | undefined
  /** Bounds of one request. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * Maximum time in an upload without data, or with less than 1 KiB while the service waits: 30 seconds. An upload as a
   * whole may take any time.
   */
  readonly uploadIdle?: Duration.Input | undefined
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
 * The defaults of the options. `uploadIdle` is in milliseconds.
 */
export const defaults: { readonly limits: Limits; readonly uploadIdle: number } = {
  limits: { parts: 100_000, blockBytes: 8 * 1024 * 1024, listed: 100_000 },
  uploadIdle: 30_000
}

/**
 * Options with all defaults filled in; times in milliseconds.
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
  const duration = Duration.fromInput(options.uploadIdle ?? defaults.uploadIdle)
  const uploadIdle = duration._tag === "Some" ? Math.ceil(Duration.toMillis(duration.value)) : Number.NaN
  // Node's timers count in 32 bits: a longer time would fire at once.
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

/** The largest number that a limiter counts exactly. */
const MAX = 1_000_000_000_000

const badOption = (option: string, problem: string): Result.Result<never, GatewayError> =>
  Result.fail(new GatewayError({ reason: { _tag: "BadOption", option, problem } }))
