/**
 * `ipfs`: the IPFS half of the service.
 */
import * as Limits from "@plumbline/gateway/limits/Limits"
import * as IpfsOptions from "@plumbline/gateway/settings/IpfsOptions"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Redacted from "effect/Redacted"

import * as Kinds from "./Kinds.ts"
import * as Sections from "./Sections.ts"

const { bound, COUNT, count, formed, group, listOf, may, size, text, wait } = Kinds

const EMBEDDED = "embedded"

const UPLOAD_IDLE = IpfsOptions.defaults.uploadIdle

const quota = {
  stored: size("Size of a project's pins at a time. Left out: no bound."),
  uploaded: size("Bytes that a project can send in a day by UTC. Left out: no bound."),
  downloaded: size("Bytes that a project can read in a day by UTC. Left out: no bound.")
}

/** The section of the file. */
export const section = group(
  {
    node: may(
      formed(/^(?:embedded|none|https?:\/\/[^\s]+)$/u, "must be embedded, none, or a URL with http:// or https://", {
        description:
          "embedded, none, or the URL of a node such as Kubo's. The URL may hold a key, so it is never shown.",
        default: EMBEDDED
      })
    ),
    allowedOrigins: may(
      listOf(
        formed(/^(?:\*|[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+)$/u, "must be an origin such as https://app.example, or *", {
          description: "An origin such as https://app.example, in lower case; * is any."
        }),
        { description: "Origins of pages that may call, beside those of this machine.", default: [] }
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
    quotas: may(group(quota, "Quotas of new projects, in bytes. What is left out is not bounded.")),
    rates: may(
      group(
        {
          writes: bound(1, COUNT, {
            number: "add, block/put, dag/put and pin/add.",
            description: "add, block/put, dag/put and pin/add in a second; null is no limit.",
            default: Limits.defaults.ipfsWritesPerSecond
          }),
          reads: bound(1, COUNT, {
            number: "Other commands.",
            description: "Other commands in a second; null is no limit.",
            default: Limits.defaults.ipfsReadsPerSecond
          })
        },
        "IPFS commands of new projects."
      )
    ),
    collectEvery: wait("Interval at which the embedded node drops blocks without a pin. Left out: never.")
  },
  "The IPFS half of the service."
)

/** The section, where the file has it. */
export type Section = typeof section.Type

/** The IPFS node: in this process, at a URL, or none. */
export type Node =
  | { readonly _tag: "Embedded" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Url"; readonly url: Redacted.Redacted }

/** The settings of the service. Times are milliseconds. */
export interface Settings {
  readonly node: Node
  readonly allowedOrigins: ReadonlyArray<string>
  readonly disallowed: ReadonlyArray<string>
  readonly limits: Partial<IpfsOptions.Limits>
  readonly uploadIdle: number
  readonly quotas: { readonly stored?: number; readonly uploaded?: number; readonly downloaded?: number }
  readonly rates: { readonly reads?: number | undefined; readonly writes?: number | undefined }
  readonly collectEvery: number | undefined
}

/** The section as settings. */
export const settings = (section: Section = {}): Settings => ({
  node: nodeOf(section.node ?? EMBEDDED),
  allowedOrigins: section.allowedOrigins ?? [],
  disallowed: section.disallowed ?? [],
  limits: Sections.mapped(section.limits, Kinds.bytesOf),
  uploadIdle: section.uploadIdle === undefined ? UPLOAD_IDLE : Kinds.millisOf(section.uploadIdle),
  quotas: Sections.mapped(section.quotas, Kinds.bytesOf),
  rates: ratesOf(section.rates),
  collectEvery: section.collectEvery === undefined ? undefined : Kinds.millisOf(section.collectEvery)
})

const nodeOf = (node: string): Node => {
  if (node === EMBEDDED) return { _tag: "Embedded" }
  return node === "none" ? { _tag: "None" } : { _tag: "Url", url: Redacted.make(node) }
}

/** Returns the rates of new projects; null stands for no limit. */
const ratesOf = (section: Section["rates"]): Settings["rates"] => {
  const rates = { reads: Limits.defaults.ipfsReadsPerSecond, writes: Limits.defaults.ipfsWritesPerSecond, ...section }
  return Object.fromEntries(Object.entries(rates).filter(([, value]) => value !== null))
}

/** Returns the limits of a new project that are about IPFS. */
export const limitsOfNewProjects = ({ quotas, rates }: Settings) => ({
  ipfsReadsPerSecond: rates.reads,
  ipfsWritesPerSecond: rates.writes,
  ipfsStored: quotas.stored,
  ipfsUploadedPerDay: quotas.uploaded,
  ipfsDownloadedPerDay: quotas.downloaded
})

/** Returns the mistakes that the Schema cannot find. `isShared` is true if several processes have the same state. */
export const mistakes = (section: Section = {}, isShared: boolean): Sections.Found => {
  const { collectEvery, disallowed = [], limits, node = EMBEDDED, uploadIdle } = section
  const commands = disallowed.flatMap((command, index) =>
    IpfsApi.find(command) === undefined
      ? [{ path: ["ipfs", "disallowed", index], problem: "must be a command, such as pin/rm" }]
      : []
  )
  const found = [...commands, ...Sections.zeros(["ipfs", "limits"], limits)]
  if (node !== EMBEDDED && node !== "none" && !URL.canParse(node)) {
    found.push({ path: ["ipfs", "node"], problem: "is no URL" })
  }
  if (node !== EMBEDDED && collectEvery !== undefined) {
    found.push({ path: ["ipfs", "collectEvery"], problem: "is for the embedded node: another collects by itself" })
  }
  if (node === EMBEDDED && isShared) {
    found.push({
      path: ["ipfs", "node"],
      problem: "must be a URL or none where state.postgres is: what is pinned must be in reach of every process"
    })
  }
  return [
    ...found,
    ...Sections.timer(["ipfs", "uploadIdle"], uploadIdle),
    ...Sections.timer(["ipfs", "collectEvery"], collectEvery)
  ]
}

/** The settings in the form of the file. */
export const view = (settings: Settings): Sections.Shown => {
  const { allowedOrigins, collectEvery, disallowed, limits, node, quotas, rates, uploadIdle } = settings
  return {
    node: node._tag === "Url" ? Sections.hostOf(node.url) : node._tag.toLowerCase(),
    allowedOrigins,
    disallowed,
    limits: { ...IpfsOptions.defaults.limits, ...limits },
    uploadIdle: Kinds.timeOf(uploadIdle),
    quotas,
    rates: { reads: null, writes: null, ...rates },
    ...Sections.given({ collectEvery: collectEvery === undefined ? undefined : Kinds.timeOf(collectEvery) })
  }
}
