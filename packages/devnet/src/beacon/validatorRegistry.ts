/**
 * The validators: one for each member, active since genesis, with 32 ether.
 *
 * Source: consensus-specs `specs/phase0/beacon-chain.md`, `Validator`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as HashTree from "./hashTree.ts"

/** Depths of the trees of validators (at most 2^40) and of balances. Four balances share a leaf. */
const VALIDATORS = 40
const BALANCES = 38

const BALANCE = 32_000_000_000n
const FAR_FUTURE = 2n ** 64n - 1n

/** Roots of the registry's fields. */
export interface ValidatorRegistry {
  /** The root of the validators, which identifies the network. */
  readonly validators: Hash32.Hash32
  readonly balances: Uint8Array
}

/** Makes the registry of these compressed public keys. */
export const make = (publicKeys: ReadonlyArray<Uint8Array>): ValidatorRegistry => {
  const validators = publicKeys.map((key) =>
    HashTree.container([
      HashTree.container(HashTree.leaves(key)),
      // no withdrawal credentials
      HashTree.uint64(0n),
      HashTree.uint64(BALANCE),
      // not slashed; eligible and active since genesis
      HashTree.uint64(0n),
      HashTree.uint64(0n),
      HashTree.uint64(0n),
      HashTree.uint64(FAR_FUTURE),
      HashTree.uint64(FAR_FUTURE)
    ])
  )
  const balances = new Uint8Array(8 * publicKeys.length)
  const view = new DataView(balances.buffer)
  for (let at = 0; at < balances.length; at += 8) view.setBigUint64(at, BALANCE, true)
  return {
    validators: Hash32.fromBytesUnsafe(HashTree.list(VALIDATORS, validators)),
    balances: HashTree.list(BALANCES, HashTree.leaves(balances), publicKeys.length)
  }
}
