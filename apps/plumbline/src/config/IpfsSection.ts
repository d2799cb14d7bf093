import * as IpfsNodes from "@plumbline/gateway-ipfs/IpfsNodes"
import * as IpfsOptions from "@plumbline/gateway-ipfs/IpfsOptions"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

import type * as ConfigMistake from "./ConfigMistake.ts"

const { array, bytes, bytesLimit, defaulted, duration, group, optional, pattern, struct, url } = Setting

const places = [
  Schema.TaggedStruct("Embedded", {}),
  Schema.TaggedStruct("Url", { url: Schema.Redacted(Schema.String) })
] as const

const place = Schema.toType(Schema.Union(places))

const placeOrNone = Schema.toType(Schema.Union([...places, Schema.TaggedStruct("None", {})]))

/** A node in this process, or at a URL. */
export type IpfsPlace = typeof place.Type

/** The IPFS node: in this process, at a URL, or none. */
export type IpfsNodeSettings = typeof placeOrNone.Type

const nodeOf = (text: string): IpfsNodeSettings =>
  text === "embedded"
    ? { _tag: "Embedded" }
    : text === "none"
      ? { _tag: "None" }
      : { _tag: "Url", url: Redacted.make(text) }

/** Returns the node as the file names it. */
const textOf = (node: IpfsNodeSettings): string =>
  node._tag === "Url" ? Redacted.value(node.url) : node._tag.toLowerCase()

/** A node, which is shown by its host. `form` is the text in the file. */
const nodeAs = <A extends IpfsNodeSettings>(node: Schema.Codec<A>, form: Schema.Codec<string>) =>
  form.pipe(
    Schema.decodeTo(node, {
      decode: SchemaGetter.transform((text: string) => nodeOf(text) as A),
      encode: SchemaGetter.transform((node: A) => (node._tag === "Url" ? Setting.hostOf(node.url) : textOf(node)))
    })
  )

const fallback = struct(
  {
    node: nodeAs(
      place,
      url(["http", "https"], {
        words: ["embedded"],
        description: "embedded, or the URL of a node such as Kubo's. The URL may hold a key, so it is never shown."
      })
    ),
    name: optional(
      pattern(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "must be a name of letters, digits, dots and hyphens", {
        description: "The node's name in health and logs. Default: fallback and its number."
      })
    )
  },
  "A node that is asked for content that the other nodes lack."
)

export const section = group(
  {
    node: defaulted(
      nodeAs(
        placeOrNone,
        url(["http", "https"], {
          words: ["embedded", "none"],
          description:
            "embedded, none, or the URL of a node such as Kubo's. The URL may hold a key, so it is never shown.",
          default: "embedded"
        })
      )
    ),
    fallbacks: defaulted(
      array(fallback, {
        description:
          "Nodes that are asked, in this order, for content that the first node lacks, or while the first node does not answer.",
        default: []
      })
    ),
    ...IpfsNodes.fields,
    cache: optional(struct(IpfsNodes.cacheFields, "Cache of blocks from nodes at URLs.")),
    ...IpfsOptions.fields,
    // One key must not fill the disk or the line of a service whose operator chose no quotas: the defaults are about
    // twice what the free plans of hosted IPFS give.
    quotas: group(
      {
        stored: defaulted(
          bytesLimit({
            description: "Bytes of a project's pins at a time; each pin counts each of its blocks once.",
            default: "10GiB"
          })
        ),
        uploaded: defaulted(
          bytesLimit({ description: "Bytes that a project can send in a day by UTC.", default: "10GiB" })
        ),
        downloaded: defaulted(
          bytesLimit({ description: "Bytes that a project can read in a day by UTC.", default: "100GiB" })
        )
      },
      "Quotas of new projects, in bytes."
    ),
    reserve: defaulted(
      bytes({
        description:
          "Bytes of the data folder's disk that uploads and new pins leave free for the records of usage; 0 keeps none.",
        // weeks of usage records
        default: "256MiB"
      })
    ),
    rates: group(ProjectLimits.ipfsFields, "IPFS commands of new projects."),
    collectEvery: optional(
      duration({ description: "Interval at which the embedded node drops blocks without a pin. Left out: never." })
    )
  },
  "The IPFS part of the service."
)

export type IpfsSection = typeof section.Type

export interface IpfsSettings extends IpfsSection {
  readonly fallbacks: ReadonlyArray<{ readonly name: string; readonly node: IpfsPlace }>
  readonly cache: NonNullable<IpfsSection["cache"]>
}

const cache = Setting.defaultsOf(section.to.fields.cache.schema)

/** Returns the settings with the defaults that depend on other settings. */
export const filled = (section: IpfsSection): IpfsSettings => ({
  ...section,
  fallbacks: section.fallbacks.map(({ name, node }, index) => ({ name: name ?? fallbackName(index), node })),
  cache: section.cache ?? cache
})

/** The name of the node that `ipfs.node` names, in health and logs. */
export const PRIMARY = "node"

const fallbackName = (index: number): string => `fallback-${index + 1}`

/** Returns the IPFS limits of a new project; null means no limit. */
export const limitsOfNewProjects = ({ quotas, rates }: IpfsSection) => ({
  ipfsReadsPerSecond: rates.reads,
  ipfsWritesPerSecond: rates.writes,
  ipfsStored: quotas.stored,
  ipfsUploadedPerDay: quotas.uploaded,
  ipfsDownloadedPerDay: quotas.downloaded
})

/** Returns the mistakes that the Schema cannot find. `isShared` is true if several processes have the same state. */
export const mistakes = (section: IpfsSection, isShared: boolean): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const { collectEvery, node } = section
  const found = [...mistakesOfFallbacks(section, isShared)]
  if (node._tag !== "Embedded" && collectEvery !== undefined) {
    found.push({
      path: ["ipfs", "collectEvery"],
      problem: "is only for the embedded node: other nodes collect by themselves"
    })
  }
  if (node._tag === "Embedded" && isShared) {
    found.push({
      path: ["ipfs", "node"],
      problem: "must be a URL or none with state.postgres, because every process must reach the pinned content"
    })
  }
  return found
}

/** Returns the mistakes in the fallback nodes, and in the settings that need a node at a URL. */
const mistakesOfFallbacks = (
  { cache, fallbacks, node }: IpfsSection,
  isShared: boolean
): ReadonlyArray<ConfigMistake.SettingMistake> => {
  const names = [PRIMARY, ...fallbacks.map(({ name }, index) => name ?? fallbackName(index))]
  const nodes = [node, ...fallbacks.map((fallback) => fallback.node)].map(textOf)
  const found = fallbacks.flatMap((fallback, index) => {
    const path = ["ipfs", "fallbacks", index]
    const problem =
      node._tag === "None"
        ? "needs a first node: set ipfs.node"
        : nodes.indexOf(nodes[index + 1]!) <= index
          ? "is there twice"
          : fallback.node._tag === "Embedded" && isShared
            ? "must be a URL with state.postgres, because every process must reach the pinned content"
            : undefined
    return [
      ...(problem === undefined ? [] : [{ path: [...path, "node"], problem }]),
      ...(names.indexOf(names[index + 1]!) <= index
        ? [{ path: [...path, "name"], problem: "must be another name for each node" }]
        : [])
    ]
  })
  if (cache !== undefined && !hasRemote({ fallbacks, node })) {
    found.push({ path: ["ipfs", "cache"], problem: "is for nodes at URLs: the embedded node keeps its own blocks" })
  }
  return found
}

/** True if any node is at a URL. Blocks of such nodes are cached. */
const hasRemote = ({ fallbacks, node }: Pick<IpfsSection, "fallbacks" | "node">): boolean =>
  [node, ...fallbacks.map((fallback) => fallback.node)].some(({ _tag }) => _tag === "Url")

/** Returns the settings as they are shown: a cache only if it is used. */
export const shown = ({ cache, ...settings }: IpfsSettings): IpfsSection =>
  hasRemote(settings) ? { ...settings, cache } : settings
