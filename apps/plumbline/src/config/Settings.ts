/**
 * What a service runs with: the configuration with every name, default and unit in its place.
 */
import type * as GatewayOptions from "@plumbline/gateway/GatewayOptions"
import type * as IpfsOptions from "@plumbline/gateway/IpfsOptions"
import type * as Limiter from "@plumbline/gateway/Limiter"
import type * as LimitExceeded from "@plumbline/gateway/LimitExceeded"
import * as Limits from "@plumbline/gateway/Limits"
import type * as Metering from "@plumbline/gateway/Metering"
import * as Redacted from "effect/Redacted"

import type { ConfigFile } from "./ConfigFile.ts"
import * as Kinds from "./Kinds.ts"

/** Milliseconds of `server.timeouts.grace` where the file says nothing, and nobody watches. */
export const USUAL_GRACE = 5000

/** Nodes of this process. */
export type Embedded = "live" | "history" | "starknet-pool"

/** A node of a network: at a URL, or of this process. Times are milliseconds. */
export type Upstream =
  | { readonly _tag: "Embedded"; readonly name: string; readonly node: Embedded; readonly weight: number }
  | {
      readonly _tag: "Url"
      readonly name: string
      readonly url: Redacted.Redacted
      readonly headers: Readonly<Record<string, Redacted.Redacted>>
      readonly timeout: number
      readonly weight: number
    }

/** A network. An embedded node knows its chain id itself. */
export interface Network {
  readonly name: string
  readonly hosts: ReadonlyArray<string>
  readonly chainId: number | string | undefined
  readonly kind: "eth" | "starknet"
  readonly upstreams: ReadonlyArray<Upstream>
  readonly balance: "order" | "weight"
  readonly maxLag: number | undefined
  /** Milliseconds of a call, and of one try. */
  readonly timeout: number
  readonly tryTimeout: number
}

/** The IPFS node: of this process, at a URL, or none. */
export type IpfsNode =
  | { readonly _tag: "Embedded" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Url"; readonly url: Redacted.Redacted }

/** Where the state is: in a folder, or in servers that several processes share. */
export type State =
  | { readonly _tag: "Folder"; readonly folder: string | undefined }
  | {
      readonly _tag: "Shared"
      readonly postgres: Redacted.Redacted
      readonly connections: number
      readonly redis: Redacted.Redacted | undefined
    }

/** All of it. */
export interface Settings {
  readonly server: {
    readonly host: string
    /** Undefined: the usual one, or any that is free. */
    readonly port: number | undefined
    readonly trustedProxies: ReadonlyArray<string>
    readonly accessLog: boolean
    readonly limits: Partial<GatewayOptions.Limits>
    readonly timeouts: { readonly [Name in keyof GatewayOptions.Timeouts]?: number }
  }
  readonly networks: ReadonlyArray<Network>
  readonly defaultNetwork: string | undefined
  readonly ipfs: {
    readonly node: IpfsNode
    readonly allowedOrigins: ReadonlyArray<string>
    readonly disallowed: ReadonlyArray<string>
    readonly limits: Partial<IpfsOptions.Limits>
    readonly uploadIdle: number
    readonly quotas: { readonly stored?: number; readonly uploaded?: number; readonly downloaded?: number }
    readonly rates: { readonly reads?: number | undefined; readonly writes?: number | undefined }
    readonly collectEvery: number | undefined
  }
  readonly state: State
  /** Of a new project. */
  readonly limits: Limits.Limits
  readonly limiter: Limiter.Options
  readonly metering: Metering.Options
  readonly card: { readonly rpc: boolean; readonly ipfs: boolean }
  /** Changes of the table, for `Costs.make`. */
  readonly costs: Readonly<Record<string, unknown>>
  readonly wording: LimitExceeded.Wording
  readonly billing: { readonly provider: "stripe"; readonly webhookSecret: Redacted.Redacted | undefined }
  readonly admin: { readonly token: Redacted.Redacted | undefined; readonly allowedOrigins: ReadonlyArray<string> }
}

/** A file that has passed its Schema and `Rules`, as settings. */
export const make = (file: ConfigFile, token: Redacted.Redacted | undefined): Settings => ({
  server: {
    host: file.server?.host ?? "127.0.0.1",
    port: file.server?.port,
    trustedProxies: file.server?.trustedProxies ?? [],
    accessLog: file.server?.accessLog ?? false,
    limits: mapped(file.server?.limits, Kinds.bytesOf),
    timeouts: mapped(file.server?.timeouts, Kinds.millisOf)
  },
  networks: file.networks === undefined ? embedded : Object.entries(file.networks).map(networkOf),
  defaultNetwork: file.defaultNetwork,
  ipfs: ipfsOf(file.ipfs ?? {}),
  state: stateOf(file.state ?? {}),
  limits: limitsOf(file.limits?.project),
  limiter: limiterOf(file.limits ?? {}),
  metering: meteringOf(file.metering ?? {}),
  card: { rpc: file.policies?.card?.rpc ?? false, ipfs: file.policies?.card?.ipfs ?? true },
  costs: file.costs ?? {},
  wording: file.wording ?? {},
  billing: {
    provider: file.billing?.provider ?? "stripe",
    webhookSecret: secret(file.billing?.webhookSecret)
  },
  admin: { token: token ?? secret(file.admin?.token), allowedOrigins: file.admin?.allowedOrigins ?? [] }
})

type Section<Name extends keyof ConfigFile> = NonNullable<ConfigFile[Name]>

const secret = (text: string | undefined): Redacted.Redacted | undefined =>
  text === undefined ? undefined : Redacted.make(text)

const mapped = <Group extends Readonly<Record<string, unknown>>, A>(
  group: Group | undefined,
  read: (value: NonNullable<Group[keyof Group]>) => A
): { readonly [Name in keyof Group]?: A } =>
  Object.fromEntries(
    Object.entries(group ?? {}).map(([name, value]) => [name, read(value as NonNullable<Group[keyof Group]>)])
  ) as { readonly [Name in keyof Group]?: A }

type NetworkSection = Section<"networks">[string]

const networkOf = ([name, section]: readonly [string, NetworkSection]): Network => ({
  name,
  hosts: section.hosts ?? [`${name.toLowerCase()}.localhost`],
  chainId: section.chainId,
  kind: kindOf(section),
  upstreams: section.upstreams.map((upstream, index) => upstreamOf(upstream, `${name}-${index + 1}`)),
  balance: section.balance ?? "order",
  maxLag: section.maxLag,
  timeout: Kinds.millisOf(section.timeout ?? "20s"),
  tryTimeout: Kinds.millisOf(section.tryTimeout ?? "10s")
})

/** Which methods a network has: as it says, or those of its embedded node. */
export const kindOf = ({ kind, upstreams }: NetworkSection): "eth" | "starknet" =>
  kind ?? (upstreams.some((upstream) => upstream.embedded === "starknet-pool") ? "starknet" : "eth")

const upstreamOf = (upstream: NetworkSection["upstreams"][number], usual: string): Upstream => {
  const { name = usual, weight = 1 } = upstream
  return upstream.embedded === undefined
    ? {
        _tag: "Url",
        name,
        url: Redacted.make(upstream.url!),
        headers: Object.fromEntries(
          Object.entries(upstream.headers ?? {}).map(([name, value]) => [name, Redacted.make(value)])
        ),
        timeout: Kinds.millisOf(upstream.timeout ?? "30s"),
        weight
      }
    : { _tag: "Embedded", name, node: upstream.embedded, weight }
}

const alone = (node: Embedded, kind: Network["kind"]): Network => ({
  name: node,
  hosts: [`${node}.localhost`],
  chainId: undefined,
  kind,
  upstreams: [{ _tag: "Embedded", name: `${node}-1`, node, weight: 1 }],
  balance: "order",
  maxLag: undefined,
  timeout: 20_000,
  tryTimeout: 10_000
})

/** What is there where nobody says otherwise. */
const embedded: ReadonlyArray<Network> = [
  alone("live", "eth"),
  alone("history", "eth"),
  alone("starknet-pool", "starknet")
]

const ipfsOf = (section: Section<"ipfs">): Settings["ipfs"] => ({
  node: ipfsNodeOf(section.node ?? "embedded"),
  allowedOrigins: section.allowedOrigins ?? [],
  disallowed: section.disallowed ?? [],
  limits: mapped(section.limits, Kinds.bytesOf),
  uploadIdle: Kinds.millisOf(section.uploadIdle ?? "30s"),
  quotas: mapped(section.quotas, Kinds.bytesOf),
  rates: ratesOf(section.rates),
  collectEvery: section.collectEvery === undefined ? undefined : Kinds.millisOf(section.collectEvery)
})

const ipfsNodeOf = (node: string): IpfsNode => {
  if (node === "embedded") return { _tag: "Embedded" }
  return node === "none" ? { _tag: "None" } : { _tag: "Url", url: Redacted.make(node) }
}

const stateOf = (section: Section<"state">): State =>
  section.postgres === undefined
    ? { _tag: "Folder", folder: section.folder }
    : {
        _tag: "Shared",
        postgres: Redacted.make(section.postgres),
        connections: section.connections ?? 10,
        redis: secret(section.redis)
      }

/** Rates of new projects; null is none. */
const ratesOf = (section: Section<"ipfs">["rates"]): Settings["ipfs"]["rates"] => {
  const rates = { reads: Limits.defaults.ipfsReadsPerSecond, writes: Limits.defaults.ipfsWritesPerSecond, ...section }
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== null))
}

/** Those of the defaults that the file says nothing of; null is no limit. */
const limitsOf = (section: Section<"limits">["project"]): Limits.Limits => {
  const { ipfsReadsPerSecond: _, ipfsWritesPerSecond: __, ...defaults } = Limits.defaults
  const limits = { ...defaults, ...section }
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== null))
}

/** All limits that a new project gets: of calls, and of IPFS. */
export const limitsOfNewProjects = ({ ipfs, limits }: Settings): Limits.Limits => {
  const { quotas, rates } = ipfs
  const all = {
    ...limits,
    ipfsReadsPerSecond: rates.reads,
    ipfsWritesPerSecond: rates.writes,
    ipfsStored: quotas.stored,
    ipfsUploadedPerDay: quotas.uploaded,
    ipfsDownloadedPerDay: quotas.downloaded
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

const limiterOf = (section: Section<"limits">): Limiter.Options => ({
  whenDown: section.whenDown ?? "closed",
  timeout: Kinds.millisOf(section.timeout ?? "250ms"),
  address: section.address
})

const meteringOf = (section: Section<"metering">): Metering.Options => ({
  ...mapped({ gather: "2ms", attempt: "2s", patience: "5s", ...picked(section) }, Kinds.millisOf),
  whenDown: section.whenDown ?? "refuse",
  limits: section.limits,
  retention: mapped(section.retention, Kinds.millisOf)
})

const picked = ({ attempt, gather, patience }: Section<"metering">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries({ attempt, gather, patience }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
