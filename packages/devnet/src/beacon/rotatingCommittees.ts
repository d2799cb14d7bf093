/** The sync committees: the same members in every period, each time in another order. */
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import type * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as SigningDomain from "@plumbline/beacon-light-client/network/SigningDomain"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"

import type { CommitteeKeys } from "./committeeKeys.ts"

/** The committees of a network. */
export interface RotatingCommittees {
  readonly of: (period: bigint) => SyncCommittee.SyncCommittee
  /** Returns the root of a period's committee. */
  readonly rootOf: (period: bigint) => Uint8Array
  /** Returns the signature of a beacon block root, as the block of `signatureSlot` contains it. */
  readonly sign: (beaconRoot: Hash32.Hash32, signatureSlot: bigint) => SyncCommittee.SyncAggregate
}

/** Makes the committees of the members with these keys. It caches the last few, because each takes 25 kB. */
export const make = (network: Network.Network, keys: CommitteeKeys): RotatingCommittees => {
  const size = keys.publicKeys.length
  const kept = new BoundedMap<bigint, SyncCommittee.SyncCommittee>(KEPT)
  const shiftOf = (period: bigint): number => Number(period % BigInt(size))

  const of: RotatingCommittees["of"] = (period) => {
    const known = kept.get(period)
    if (known !== undefined) return known
    const shift = shiftOf(period)
    const pubkeys = Bytes.join([...keys.publicKeys.slice(shift), ...keys.publicKeys.slice(0, shift)])
    const committee = { pubkeys, aggregatePubkey: keys.aggregate }
    kept.set(period, committee)
    return committee
  }

  return {
    of,
    rootOf: (period) => Hash32.toBytes(HashTreeRoot.syncCommittee(of(period))),
    sign: (beaconRoot, signatureSlot) => {
      const absent = absentIn(signatureSlot, size)
      const bits = new Uint8Array(size / 8).fill(0xff)
      for (const position of absent) bits[position >> 3]! &= ~(1 << (position & 7))
      const shift = shiftOf(Clock.periodOf(network, signatureSlot))
      const signers = keys.publicKeys.flatMap((_, position) =>
        absent.has(position) ? [] : [(position + shift) % size]
      )
      const message = SigningDomain.signingRoot(network, beaconRoot, signatureSlot)!
      return {
        syncCommitteeBits: Hex.fromBytes(bits),
        syncCommitteeSignature: Hex.fromBytes(keys.sign(signers, message))
      }
    }
  }
}

const KEPT = 8

/** Returns the positions of the members that miss a slot: up to five, as on mainnet (507 to 512 sign there). */
const absentIn = (slot: bigint, size: number): ReadonlySet<number> => {
  const count = Number(slot % 6n)
  return new Set(Array.from({ length: count }, (_, at) => Number((slot * 31n + BigInt(at) * 97n) % BigInt(size))))
}
