/** Measures the counted size of a pin. It reads the node's blocks, because the sizes in links may be wrong. */
import * as Block from "@plumbline/ipfs-client/block/Block"
import * as Car from "@plumbline/ipfs-client/car/Car"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import type { Node } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError, Malformed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import { failure, unreadable } from "./failure.ts"

/**
 * Returns the cumulative size of a DAG by reading its blocks. If the blocks exceed `most` bytes, it stops and returns
 * the number of bytes read, which is more than `most`. If a DAG repeats so many blocks that its size is not an exact
 * number, the result is `Number.MAX_SAFE_INTEGER`.
 */
export const cumulative = (node: Node, root: Cid.Cid, most: number): Effect.Effect<number, IpfsNodeError> =>
  Effect.suspend(() => {
    const blocks = new Map<string, Measured>()
    let read = 0
    return Car.read(node.dagExport(String(root)), { maxBlockSize: MAX_BLOCK_SIZE }).pipe(
      Stream.mapError(asNodeError),
      Stream.mapEffect((item) => {
        if (item._tag === "Roots") return Effect.void
        read += item.bytes.length
        return Effect.map(measured(item), (block) => void blocks.set(keyOf(item.cid), block))
      }),
      Stream.takeUntil(() => read > most),
      Stream.runDrain,
      Effect.flatMap(() => (read > most ? Effect.succeed(read) : sum(blocks, root)))
    )
  })

/** Maximum size of a block, in bytes. Nodes exchange blocks of up to 2 MiB; a larger block was added on purpose. */
const MAX_BLOCK_SIZE = 256 * 1024 * 1024

interface Measured {
  readonly size: number
  readonly links: ReadonlyArray<Cid.Cid>
}

const measured = (block: Block.Block): Effect.Effect<Measured, IpfsNodeError> =>
  Effect.fromResult(
    Result.mapBoth(Block.links(block), {
      onSuccess: (links) => ({ size: block.bytes.length, links }),
      onFailure: (error) => failure(new Malformed(unreadable(error)))
    })
  )

/** Adds up the sizes from the leaves to the root. The sum of each block is computed once, even if it has many links. */
const sum = (blocks: ReadonlyMap<string, Measured>, root: Cid.Cid): Effect.Effect<number, IpfsNodeError> =>
  Effect.gen(function* () {
    const sizes = new Map<string, number>()
    const rest = [root]
    for (let cid = rest.at(-1); cid !== undefined; cid = rest.at(-1)) {
      const key = keyOf(cid)
      if (sizes.has(key)) {
        rest.pop()
        continue
      }
      const inlined = Multihash.inlined(cid)
      const block = inlined === undefined ? blocks.get(key) : yield* measured({ cid, bytes: inlined })
      if (block === undefined) {
        return yield* failure(new Failed({ doing: "measuring a DAG", detail: "the node left a block of it out" }))
      }
      let total = block.size
      let isComplete = true
      for (const link of block.links) {
        const size = sizes.get(keyOf(link))
        if (size === undefined) {
          isComplete = false
          rest.push(link)
        } else total += size
      }
      if (isComplete) {
        sizes.set(key, Math.min(total, Number.MAX_SAFE_INTEGER))
        rest.pop()
      }
    }
    return sizes.get(keyOf(root))!
  })

/** Returns the same key for all CIDs with the same multihash and codec, because a block's links depend on both. */
export const keyOf = (cid: Cid.Cid): string => `${cid.code} ${Buffer.from(cid.multihash.bytes).toString("latin1")}`

const asNodeError = (error: Car.ReadError | IpfsNodeError): IpfsNodeError =>
  error._tag === "IpfsNodeError"
    ? error
    : failure(new Failed({ doing: "measuring a DAG", detail: "what the node exports is not a CAR of it" }))
