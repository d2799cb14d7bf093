/** Checks that the roots of a CAR name the requested DAG. */
import { RefutedError } from "@plumbline/verdict/RefutedError"

import * as Cid from "../cid/Cid.ts"
import { nodeKey } from "../cid/nodeKey.ts"

/** Returns the refutation of a CAR whose roots do not name the DAG; undefined if they do. */
export const refutation = (roots: ReadonlyArray<Cid.Cid>, root: Cid.Cid): RefutedError | undefined => {
  if (roots.some((given) => nodeKey(given) === nodeKey(root))) return undefined
  const got = roots.slice(0, 10).map((cid) => Cid.toText(cid))
  const expected = Cid.toText(root)
  return new RefutedError({ subject: expected, check: "car roots", expected, got: got.join(", ") || "none" })
}
