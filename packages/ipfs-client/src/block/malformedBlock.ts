/** The errors of blocks that their codec cannot read. */
import * as Cid from "../cid/Cid.ts"
import type { Flaw } from "../codec/blockBounds.ts"
import { LimitExceeded, MalformedBlock } from "./DagError.ts"

/** Returns the error for a flaw of a block. */
export const flawed =
  (cid: Cid.Cid) =>
  (flaw: Flaw): MalformedBlock | LimitExceeded =>
    typeof flaw === "string"
      ? new MalformedBlock({ cid: Cid.toText(cid), detail: flaw })
      : new LimitExceeded({ cid: Cid.toText(cid), bound: flaw.bound, limit: flaw.limit })
