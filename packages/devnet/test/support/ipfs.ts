/** What the tests of the IPFS node share: nodes over folders that go, what is on their disks. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import type { IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, type Scope, Stream } from "effect"

import { IpfsEmbedded, type IpfsFolderError } from "../../src/index.ts"
import { folder } from "./shared.ts"

export * from "./ipfsContent.ts"

/** A node to be tried, the embedded one that is behind it, and whose folder that is. */
export interface Tried {
  readonly node: IpfsNode.Node
  /** Its operator's view: collections and counts are not for those who come over the network. */
  readonly behind: IpfsNode.Node
  readonly dir: string
}

/** A node that nobody has used, and that goes with the scope. */
export type Fresh<E = unknown> = Effect.Effect<Tried, E, Scope.Scope>

/** The embedded node itself, over a folder that goes with the scope. */
export const fresh: Fresh<IpfsFolderError> = Effect.gen(function* () {
  const dir = yield* folder
  const node = yield* IpfsEmbedded.make({ folder: dir })
  return { node, behind: node, dir }
})

export const bytesAt = (
  node: IpfsNode.Node,
  at: string,
  range?: IpfsNode.Range
): Effect.Effect<Uint8Array, IpfsNodeError.IpfsNodeError> =>
  Effect.flatMap(node.cat(at, range), ({ bytes }) =>
    Effect.map(Stream.runCollect(bytes), (pieces) => Buffer.concat(pieces))
  )

/** Why it was refused. */
export const reasonOf = <A>(
  effect: Effect.Effect<A, IpfsNodeError.IpfsNodeError>
): Effect.Effect<IpfsNodeError.Reason, A> => Effect.map(Effect.flip(effect), (error) => error.reason)

/** All of an iterable. */
export const arrayOf = async <A>(iterable: AsyncIterable<A>): Promise<Array<A>> => {
  const all: Array<A> = []
  for await (const one of iterable) all.push(one)
  return all
}

/** Every file of blocks in a folder of a node. */
export const blockFiles = (dir: string): ReadonlyArray<string> =>
  readdirSync(path.join(dir, "blocks"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".data"))
    .map((name) => path.join(dir, "blocks", name))

/** One bit of a file turned over. */
export const flipBit = (file: string, bit: number): void => {
  const bytes = readFileSync(file)
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  writeFileSync(file, bytes)
}
