/** Verifies that an answer has the expected CID. */
import * as Cid from "../cid/Cid.ts"

/** Options about the form of CIDs in an answer. */
export interface CidFormOptions {
  readonly cidBase?: string | undefined
  readonly upgradeCidv0InOutput?: boolean | undefined
}

/**
 * True if the CIDs are the same. If the call asked for a form that only version 1 has, version 1 of the expected CID is
 * accepted too.
 */
export const isSame = (got: Cid.Cid, expected: Cid.Cid, { cidBase, upgradeCidv0InOutput }: CidFormOptions): boolean =>
  Cid.equals(got, expected) ||
  (expected.version === 0 &&
    (upgradeCidv0InOutput === true || (cidBase !== undefined && cidBase !== "base58btc")) &&
    Cid.equals(got, Cid.toV1(expected)))
