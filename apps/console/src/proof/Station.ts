/**
 * Stations: the rows of a proof between the anchor and the value. Each has bytes, their digest, and the part of the
 * bytes that names the next row.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

/** The kind of a station. */
export type StationKind =
  | "header"
  | "branch"
  | "extension"
  | "leaf"
  | "account"
  | "slot"
  | "item"
  | "code"
  | "uncles"
  | "uncle"
  | "broken"

/** A part of a station's bytes that the row shows: an entry of a branch, a field, or a range of a slot. */
export interface StationCell {
  readonly name: string
  /** The text inside the cell, if it is not the name. */
  readonly text?: string | undefined
  /** The range in the station's bytes: `head` bytes of RLP, then the content. */
  readonly offset: number
  readonly head: number
  readonly length: number
  /**
   * `taken`: on the line of the proof. `open`: leads to other values. `empty`: holds nothing. `hollow`: ends the line.
   */
  readonly state: "taken" | "open" | "empty" | "hollow"
  /** False for a part of the bytes that is not part of the row. */
  readonly isInRow: boolean
}

/** A row. */
export interface Station {
  /** Names the station in links, such as `header`, `state.1`, `account`, `slot`. */
  readonly id: string
  readonly kind: StationKind
  /** The name, such as `State trie, node 1`. */
  readonly title: string
  /** The kind in a few words. */
  readonly subtitle: string
  /** The content of the row in a few words. */
  readonly note: string
  /** The bytes of the station, with any flipped bits. */
  readonly bytes: Uint8Array
  /** The Keccak-256 of the bytes. */
  readonly digest: Hash32.Hash32
  /** The hash that the station above names. Undefined for a station that is inside the bytes of the station above. */
  readonly named: Hash32.Hash32 | undefined
  /** The title of the station above, or `The anchor`. */
  readonly namedBy: string
  readonly cells: ReadonlyArray<StationCell>
  /** The index in `cells` of the part on the line; -1 if there is none. */
  readonly taken: number
  /** The path that begins at this station, shown above it. Undefined if no path begins here. */
  readonly path: NibblePath | undefined
}

/** The digits of a path. */
export interface NibblePath {
  /** The formula of the digits, such as `keccak(address)`. */
  readonly of: string
  readonly digits: string
  /** The number of leading digits that the branches and extensions consume. */
  readonly used: number
}

/** True if the digest is the hash that the station above names, or if the station above names no hash. */
export const holds = ({ digest, named }: Station): boolean => named === undefined || named === digest
