/**
 * The check of a committee's signature, over the arithmetic of any library.
 *
 * The key of the signers is the aggregate key without the absent members: with 507 to 512 of 512 signing, that is five
 * keys to decompress at most instead of 512. If fewer than half sign, the signers' keys are added instead.
 */
import type * as SyncCommittee from "../container/SyncCommittee.ts"
import { KEY } from "../ssz/type.ts"

/** The arithmetic of a library. Functions that read return undefined for what is not a valid point, or infinity. */
export interface Points<Key, Signature> {
  readonly name: string
  readonly key: (bytes: Uint8Array) => Key | undefined
  readonly signature: (bytes: Uint8Array) => Signature | undefined
  readonly negate: (key: Key) => Key
  /** Returns the sum of at least one key, or undefined if it is infinity. */
  readonly sum: (keys: ReadonlyArray<Key>) => Key | undefined
  /** False for a key outside its subgroup, even if the pairing would not tell. */
  readonly verify: (key: Key, message: Uint8Array, signature: Signature) => boolean
}

/** A signature of a committee that is to be checked. */
export interface Signed {
  /**
   * The committee. Its root must be proven: the engine assumes that its aggregate key is the sum of its keys, and
   * remembers the keys that it decompressed for as long as the object lives.
   */
  readonly committee: SyncCommittee.SyncCommittee
  /** Positions of the members who signed, ascending. */
  readonly signers: ReadonlyArray<number>
  /** The 32 bytes that they signed. */
  readonly message: Uint8Array
  /** The compressed signature: 96 bytes. */
  readonly signature: Uint8Array
}

/** An engine that checks signatures over BLS12-381. */
export interface Engine {
  /** Name of the engine, for people. */
  readonly name: string
  /**
   * True if the signers made the signature of the message together.
   *
   * It is false for keys and signatures that are not a point of the curve, that are the point at infinity, or whose
   * encoding is not canonical; for a signature or a sum of keys outside its subgroup; for a sum of keys at infinity;
   * and for no signers. It does not throw.
   */
  readonly verify: (signed: Signed) => boolean
}

/** Bytes of a compressed signature. */
const SIGNATURE = 96

/** The position of the aggregate key among a committee's keys. */
const AGGREGATE = -1

/** Makes an engine of a library's arithmetic. It remembers the keys of each committee object. */
export const engine = <Key, Signature>(points: Points<Key, Signature>): Engine => {
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

  const keyOf = ({ committee, signers }: Signed): Key | undefined => {
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
