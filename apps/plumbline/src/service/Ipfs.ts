/**
 * The IPFS half of the service: a node, embedded or upstream, and whose pins are whose.
 */
import { createHash } from "node:crypto"

import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as IpfsEmbedded from "@plumbline/devnet/IpfsEmbedded"
import type { IpfsFolderError } from "@plumbline/devnet/IpfsFolderError"
import type { IpfsOptions } from "@plumbline/gateway/IpfsOptions"
import * as IpfsProjects from "@plumbline/gateway/IpfsProjects"
import type { IpfsProjectsError } from "@plumbline/gateway/IpfsProjectsError"
import * as IpfsClient from "@plumbline/ipfs-client/IpfsClient"
import * as IpfsKubo from "@plumbline/ipfs-client/IpfsKubo"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"

import { DataError } from "../CommandError.ts"
import * as ServiceFile from "../ServiceFile.ts"

/** Where it keeps what it has, in the data folder, and which node it asks: its own unless there is an upstream. */
export interface Options {
  readonly folder: string
  readonly upstream: Redacted.Redacted | undefined
}

/** Opens it; it is closed with the scope. */
export const open = Effect.fnUntraced(function* ({ folder, upstream }: Options) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true }), (error) =>
    ServiceFile.dataError(folder, "Unwritable", error)
  )
  const node =
    upstream === undefined
      ? yield* Effect.mapError(IpfsEmbedded.make({ folder }), (error) => unusable(folder, error))
      : yield* upstreamAt(upstream)
  // What projects have pinned at one node says nothing about another.
  const ledger = path.join(folder, upstream === undefined ? "projects.sqlite" : `projects-${nameOf(upstream)}.sqlite`)
  const projects = yield* Effect.mapError(IpfsProjects.make(node, { file: ledger }), (error) => unusable(ledger, error))
  const options: IpfsOptions = { node: projects.node }
  return options
})

const upstreamAt = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const http = yield* Layer.build(NodeHttpClient.layerUndici)
  // so that it says why where it fails in the middle of an answer
  const headers = { te: "trailers" }
  return IpfsKubo.make(yield* Effect.provideContext(IpfsClient.make({ url, headers }), http))
})

/** A name for the node at a URL, which stays when its key changes and shows nothing of either. */
const nameOf = (upstream: Redacted.Redacted): string => {
  const { host, pathname, protocol } = new URL(Redacted.value(upstream))
  return createHash("sha256").update(`${protocol}//${host}${pathname}`).digest("hex").slice(0, 16)
}

const unusable = (path: string, error: IpfsFolderError | IpfsProjectsError): DataError =>
  new DataError({ path, problem: problems[error.problem], detail: error.message })

const problems = { Damaged: "Damaged", InUse: "InUse", Newer: "Unreadable", Unusable: "Unwritable" } as const
