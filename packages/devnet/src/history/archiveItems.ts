/** Reads items of the archive. Each function throws if the item has another form. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"

export const list = (item: Rlp.Rlp | undefined): ReadonlyArray<Rlp.Rlp> => {
  if (item === undefined || item instanceof Uint8Array) throw new Error("not a list")
  return item
}

export const bytes = (item: Rlp.Rlp | undefined): Uint8Array => {
  if (!(item instanceof Uint8Array)) throw new Error("not a byte string")
  return item
}

export const address = (item: Rlp.Rlp | undefined): Address.Address => Address.fromBytesUnsafe(bytes(item))

export const hash = (item: Rlp.Rlp | undefined): Hash32.Hash32 => Hash32.fromBytesUnsafe(bytes(item))
