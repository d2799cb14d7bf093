/** The versions of the specification that the pool can speak, and what differs between them. */

/** One version of each shape that nodes have had since 0.4: what differs is in `Dialect`. */
export type SpecVersion = "0.4.0" | "0.7.1" | "0.8.1" | "0.9.0" | "0.10.0" | "0.10.2"

/** What a version has. */
export interface Dialect {
  readonly version: SpecVersion
  /** The tag of the block in the making. */
  readonly tag: "pending" | "pre_confirmed"
  /** Prices and what comes with them, in the header of a block. */
  readonly prices: boolean
  /** L2 gas as a resource of its own, in headers; and `l1_data_gas` among the bounds, where it must be. */
  readonly l2Gas: boolean
  /** Counts and commitments, in the header of a block. */
  readonly commitments: boolean
  /** Flags, in questions for transactions. */
  readonly flags: boolean
  /** The error for a transaction that can pay nothing; the code is the same. */
  readonly noFee: "INSUFFICIENT_MAX_FEE" | "INSUFFICIENT_RESOURCES_FOR_VALIDATE"
}

export const dialectOf = (version: SpecVersion): Dialect => {
  const at = ORDER.indexOf(version)
  return {
    version,
    tag: at < 3 ? "pending" : "pre_confirmed",
    prices: at >= 1,
    l2Gas: at >= 2,
    commitments: at >= 4,
    flags: at >= 5,
    noFee: at < 2 ? "INSUFFICIENT_MAX_FEE" : "INSUFFICIENT_RESOURCES_FOR_VALIDATE"
  }
}

const ORDER: ReadonlyArray<SpecVersion> = ["0.4.0", "0.7.1", "0.8.1", "0.9.0", "0.10.0", "0.10.2"]
