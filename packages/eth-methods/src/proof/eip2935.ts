/**
 * Proves the hash of an older block from the state of a newer one (EIP-2935).
 *
 * Since Prague each block writes its parent's hash into the storage of a system contract, a ring of 8191 slots. So one
 * storage proof under a trusted block proves the hash of any of the 8191 blocks before it.
 *
 * Source: EIP-2935.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import * as StorageKey from "../model/StorageKey.ts"
import { type AccountProofQuestion, verifyAccountProof } from "./verifyAccountProof.ts"

/** `HISTORY_SERVE_WINDOW`: a block's state holds the hashes of this many blocks before it. */
export const WINDOW = 8191n

/** `HISTORY_STORAGE_ADDRESS`. */
export const ADDRESS: Address.Address = Address.fromHexUnsafe("0x0000F90827F1C53a10cb7A02335B175320002935")

/** Keccak-256 of the contract's code. An account with other code at that address is not the contract. */
const CODE_HASH: Hash32.Hash32 = Hash32.fromHexUnsafe(
  "0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d"
)

/** Returns the parameters of eth_getProof, at the newer block, for the slot with the hash of block `number`. */
export const ancestorQuestion = (number: bigint): AccountProofQuestion => ({
  address: ADDRESS,
  storageKeys: [StorageKey.fromSlot(number % WINDOW)]
})

/**
 * Returns the hash of block `number`, proven by the answer to `ancestorQuestion(number)` under a proven newer block.
 *
 * Returns null if the newer block's state does not hold the hash: the chain was not at Prague yet, or has no such
 * contract. Fails with `RefutedError` as `verifyAccountProof` does, and with `ancestor` if block `number` is not one of the
 * 8191 blocks before the newer block.
 */
export const verifyAncestor = (
  answer: AccountProof.AccountProof,
  number: bigint,
  block: Verified<Block.Block>
): Result.Result<Hash32.Hash32 | null, RefutedError> => {
  const newer = block.value.number
  if (newer === null || number < 0n || number >= newer || newer - number > WINDOW) {
    return Result.fail(refute("ancestor", `one of the ${WINDOW} blocks before ${newer}`, number))
  }
  return Result.map(verifyAccountProof(answer, ancestorQuestion(number), block), ({ value }) => {
    const word = value.storageProof[0]!.value
    return Hex.equals(value.codeHash, CODE_HASH) && word !== 0n ? StorageKey.fromSlot(word) : null
  })
}
