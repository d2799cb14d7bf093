/** Reads the rows of the ledger, and decides if a pin may replace another pin. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import { failure, refused } from "./ledgerErrors.ts"

/** A pin of a project, and its counted size in bytes. */
export interface OwnedPin {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
  readonly size: number
}

/**
 * The kind of pin that the node has for a CID, as far as the ledger knows. `Unasked`: the node was not asked to pin the
 * CID. `Intended`: this service intended to ask, and the outcome is unknown.
 */
export const Strength = { Unasked: 0, Intended: 1, Direct: 2, Recursive: 3 } as const

/** One of the values of `Strength`. */
export type Strength = (typeof Strength)[keyof typeof Strength]

/** The state of a CID at the node. */
export interface HeldPin {
  readonly strength: Strength
  /** True if another program had already pinned the CID, so that this service must not unpin it. */
  readonly foreign: boolean
}

export interface PinRow {
  readonly cid: Uint8Array
  readonly recursive: number
  readonly name: string
  readonly size: number
}

export interface HeldRow {
  readonly strength: Strength
  readonly elsewhere: number
}

export interface SumRow {
  readonly bytes: number
  readonly pins: number
}

/** Returns the CID of a row. It copies the bytes, because they may be a view of the database driver's buffer. */
export const cidOf = ({ cid }: { readonly cid: Uint8Array }): Cid.Cid =>
  Result.getOrThrow(Cid.fromBytes(Uint8Array.from(cid)))

export const ownedOf = (row: PinRow): OwnedPin => ({
  cid: cidOf(row),
  recursive: row.recursive === 1,
  name: row.name,
  size: row.size
})

export const heldOf = ({ elsewhere, strength }: HeldRow): HeldPin => ({ strength, foreign: elsewhere === 1 })

export const neededOf = (recursive: number | null): Strength | undefined =>
  recursive === null ? undefined : recursive === 1 ? Strength.Recursive : Strength.Direct

/** Returns a name in a form that SQLite and Postgres can store. */
export const plain = (name: string): string => name.toWellFormed().replaceAll("\0", "\u{FFFD}")

/** Succeeds if the existing pin may become the new pin. */
export const allowed = (
  own: OwnedPin | undefined,
  { cid, recursive }: Pick<OwnedPin, "cid" | "recursive">
): Result.Result<OwnedPin | undefined, IpfsNodeError> =>
  own?.recursive === true && !recursive
    ? Result.fail(refused(Cid.toText(cid), "AlreadyRecursive"))
    : Result.succeed(own)

/** Returns the pin to replace. Fails if it cannot be replaced. */
export const replaceable = (own: OwnedPin | undefined, from: Cid.Cid): Result.Result<OwnedPin, IpfsNodeError> =>
  own?.recursive === true ? Result.succeed(own) : Result.fail(refused(Cid.toText(from), "FromNotPinned"))

export const exceeded = (limit: number, used: number): IpfsNodeError =>
  failure(new QuotaExceeded({ quota: "stored", limit, used }))
