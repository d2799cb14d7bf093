/** The roots of a CAR that is the answer about one DAG. */
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

/** Returns a key for all CIDs of the same bytes in the same codec: links depend on both. */
export const nodeKey = ({ code, multihash }: Cid.Cid): string => `${code} ${Hex.fromBytes(multihash.bytes)}`
