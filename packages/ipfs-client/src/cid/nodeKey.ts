/** Keys of nodes, for sets of visited blocks. */
import * as Hex from "@plumbline/codec/hex/Hex"

import type * as Cid from "./Cid.ts"

/** Returns a key that is the same for all CIDs with the same bytes and codec, because links depend on both. */
export const nodeKey = ({ code, multihash }: Cid.Cid): string => `${code} ${Hex.fromBytes(multihash.bytes)}`
