/**
 * Every setting of the IPFS part of the gateway, with its unit and its default.
 */
import type { KeyHolder, Project } from "@plumbline/gateway/accounts/Account"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import type * as IpfsQuota from "@plumbline/gateway/limits/IpfsQuota"
import type * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import type { IpfsHealth } from "@plumbline/gateway/pipeline/IpfsHealth"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

const { array, bytes, count, defaulted, duration, group, literal, pattern, textThat } = Setting

const isCommand = (name: string): boolean => IpfsApi.find(name) !== undefined

const isCid = (text: string): boolean => Result.isSuccess(Cid.fromText(text))

/** The settings of the IPFS API and of the trustless gateway. */
export const fields = {
  allowedOrigins: defaulted(
    array(
      pattern(/^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+)$/u, "must be an origin such as https://app.example, or *", {
        description: "An origin such as https://app.example, in lower case; * is any."
      }),
      {
        description:
          "Origins of pages that may call, in addition to pages of this machine and the extensions of IPFS Companion.",
        default: []
      }
    )
  ),
  disallowed: defaulted(
    array(textThat(isCommand, "must be a command, such as pin/rm", { description: "A command, such as pin/rm." }), {
      description: "Commands that are answered with 403.",
      default: []
    })
  ),
  limits: group(
    {
      parts: defaulted(count({ description: "Parts of an upload.", default: 100_000 })),
      blockBytes: defaulted(
        bytes({
          description: "Size of data that must be in memory as a whole: a block.",
          default: "8MiB",
          least: 1
        })
      ),
      listed: defaulted(count({ description: "Entries of an answer that is not a stream.", default: 100_000 }))
    },
    "Bounds of one request."
  ),
  uploadIdle: defaulted(
    duration({ description: "Maximum silence of a client in the middle of an upload.", default: "30s" })
  ),
  gateway: defaulted(
    literal(["off", "key", "public"], {
      description:
        "The callers that may read blocks and CARs by GET: key, callers with a project's key at /v3/<key>/ipfs/<cid>, or with its secret at /ipfs/<cid>; public, callers without a key too, within the limits of one new project; off, none.",
      default: "key"
    })
  ),
  gatewayBlocked: defaulted(
    array(
      textThat(isCid, "must be a CID", {
        description: "A CID. Every other CID of the same bytes is blocked too."
      }),
      { description: "Content that the gateway answers with 410.", default: [] }
    )
  ),
  gatewayTimeout: defaulted(
    duration({
      description: "Maximum time from a request to the gateway to the first byte of its answer.",
      default: "30s"
    })
  )
}

const settings = Schema.Struct(fields)

/**
 * Limits of one request. Files and CARs have no limit, because they are never in memory as a whole. The headers of a
 * part may have 16 KiB. An upload may have 2048 directories, and 8 more for each of its parts.
 */
export type IpfsLimits = (typeof settings.Type)["limits"]

/**
 * The service below `/api/v0/`: its node, its callers and its limits.
 */
export interface IpfsOptions extends Setting.OptionsOf<typeof settings.Type> {
  /**
   * Returns the node as a project sees it, with the project's quotas applied. It runs for each request, so it must not
   * wait. `() => node` shows everything to all projects, without quotas.
   */
  readonly node: (holder: KeyHolder, quotas: IpfsQuota.IpfsQuotaLimits) => IpfsNodeCommands
  /** Returns the quotas of a project, for `node`. Default: the quotas among the project's limits. */
  readonly quotas?: ((holder: KeyHolder) => IpfsQuota.IpfsQuotaLimits) | undefined
  /**
   * Returns the size of a project's pins in bytes, for its usage figures. It runs after each command that may change
   * the size. Default: unknown.
   */
  readonly stored?: ((holder: KeyHolder) => Effect.Effect<number, IpfsNodeError>) | undefined
  /** The state of the nodes, for `/health`, such as `health` of `IpfsNodes`. Default: not shown. */
  readonly health?: Effect.Effect<IpfsHealth> | undefined
  /** The limits of all callers without a key together, in the form of a project's limits. Default: none. */
  readonly publicLimits?: ProjectLimits.ProjectLimits | undefined
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults = Setting.defaultsOf(settings)

/**
 * Options with all defaults filled in. Times are in milliseconds.
 */
export interface IpfsSettings {
  readonly node: (holder: KeyHolder, quotas: IpfsQuota.IpfsQuotaLimits) => IpfsNodeCommands
  readonly quotas: (holder: KeyHolder) => IpfsQuota.IpfsQuotaLimits
  readonly stored: (holder: KeyHolder) => Effect.Effect<number | undefined, IpfsNodeError>
  readonly health: Effect.Effect<IpfsHealth> | undefined
  readonly allowedOrigins: ReadonlySet<string>
  readonly disallowed: ReadonlySet<string>
  readonly limits: IpfsLimits
  readonly uploadIdle: number
  readonly gateway: {
    readonly access: "off" | "key" | "public"
    readonly limits: ProjectLimits.ProjectLimits
    /** The multihashes of the blocked CIDs, as `Cid.key` writes them. */
    readonly blocked: ReadonlySet<string>
    readonly timeout: number
  }
}

/**
 * Fills in the defaults. Fails with the name of an invalid option.
 */
export const resolve = (options: IpfsOptions): Result.Result<IpfsSettings, GatewayError> =>
  Result.map(
    Setting.resolve(settings, options, ["ipfs"]),
    ({ allowedOrigins, disallowed, gateway, gatewayBlocked, gatewayTimeout, limits, uploadIdle }) => ({
      node: options.node,
      quotas: options.quotas ?? (({ project }) => quotasOf(project)),
      stored: options.stored ?? (() => Effect.undefined),
      health: options.health,
      allowedOrigins: new Set(allowedOrigins),
      disallowed: new Set(disallowed),
      limits,
      uploadIdle,
      gateway: {
        access: gateway,
        limits: options.publicLimits ?? {},
        blocked: new Set(gatewayBlocked.map((text) => Cid.key(Cid.fromTextUnsafe(text)))),
        timeout: gatewayTimeout
      }
    })
  )

/** Returns the quotas of a project for stored, sent and received bytes. */
const quotasOf = ({ limits }: Project): IpfsQuota.IpfsQuotaLimits => ({
  stored: limits.ipfsStored,
  uploaded: limits.ipfsUploadedPerDay,
  downloaded: limits.ipfsDownloadedPerDay
})
