/** The latest block of a node that may have none. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Block from "@plumbline/eth-methods/model/Block"
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"

/** A block with the parts that the pending block lacks. */
export type MinedBlock<B extends Block.Block> = B & { readonly number: bigint; readonly hash: Hash32.Hash32 }

/** True for a block with a number and a hash. A pending block in place of the latest has not both. */
export const isMined = <B extends Block.Block>(block: B | null): block is MinedBlock<B> =>
  block !== null && block.number !== null && block.hash !== null

/** The failure of a read about the newest block: the node has no latest block, or lacks the trusted block. */
export const missing = (method: string): JsonRpcError =>
  new JsonRpcError({ method, reason: new MovedError({ detail: "the node does not have the latest block" }) })
