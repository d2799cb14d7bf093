/** `ipfs`: the IPFS part of the service. */
import * as IpfsNodes from "@plumbline/gateway/ipfs/IpfsNodes"
import * as Limits from "@plumbline/gateway/limits/Limits"
import * as IpfsOptions from "@plumbline/gateway/settings/IpfsOptions"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { bound, COUNT, count, formed, group, listOf, may, size, sizeOrNone, text, wait, word } = Kinds

const EMBEDDED = "embedded"

const UPLOAD_IDLE = IpfsOptions.defaults.uploadIdle

const GATEWAY = IpfsOptions.defaults.gateway

const GIB = 1024 ** 3

/**
 * The quotas of new projects. One key must not fill the disk or the line of a service whose operator chose no quotas:
 * the numbers are about twice what the free plans of hosted IPFS give.
 */
const QUOTAS = { stored: 10 * GIB, uploaded: 10 * GIB, downloaded: 100 * GIB }

/** Bytes of the disk that uploads leave free: weeks of usage records. */
const RESERVE = 256 * 1024 * 1024

const quota = {
  stored: sizeOrNone("Bytes of a project's pins at a time; each pin counts each of its blocks once.", QUOTAS.stored),
  uploaded: sizeOrNone("Bytes that a project can send in a day by UTC.", QUOTAS.uploaded),
  downloaded: sizeOrNone("Bytes that a project can read in a day by UTC.", QUOTAS.downloaded)
}

const NODES = IpfsNodes.defaults

const NODE = /^(?:embedded|https?:\/\/[^\s]+)$/u

const fallback = group(
  {
    node: formed(NODE, "must be embedded, or a URL with http:// or https://", {
      description: "embedded, or the URL of a node such as Kubo's. The URL may hold a key, so it is never shown."
    }),
    name: may(
      formed(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", {
        description: "The node's name in health and logs. Default: fallback and its number."
      })
    )
  },
  "A node that is asked for content that the other nodes lack."
)

/** The section `ipfs` of the configuration file. */
export const section = group(
  {
    node: may(
      formed(/^(?:embedded|none|https?:\/\/[^\s]+)$/u, "must be embedded, none, or a URL with http:// or https://", {
        description:
          "embedded, none, or the URL of a node such as Kubo's. The URL may hold a key, so it is never shown.",
        default: EMBEDDED
      })
    ),
    fallbacks: may(
      listOf(fallback, {
        description:
          "Nodes that are asked, in this order, for content that the first node lacks, or while the first node does not answer.",
        default: []
      })
    ),
    tryTimeout: wait("Maximum time for a block from one node, if there is another node to ask.", NODES.tryTimeout),
    timeout: wait("Maximum time for a block from the last node, or the only one.", NODES.timeout),
    cache: may(
      group(
        {
          memory: size("Bytes of memory.", NODES.memory),
          disk: size(
            "Bytes of blocks kept in the data folder; 0 keeps none. A shared state has no data folder.",
            NODES.disk
          )
        },
        "Cache of blocks from nodes at URLs."
      )
    ),
    allowedOrigins: may(
      listOf(
        formed(/^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+)$/u, "must be an origin such as https://app.example, or *", {
          description: "An origin such as https://app.example, in lower case; * is any."
        }),
        { description: "Origins of pages that may call, in addition to pages of this machine.", default: [] }
      )
    ),
    disallowed: may(
      listOf(text({ description: "A command, such as pin/rm." }), {
        description: "Commands that are answered with 403.",
        default: []
      })
    ),
    limits: may(
      group(
        {
          parts: count("Parts of an upload.", IpfsOptions.defaults.limits.parts),
          blockBytes: size(
            "Size of data that must be in memory as a whole: a block.",
            IpfsOptions.defaults.limits.blockBytes
          ),
          listed: count("Entries of an answer that is not a stream.", IpfsOptions.defaults.limits.listed)
        },
        "Bounds of one request."
      )
    ),
    uploadIdle: wait("Maximum silence of a client in the middle of an upload.", UPLOAD_IDLE),
    gateway: may(
      word(["off", "key", "public"], {
        description:
          "The callers that may read blocks and CARs by GET: key, callers with a project's key at /v3/<key>/ipfs/<cid>, or with its secret at /ipfs/<cid>; public, callers without a key too, within the limits of one new project; off, none.",
        default: GATEWAY.access
      })
    ),
    gatewayBlocked: may(
      listOf(text({ description: "A CID. Every other CID of the same bytes is blocked too." }), {
        description: "Content that the gateway answers with 410.",
        default: []
      })
    ),
    gatewayTimeout: wait(
      "Maximum time from a request to the gateway to the first byte of its answer.",
      GATEWAY.timeout
    ),
    quotas: may(group(quota, "Quotas of new projects, in bytes.")),
    reserve: size(
      "Bytes of the data folder's disk that uploads and new pins leave free for the records of usage; 0 keeps none.",
      RESERVE
    ),
    rates: may(
      group(
        {
          writes: bound(1, COUNT, {
            number: "add, block/put, dag/put and pin/add.",
            description: "add, block/put, dag/put and pin/add in a second; null means no limit.",
            default: Limits.defaults.ipfsWritesPerSecond
          }),
          reads: bound(1, COUNT, {
            number: "Other commands.",
            description: "Other commands in a second; null means no limit.",
            default: Limits.defaults.ipfsReadsPerSecond
          })
        },
        "IPFS commands of new projects."
      )
    ),
    collectEvery: wait("Interval at which the embedded node drops blocks without a pin. Left out: never.")
  },
  "The IPFS part of the service."
)

/** The settings of the section, as the file gives them. */
export type Section = typeof section.Type

/** A node in this process, or at a URL. */
export type Place = { readonly _tag: "Embedded" } | { readonly _tag: "Url"; readonly url: Redacted.Redacted }

/** The IPFS node: in this process, at a URL, or none. */
export type Node = Place | { readonly _tag: "None" }

/** A further node to read from. */
export interface Fallback {
  readonly name: string
  readonly node: Place
}

/** The settings of the service. Times are milliseconds. */
export interface Settings {
  readonly node: Node
  readonly fallbacks: ReadonlyArray<Fallback>
  readonly tryTimeout: number
  readonly timeout: number
  readonly cache: { readonly memory: number; readonly disk: number }
  readonly allowedOrigins: ReadonlyArray<string>
  readonly disallowed: ReadonlyArray<string>
  readonly limits: Partial<IpfsOptions.Limits>
  readonly uploadIdle: number
  readonly gateway: "off" | "key" | "public"
  readonly gatewayBlocked: ReadonlyArray<string>
  readonly gatewayTimeout: number
  readonly quotas: { readonly stored?: number; readonly uploaded?: number; readonly downloaded?: number }
  readonly reserve: number
  readonly rates: { readonly reads?: number | undefined; readonly writes?: number | undefined }
  readonly collectEvery: number | undefined
}

/** Returns the section as settings. */
export const settings = (section: Section = {}): Settings => ({
  node: nodeOf(section.node ?? EMBEDDED),
  fallbacks: (section.fallbacks ?? []).map(({ name, node }, index) => ({
    name: name ?? fallbackName(index),
    node: placeOf(node)
  })),
  tryTimeout: section.tryTimeout === undefined ? NODES.tryTimeout : Kinds.millisOf(section.tryTimeout),
  timeout: section.timeout === undefined ? NODES.timeout : Kinds.millisOf(section.timeout),
  cache: { memory: NODES.memory, disk: NODES.disk, ...Sections.mapped(section.cache, Kinds.bytesOf) },
  allowedOrigins: section.allowedOrigins ?? [],
  disallowed: section.disallowed ?? [],
  limits: Sections.mapped(section.limits, Kinds.bytesOf),
  uploadIdle: section.uploadIdle === undefined ? UPLOAD_IDLE : Kinds.millisOf(section.uploadIdle),
  gateway: section.gateway ?? GATEWAY.access,
  gatewayBlocked: section.gatewayBlocked ?? [],
  gatewayTimeout: section.gatewayTimeout === undefined ? GATEWAY.timeout : Kinds.millisOf(section.gatewayTimeout),
  quotas: quotasOf(section.quotas),
  reserve: section.reserve === undefined ? RESERVE : Kinds.bytesOf(section.reserve),
  rates: ratesOf(section.rates),
  collectEvery: section.collectEvery === undefined ? undefined : Kinds.millisOf(section.collectEvery)
})

/** The name of the node that `ipfs.node` names, in health and logs. */
export const PRIMARY = "node"

const fallbackName = (index: number): string => `fallback-${index + 1}`

const placeOf = (node: string): Place =>
  node === EMBEDDED ? { _tag: "Embedded" } : { _tag: "Url", url: Redacted.make(node) }

const nodeOf = (node: string): Node => (node === "none" ? { _tag: "None" } : placeOf(node))

/** Returns the rates of new projects; null means no limit. */
const ratesOf = (section: Section["rates"]): Settings["rates"] => {
  const rates = { reads: Limits.defaults.ipfsReadsPerSecond, writes: Limits.defaults.ipfsWritesPerSecond, ...section }
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== null))
}

/** Returns the quotas of new projects; null means no limit. */
const quotasOf = (section: Section["quotas"]): Settings["quotas"] =>
  Sections.mapped(
    Object.fromEntries(Object.entries({ ...QUOTAS, ...section }).filter(([, value]) => value !== null)),
    Kinds.bytesOf
  )

/** Returns the IPFS limits of a new project. */
export const limitsOfNewProjects = ({ quotas, rates }: Settings) => ({
  ipfsReadsPerSecond: rates.reads,
  ipfsWritesPerSecond: rates.writes,
  ipfsStored: quotas.stored,
  ipfsUploadedPerDay: quotas.uploaded,
  ipfsDownloadedPerDay: quotas.downloaded
})

/** Returns the mistakes that the Schema cannot find. `isShared` is true if several processes have the same state. */
export const mistakes = (section: Section = {}, isShared: boolean): Sections.Found => {
  const { collectEvery, disallowed = [], gatewayBlocked = [], limits, node = EMBEDDED, uploadIdle } = section
  const commands = disallowed.flatMap((command, index) =>
    IpfsApi.find(command) === undefined
      ? [{ path: ["ipfs", "disallowed", index], problem: "must be a command, such as pin/rm" }]
      : []
  )
  const blocked = gatewayBlocked.flatMap((cid, index) =>
    Result.isFailure(Cid.fromText(cid)) ? [{ path: ["ipfs", "gatewayBlocked", index], problem: "must be a CID" }] : []
  )
  const found = [...commands, ...blocked, ...Sections.zeros(["ipfs", "limits"], limits)]
  if (node !== EMBEDDED && node !== "none" && !URL.canParse(node)) {
    found.push({ path: ["ipfs", "node"], problem: "is not a URL" })
  }
  found.push(...mistakesOfFallbacks(section, isShared))
  if (node !== EMBEDDED && collectEvery !== undefined) {
    found.push({
      path: ["ipfs", "collectEvery"],
      problem: "is only for the embedded node: other nodes collect by themselves"
    })
  }
  if (node === EMBEDDED && isShared) {
    found.push({
      path: ["ipfs", "node"],
      problem: "must be a URL or none with state.postgres, because every process must reach the pinned content"
    })
  }
  return [
    ...found,
    ...Sections.timer(["ipfs", "uploadIdle"], uploadIdle),
    ...Sections.timer(["ipfs", "gatewayTimeout"], section.gatewayTimeout),
    ...Sections.timer(["ipfs", "collectEvery"], collectEvery)
  ]
}

/** Returns the mistakes in the fallback nodes, and in the settings that need a node at a URL. */
const mistakesOfFallbacks = (
  { cache, fallbacks = [], node = EMBEDDED, timeout, tryTimeout }: Section,
  isShared: boolean
): Sections.Found => {
  const names = [PRIMARY, ...fallbacks.map(({ name }, index) => name ?? fallbackName(index))]
  const nodes = [node, ...fallbacks.map((fallback) => fallback.node)]
  const found = fallbacks.flatMap((fallback, index) => {
    const path = ["ipfs", "fallbacks", index]
    const problem =
      node === "none"
        ? "needs a first node: set ipfs.node"
        : nodes.indexOf(fallback.node) <= index
          ? "is there twice"
          : fallback.node === EMBEDDED && isShared
            ? "must be a URL with state.postgres, because every process must reach the pinned content"
            : fallback.node !== EMBEDDED && !URL.canParse(fallback.node)
              ? "is not a URL"
              : undefined
    return [
      ...(problem === undefined ? [] : [{ path: [...path, "node"], problem }]),
      ...(names.indexOf(names[index + 1]!) <= index
        ? [{ path: [...path, "name"], problem: "must be another name for each node" }]
        : [])
    ]
  })
  const isRemote = nodes.some((each) => each !== EMBEDDED && each !== "none")
  if (cache !== undefined && !isRemote) {
    found.push({ path: ["ipfs", "cache"], problem: "is for nodes at URLs: the embedded node keeps its own blocks" })
  }
  return [
    ...found,
    ...Sections.timer(["ipfs", "tryTimeout"], tryTimeout),
    ...Sections.timer(["ipfs", "timeout"], timeout)
  ]
}

/** Returns the settings in the form of the file. */
export const view = (settings: Settings): Sections.Shown => {
  const { allowedOrigins, collectEvery, disallowed, limits, node, quotas, rates, uploadIdle } = settings
  return {
    node: shownNode(node),
    fallbacks: settings.fallbacks.map((fallback) => ({ name: fallback.name, node: shownNode(fallback.node) })),
    tryTimeout: Kinds.timeOf(settings.tryTimeout),
    timeout: Kinds.timeOf(settings.timeout),
    ...Sections.given({ cache: hasRemote(settings) ? settings.cache : undefined }),
    allowedOrigins,
    disallowed,
    limits: { ...IpfsOptions.defaults.limits, ...limits },
    uploadIdle: Kinds.timeOf(uploadIdle),
    gateway: settings.gateway,
    gatewayBlocked: settings.gatewayBlocked,
    gatewayTimeout: Kinds.timeOf(settings.gatewayTimeout),
    quotas: { stored: null, uploaded: null, downloaded: null, ...quotas },
    reserve: settings.reserve,
    rates: { reads: null, writes: null, ...rates },
    ...Sections.given({ collectEvery: collectEvery === undefined ? undefined : Kinds.timeOf(collectEvery) })
  }
}

/** True if any node is at a URL. Blocks of such nodes are cached. */
const hasRemote = ({ fallbacks, node }: Settings): boolean =>
  node._tag === "Url" || fallbacks.some((fallback) => fallback.node._tag === "Url")

const shownNode = (node: Node): string => (node._tag === "Url" ? Sections.hostOf(node.url) : node._tag.toLowerCase())
