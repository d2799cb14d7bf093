/** Other projects' clients, unchanged. */
import { readFileSync } from "node:fs"
import { findPackageJSON } from "node:module"

import * as Old from "ipfs-http-client"
import * as Kubo from "kubo-rpc-client"
import type { CID } from "multiformats/cid"

/** A dag-pb node in the form of the old client. */
export interface OldObject {
  readonly Data: Uint8Array
  readonly Links: ReadonlyArray<{ readonly Name: string; readonly Hash: CID; readonly Tsize: number }>
}

/** The object commands, which only the old client has. */
export interface Objects {
  readonly get: (cid: CID) => Promise<OldObject>
  readonly data: (cid: CID) => Promise<Uint8Array>
  readonly stat: (cid: CID) => Promise<Readonly<Record<string, unknown>>>
  readonly put: (node: OldObject, options?: { readonly pin?: boolean }) => Promise<CID>
}

/** The methods that both clients have, with the types of the newer client. `object` is from the older client. */
export type Ipfs = Omit<Kubo.KuboRPCClient, "object"> & { readonly object: Objects }

/** The URL of a service, and the headers that go with each request. */
export interface Endpoint {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A client from npm. */
export interface Client {
  readonly name: "kubo-rpc-client" | "ipfs-http-client"
  readonly version: string
  readonly open: (endpoint: Endpoint) => Ipfs
}

const versionOf = (name: Client["name"]): string => {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(findPackageJSON(name, import.meta.url)!, "utf8")
  )
  return manifest.version
}

export const clients: ReadonlyArray<Client> = [
  {
    name: "kubo-rpc-client",
    version: versionOf("kubo-rpc-client"),
    open: ({ headers, url }) => Kubo.create({ url: `${url}/api/v0`, headers: { ...headers } }) as unknown as Ipfs
  },
  {
    name: "ipfs-http-client",
    version: versionOf("ipfs-http-client"),
    open: ({ headers, url }) => Old.create({ url: `${url}/api/v0`, headers: { ...headers } })
  }
]
