/** What the rows of the ledger mean, and which pins may follow on which. */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import { type IpfsNodeError, QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Result from "effect/Result"

import { failure, refused } from "./failure.ts"

/** A pin of a project, and how many bytes it counts. */
export interface Owned {
  readonly cid: Cid.Cid
  readonly recursive: boolean
  readonly name: string
  readonly size: number
}

/** How strongly the node is known to hold a CID. `Unasked`: it was not asked. `Intended`: it was going to be. */
export const Strength = { Unasked: 0, Intended: 1, Direct: 2, Recursive: 3 } as const

/** One of them. */
export type Strength = (typeof Strength)[keyof typeof Strength]

/** What this service holds at the node. */
export interface Held {
  readonly strength: Strength
  /** Whether somebody else had pinned it before, so that it is not this service's to let go. */
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

/** Of a copy: what a driver gives may be a view of what it has read. */
export const cidOf = ({ cid }: { readonly cid: Uint8Array }): Cid.Cid =>
  Result.getOrThrow(Cid.fromBytes(Uint8Array.from(cid)))

export const ownedOf = (row: PinRow): Owned => ({
  cid: cidOf(row),
  recursive: row.recursive === 1,
  name: row.name,
  size: row.size
})

export const heldOf = ({ elsewhere, strength }: HeldRow): Held => ({ strength, foreign: elsewhere === 1 })

export const neededOf = (recursive: number | null): Strength | undefined =>
  recursive === null ? undefined : recursive === 1 ? Strength.Recursive : Strength.Direct

/** A name as both databases can store it. */
export const plain = (name: string): string => name.toWellFormed().replaceAll("\0", "\u{FFFD}")

/** Succeeds where the pin that is there may become the new one. */
export const allowed = (
  own: Owned | undefined,
  { cid, recursive }: Pick<Owned, "cid" | "recursive">
): Result.Result<Owned | undefined, IpfsNodeError> =>
  own?.recursive === true && !recursive
    ? Result.fail(refused(Cid.toText(cid), "AlreadyRecursive"))
    : Result.succeed(own)

/** The pin to be replaced, where it can be. */
export const replaceable = (own: Owned | undefined, from: Cid.Cid): Result.Result<Owned, IpfsNodeError> =>
  own?.recursive === true ? Result.succeed(own) : Result.fail(refused(Cid.toText(from), "FromNotPinned"))

export const exceeded = (limit: number, used: number): IpfsNodeError =>
  failure(new QuotaExceeded({ quota: "stored", limit, used }))
