/**
 * The validators: one for each member, active since genesis, with 32 ether.
 *
 * Source: consensus-specs `specs/phase0/beacon-chain.md`, `Validator`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as Tree from "./tree.ts"

/** Depths of the trees of validators (at most 2^40) and of balances. Four balances share a leaf. */
const VALIDATORS = 40
const BALANCES = 38

const BALANCE = 32_000_000_000n
const FAR_FUTURE = 2n ** 64n - 1n

/** Roots of the registry's fields. */
export interface Registry {
  /** The root of the validators, which identifies the network. */
  readonly validators: Hash32.Hash32
  readonly balances: Uint8Array
}

/** Makes the registry of these compressed public keys. */
export const make = (publicKeys: ReadonlyArray<Uint8Array>): Registry => {
  const validators = publicKeys.map((key) =>
    Tree.container([
      Tree.container(Tree.leaves(key)),
      // no withdrawal credentials
      Tree.uint64(0n),
      Tree.uint64(BALANCE),
      // not slashed; eligible and active since genesis
      Tree.uint64(0n),
      Tree.uint64(0n),
      Tree.uint64(0n),
      Tree.uint64(FAR_FUTURE),
      Tree.uint64(FAR_FUTURE)
    ])
  )
  const balances = new Uint8Array(8 * publicKeys.length)
  const view = new DataView(balances.buffer)
  for (let at = 0; at < balances.length; at += 8) view.setBigUint64(at, BALANCE, true)
  return {
    validators: Hash32.fromBytesUnsafe(Tree.list(VALIDATORS, validators)),
    balances: Tree.list(BALANCES, Tree.leaves(balances), publicKeys.length)
  }
}
