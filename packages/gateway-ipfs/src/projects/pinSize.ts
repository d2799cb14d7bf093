/** Measures the counted size of a pin. It reads the node's blocks, because the sizes that a DAG states may be wrong. */
import * as Car from "@plumbline/ipfs-client/car/Car"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import { failure } from "./ledgerErrors.ts"

/**
 * Returns the number of bytes that a DAG holds: the sum of its blocks, each counted once. Blocks inside their CIDs are
 * part of the blocks that link to them. If the blocks exceed `most` bytes, it stops and returns the number of bytes read,
 * which is more than `most`.
 */
export const held = (node: IpfsNodeCommands, root: Cid.Cid, most: number): Effect.Effect<number, IpfsNodeError> =>
  Effect.suspend(() => {
    const seen = new Set<string>()
    let bytes = 0
    return Car.read(node.dagExport(String(root)), { maxBlockSize: MAX_BLOCK_SIZE }).pipe(
      Stream.mapError(asNodeError),
      Stream.map((item) => {
        if (item._tag === "Roots") return
        const key = multihashOf(item.cid)
        if (seen.has(key)) return
        seen.add(key)
        bytes += item.bytes.length
      }),
      Stream.takeUntil(() => bytes > most),
      Stream.runDrain,
      Effect.map(() => bytes)
    )
  })

/** Maximum size of a block, in bytes. Nodes exchange blocks of up to 2 MiB; a larger block was added on purpose. */
const MAX_BLOCK_SIZE = 256 * 1024 * 1024

/** Returns the same key for all CIDs with the same multihash and codec, because a block's links depend on both. */
export const keyOf = (cid: Cid.Cid): string => `${cid.code} ${multihashOf(cid)}`

/** Returns a key of the stored bytes, which do not depend on the codec. */
const multihashOf = (cid: Cid.Cid): string => Buffer.from(cid.multihash.bytes).toString("latin1")

const asNodeError = (error: Car.CarReadError | IpfsNodeError): IpfsNodeError =>
  error._tag === "IpfsNodeError"
    ? error
    : failure(new Failed({ doing: "measuring a DAG", detail: "what the node exports is not a CAR of it" }))
