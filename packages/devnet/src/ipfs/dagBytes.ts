/** Counts the bytes of the blocks under an added root. Each block counts once, however often it is linked. */
import { Buffer } from "node:buffer"

import type * as Block from "@plumbline/ipfs-client/block/Block"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"

export interface DagBytes {
  /** The multihashes of the counted blocks. */
  readonly seen: Set<string>
  bytes: number
}

export const make = (): DagBytes => ({ seen: new Set(), bytes: 0 })

/** Counts a block. A block inside its CID is a part of the block that links to it. */
export const count = (held: DagBytes, { bytes, cid }: Block.Block): void => {
  if (Multihash.inlined(cid) !== undefined) return
  const before = held.seen.size
  if (held.seen.add(Buffer.from(cid.multihash.bytes).toString("latin1")).size > before) held.bytes += bytes.length
}
