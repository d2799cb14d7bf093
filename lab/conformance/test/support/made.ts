/** Makes headers for proofs. The fixtures do not have the blocks of these proofs. */
import { assert } from "@effect/vitest"
import { Hash32, Hex, Keccak256 } from "@plumbline/codec"
import { type AccountProof, type Block, BlockRlp, Verify } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import type { Verdict } from "@plumbline/verdict"
import { Result } from "effect"

/**
 * Returns a header as a block whose bodies were not sent. Hashes without transactions are only claimed, so one hash is
 * enough.
 */
export const withoutBodies = (header: Block.Header): Block.WithHashes => ({
  ...header,
  transactions: header.transactionsRoot === Trie.EMPTY_ROOT ? [] : [Hash32.ZERO]
})

/** Returns a proven block for a header. Its hash is computed here. */
export const blockOf = (header: Block.Header): Verdict.Verified<Block.WithHashes> => {
  const hash = Keccak256.hashHex(Result.getOrThrow(BlockRlp.encodeHeader(header)))
  const verdict = Result.getOrThrow(Verify.block(withoutBodies({ ...header, hash }), hash))
  return verdict._tag === "VERIFIED" ? verdict : assert.fail("a claim")
}

/**
 * Returns a proven block without bodies. The block has the state root of the proof, so that an unanchored proof can be
 * checked against the block.
 */
export const blockOfProof = (proof: Pick<AccountProof.AccountProof, "accountProof">, empty: Block.Header) =>
  blockOf({ ...empty, stateRoot: Hash32.fromBytesUnsafe(Keccak256.hash(Hex.toBytesUnsafe(proof.accountProof[0]!))) })
