/** What the tests of the IPFS node share: nodes over folders that go, what is on their disks. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { Effect, type Scope, Stream } from "effect"

import { IpfsEmbedded, type IpfsNode, type IpfsNodeError } from "../src/index.ts"
import { folder } from "./support.ts"

export * from "./ipfsContent.ts"

/** A node over a folder that goes with the scope. */
export const fresh: Effect.Effect<
  { readonly node: IpfsNode.Node; readonly dir: string },
  IpfsNodeError.IpfsFolderError,
  Scope.Scope
> = Effect.gen(function* () {
  const dir = yield* folder
  return { node: yield* IpfsEmbedded.make({ folder: dir }), dir }
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
