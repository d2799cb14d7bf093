/** The kinds of evidence of a storage reading. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import type * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Evidence from "@plumbline/verdict/Evidence"

/**
 * Words of an account's storage are under its storage root at a block; its code, if requested, is under its code hash.
 */
export const StorageWords: Evidence.EvidenceKind<
  "StorageWords",
  {
    readonly address: Address.Address
    readonly block: Hash32.Hash32
    /** The storage root of the account; undefined if no word was requested. */
    readonly storageRoot: Hash32.Hash32 | undefined
    /** Each word with the nodes of its Merkle proof. */
    readonly slots: ReadonlyArray<AccountProof.StorageProof>
    readonly code: boolean
  }
> = /* @__PURE__ */ Evidence.kind("StorageWords", ({ address, block, code, slots: { length } }) => {
  const words = `${length} word${length === 1 ? "" : "s"} of the storage of ${address}, at block ${block}`
  return code ? `${words}, and its code` : words
})

/** An account has the same storage root at two blocks, so no word of its storage changed. */
export const SameStorageRoot: Evidence.EvidenceKind<
  "SameStorageRoot",
  {
    readonly address: Address.Address
    readonly root: Hash32.Hash32
    readonly blocks: readonly [from: Hash32.Hash32, to: Hash32.Hash32]
  }
> = /* @__PURE__ */ Evidence.kind(
  "SameStorageRoot",
  ({ address, blocks: [from, to], root }) =>
    `the storage root of ${address} is ${root} at block ${from} and at block ${to}: no word changed`
)

/** An account is under the stateRoot of two blocks, or is proven to be absent under both. */
export const AccountAtBoth: Evidence.EvidenceKind<
  "AccountAtBoth",
  {
    readonly address: Address.Address
    readonly exists: boolean
    readonly proofs: readonly [from: EthEvidence.MerkleProof, to: EthEvidence.MerkleProof]
  }
> = /* @__PURE__ */ Evidence.kind(
  "AccountAtBoth",
  ({ address, exists, proofs: [proof] }) => EthEvidence.Account({ address, exists, proof }).sentence
)
