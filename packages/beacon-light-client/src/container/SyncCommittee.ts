/** A sync committee, and the signature that its members make together. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

/** The committee of a period: 512 members on public networks, each with a public key of 48 bytes. */
export interface SyncCommittee {
  /** The compressed keys of the members, one after the other. Do not change these bytes. */
  readonly pubkeys: Uint8Array
  /** The compressed sum of the keys. Do not change these bytes. */
  readonly aggregatePubkey: Uint8Array
}

/** The signature of a committee, and the bits of the members that signed. */
export interface SyncAggregate {
  /** One bit per member, the first member in the lowest bit of the first byte. */
  readonly syncCommitteeBits: Hex.Hex
  /** The compressed sum of the members' signatures: 96 bytes. */
  readonly syncCommitteeSignature: Hex.Hex
}

/**
 * Returns the positions of the members who signed, in ascending order.
 *
 * ```ts import.meta.vitest
 * import { SyncCommittee } from "@plumbline/beacon-light-client"
 *
 * SyncCommittee.signers({ syncCommitteeBits: "0x0580" }) // => [0, 2, 15]
 * ```
 */
export const signers = ({ syncCommitteeBits }: Pick<SyncAggregate, "syncCommitteeBits">): ReadonlyArray<number> => {
  const positions: Array<number> = []
  for (const [at, byte] of PlainHex.toBytesUnsafe(syncCommitteeBits).entries()) {
    for (let bit = 0; bit < 8; bit++) if ((byte >> bit) & 1) positions.push(8 * at + bit)
  }
  return positions
}

/**
 * Returns one boolean per seat of the committee, true for a seat that signed.
 *
 * ```ts import.meta.vitest
 * import { SyncCommittee } from "@plumbline/beacon-light-client"
 *
 * SyncCommittee.positions("0x05") // => [true, false, true, false, false, false, false, false]
 * ```
 */
export const positions = (bits: Hex.Hex): ReadonlyArray<boolean> =>
  Array.from(PlainHex.toBytesUnsafe(bits)).flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => ((byte >> bit) & 1) === 1)
  )
