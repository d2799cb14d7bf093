/** The IPFS part of the service: a node, embedded or upstream, and the pins of each project. */
import { createHash } from "node:crypto"

import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as IpfsEmbedded from "@plumbline/devnet/ipfs/IpfsEmbedded"
import type { IpfsFolderError } from "@plumbline/devnet/ipfs/IpfsFolderError"
import * as IpfsNodes from "@plumbline/gateway-ipfs/IpfsNodes"
import type { IpfsOptions } from "@plumbline/gateway-ipfs/IpfsOptions"
import * as IpfsProjects from "@plumbline/gateway-ipfs/IpfsProjects"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import type { ProjectLimits } from "@plumbline/gateway/limits/ProjectLimits"
import * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import * as IpfsKubo from "@plumbline/ipfs-client/kubo/IpfsKubo"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

import { limitsOfNewProjects, type IpfsPlace, PRIMARY } from "../config/IpfsSection.ts"
import type { ServiceSettings } from "../config/ServiceSettings.ts"
import { DataError, dataError } from "../files/DataError.ts"
import * as OldPins from "./OldPins.ts"

/** The node, and the projects that use it. */
export interface IpfsService {
  readonly projects: IpfsProjects.SharedNode
  /** Returns the options of the gateway for these settings. */
  readonly options: (settings: ServiceSettings["ipfs"]) => IpfsOptions
}

/**
 * Opens the node that the settings name, until the scope closes. Returns undefined if the settings name no node. Only
 * the embedded node needs a folder. Without a folder, the function does not look for old pins.
 */
export const open = Effect.fnUntraced(function* (settings: ServiceSettings["ipfs"], folder: string | undefined) {
  const { node } = settings
  if (node._tag === "None") return undefined
  const name = node._tag === "Embedded" ? "embedded" : nameOf(node.url)
  const { health, node: behind } = yield* nodesOf(settings, node, folder)
  const path = yield* Path.Path
  if (folder !== undefined) {
    const ledger = path.join(folder, node._tag === "Embedded" ? "projects.sqlite" : `projects-${name}.sqlite`)
    yield* OldPins.takeOver(ledger, behind, name)
  }
  const { removedOf } = yield* Accounts.Accounts
  const { collectEvery, reserve } = settings
  // The records of usage are in the folder above, which is always on this machine.
  const disk = folder === undefined || reserve === 0 ? undefined : { folder: path.dirname(folder), reserve }
  const projects = yield* IpfsProjects.make(behind, { name, collectEvery, disk, removed: removedOf })
  const ipfs: IpfsService = {
    projects,
    options: (settings) => ({
      ...settings,
      // the quotas of each project, not those of new projects
      quotas: undefined,
      node: ({ project }, quotas) => projects.node(project, quotas),
      stored: ({ project }) => projects.stored(project),
      health,
      publicLimits: publicLimits(settings)
    })
  }
  return ipfs
})

/** Opens all nodes as one. A single embedded node is used directly, without a cache and without fallbacks. */
const nodesOf = Effect.fnUntraced(function* (
  settings: ServiceSettings["ipfs"],
  node: IpfsPlace,
  folder: string | undefined
) {
  const { cache, fallbacks, timeout, tryTimeout } = settings
  if (node._tag === "Embedded" && fallbacks.length === 0) {
    return { node: yield* embeddedIn(folder!), health: undefined }
  }
  const member = Effect.fnUntraced(function* (name: string, place: IpfsPlace) {
    const isRemote = place._tag === "Url"
    return { name, isRemote, node: isRemote ? yield* upstreamAt(place.url) : yield* embeddedIn(folder!) }
  })
  const others = yield* Effect.forEach(fallbacks, (fallback) => member(fallback.name, fallback.node))
  const path = yield* Path.Path
  const disk =
    folder === undefined || cache.disk === 0 ? undefined : { folder: path.join(folder, CACHE), bytes: cache.disk }
  return yield* IpfsNodes.make(yield* member(PRIMARY, node), others, {
    timeout,
    tryTimeout,
    cache: { memory: cache.memory, disk }
  })
})

const CACHE = "cache"

const embeddedIn = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), (error) =>
    dataError(folder, "Unwritable", error)
  )
  return yield* Effect.mapError(IpfsEmbedded.make({ folder }), (error) => unusable(folder, error))
})

const upstreamAt = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const http = yield* Layer.build(NodeHttpClient.layerUndici)
  // asks a node that fails in the middle of an answer to send the reason
  const headers = { te: "trailers" }
  return IpfsKubo.make(yield* Effect.provideContext(IpfsClient.make({ url, headers }), http))
})

/** Returns the limits that all callers without a key share: the IPFS limits of a new project. */
const publicLimits = (settings: ServiceSettings["ipfs"]): ProjectLimits =>
  Object.fromEntries(Object.entries(limitsOfNewProjects(settings)).filter(([, value]) => value !== null))

/**
 * Returns a name for the node at a URL. The name stays the same when the node's key changes, and reveals neither the
 * URL nor the key.
 */
const nameOf = (upstream: Redacted.Redacted): string => {
  const { host, pathname, protocol } = new URL(Redacted.value(upstream))
  return createHash("sha256").update(`${protocol}//${host}${pathname}`).digest("hex").slice(0, 16)
}

const unusable = (path: string, error: IpfsFolderError): DataError =>
  new DataError({ path, problem: problems[error.problem], detail: error.message })

const problems = { Damaged: "Damaged", InUse: "InUse", Newer: "Unreadable", Unusable: "Unwritable" } as const
