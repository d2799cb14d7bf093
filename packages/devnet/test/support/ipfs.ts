/** Shared parts of the IPFS node's tests: nodes on temporary folders, and access to their disks. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import type { IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, type Scope, Stream } from "effect"

import { IpfsEmbedded, type IpfsFolderError } from "../../src/index.ts"
import { folder } from "./shared.ts"

export * from "./ipfsContent.ts"

/** A node under test, the embedded node behind it, and the folder of the embedded node. */
export interface Tried {
  readonly node: IpfsNode.IpfsNodeCommands
  /** The operator's view of the node. Network callers cannot run collections or read counts. */
  readonly behind: IpfsNode.IpfsNodeCommands
  readonly dir: string
}

/** An effect that makes a new, empty node. The node ends with the scope. */
export type Fresh<E = unknown> = Effect.Effect<Tried, E, Scope.Scope>

/** Makes the embedded node, on a folder that is removed with the scope. */
export const fresh: Fresh<IpfsFolderError> = Effect.gen(function* () {
  const dir = yield* folder
  const node = yield* IpfsEmbedded.make({ folder: dir })
  return { node, behind: node, dir }
})

export const bytesAt = (
  node: IpfsNode.IpfsNodeCommands,
  at: string,
  range?: IpfsNode.FileRange
): Effect.Effect<Uint8Array, IpfsNodeError.IpfsNodeError> =>
  Effect.flatMap(node.cat(at, range), ({ bytes }) =>
    Effect.map(Stream.runCollect(bytes), (pieces) => Buffer.concat(pieces))
  )

/** Returns the reason of a refusal. */
export const reasonOf = <A>(
  effect: Effect.Effect<A, IpfsNodeError.IpfsNodeError>
): Effect.Effect<IpfsNodeError.Reason, A> => Effect.map(Effect.flip(effect), (error) => error.reason)

/** Collects an iterable. */
export const arrayOf = async <A>(iterable: AsyncIterable<A>): Promise<Array<A>> => {
  const all: Array<A> = []
  for await (const one of iterable) all.push(one)
  return all
}

/** Returns every block file in the folder of a node. */
export const blockFiles = (dir: string): ReadonlyArray<string> =>
  readdirSync(path.join(dir, "blocks"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".data"))
    .map((name) => path.join(dir, "blocks", name))

/** Flips one bit of a file. */
export const flipBit = (file: string, bit: number): void => {
  const bytes = readFileSync(file)
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  writeFileSync(file, bytes)
}
