/**
 * Checks a committee's signature with the arithmetic of any library.
 *
 * The key of the signers is the aggregate key minus the keys of absent members. If 507 to 512 of 512 members sign, at
 * most five keys must be decompressed instead of 512. If fewer than half sign, the signers' keys are added instead.
 */
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import { KEY } from "../ssz/sszType.ts"

/**
 * The arithmetic of a library. Functions that read a point return undefined for infinity, and for bytes that are not a
 * valid point.
 */
export interface BlsArithmetic<Key, Signature> {
  readonly name: string
  readonly key: (bytes: Uint8Array) => Key | undefined
  readonly signature: (bytes: Uint8Array) => Signature | undefined
  readonly negate: (key: Key) => Key
  /** Returns the sum of at least one key, or undefined if it is infinity. */
  readonly sum: (keys: ReadonlyArray<Key>) => Key | undefined
  /** Returns false for a key outside its subgroup, even if the pairing would not detect it. */
  readonly verify: (key: Key, message: Uint8Array, signature: Signature) => boolean
}

/** A committee's signature, with the data that its check needs. */
export interface CommitteeSignature {
  /**
   * The committee. Its root must be proven, because the engine assumes that the aggregate key is the sum of the keys.
   * The engine remembers the decompressed keys for as long as this object lives.
   */
  readonly committee: SyncCommittee.SyncCommittee
  /** Positions of the members who signed, ascending. */
  readonly signers: ReadonlyArray<number>
  /** The 32 bytes that the members signed. */
  readonly message: Uint8Array
  /** The compressed signature: 96 bytes. */
  readonly signature: Uint8Array
}

/** An engine that checks signatures over BLS12-381. */
export interface BlsEngine {
  /** Name of the engine, for people. */
  readonly name: string
  /**
   * True if the signers made the signature of the message together.
   *
   * It is false for keys and signatures that are not a point of the curve, that are the point at infinity, or whose
   * encoding is not canonical; for a signature or a sum of keys outside its subgroup; for a sum of keys at infinity;
   * and for no signers. It does not throw.
   */
  readonly verify: (signed: CommitteeSignature) => boolean
}

/** Bytes of a compressed signature. */
const SIGNATURE = 96

/** The position of the aggregate key among a committee's keys. */
const AGGREGATE = -1

/** Makes an engine from a library's arithmetic. The engine remembers the keys of each committee object. */
export const engine = <Key, Signature>(points: BlsArithmetic<Key, Signature>): BlsEngine => {
  const known = new WeakMap<SyncCommittee.SyncCommittee, Map<number, Key>>()

  const keyAt = (committee: SyncCommittee.SyncCommittee, position: number): Key | undefined => {
    const keys = known.get(committee) ?? new Map<number, Key>()
    known.set(committee, keys)
    const { aggregatePubkey, pubkeys } = committee
    const bytes = position === AGGREGATE ? aggregatePubkey : pubkeys.subarray(position * KEY, (position + 1) * KEY)
    const key = keys.get(position) ?? points.key(bytes)
    if (key !== undefined) keys.set(position, key)
    return key
  }

  const keyOf = ({ committee, signers }: CommitteeSignature): Key | undefined => {
    const size = committee.pubkeys.length / KEY
    const isMost = 2 * signers.length > size
    const present = new Set(signers)
    const keys: Array<Key> = []
    if (isMost) {
      const aggregate = keyAt(committee, AGGREGATE)
      if (aggregate === undefined) return undefined
      keys.push(aggregate)
    }
    for (let position = 0; position < size; position++) {
      if (present.has(position) === isMost) continue
      const key = keyAt(committee, position)
      if (key === undefined) return undefined
      keys.push(isMost ? points.negate(key) : key)
    }
    return keys.length === 0 ? undefined : points.sum(keys)
  }

  return {
    name: points.name,
    verify: (signed) => {
      const signature = signed.signature.length === SIGNATURE ? points.signature(signed.signature) : undefined
      const key = signature === undefined ? undefined : keyOf(signed)
      return signature !== undefined && key !== undefined && points.verify(key, signed.message, signature)
    }
  }
}
