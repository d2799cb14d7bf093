/** Checks that the roots of a CAR name the requested DAG. */
import * as Hex from "@plumbline/codec/hex/Hex"
import { Refuted } from "@plumbline/verdict/Refuted"

import * as Cid from "../cid/Cid.ts"

/** Returns the refutation of a CAR whose roots do not name the DAG; undefined if they do. */
export const refutation = (roots: ReadonlyArray<Cid.Cid>, root: Cid.Cid): Refuted | undefined => {
  if (roots.some((given) => nodeKey(given) === nodeKey(root))) return undefined
  const got = roots.slice(0, 10).map((cid) => Cid.toText(cid))
  const expected = Cid.toText(root)
  return new Refuted({ subject: expected, check: "car roots", expected, got: got.join(", ") || "none" })
}

/** Returns a key that is the same for all CIDs with the same bytes and codec, because links depend on both. */
export const nodeKey = ({ code, multihash }: Cid.Cid): string => `${code} ${Hex.fromBytes(multihash.bytes)}`
