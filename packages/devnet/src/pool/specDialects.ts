/** The versions of the specification that the pool supports, and their differences. */

/** One version for each form that nodes have used since 0.4. `Dialect` has their differences. */
export type SpecVersion = "0.4.0" | "0.7.1" | "0.8.1" | "0.9.0" | "0.10.0" | "0.10.2"

/** The features of a version. */
export interface SpecDialect {
  readonly version: SpecVersion
  /** The tag of the unfinished block. */
  readonly tag: "pending" | "pre_confirmed"
  /** True if the header of a block has prices, and the fields that were added with prices. */
  readonly prices: boolean
  /** True if headers have L2 gas as a separate resource, and `l1_data_gas` is required among the bounds. */
  readonly l2Gas: boolean
  /** True if the header of a block has counts and commitments. */
  readonly commitments: boolean
  /** True if calls for transactions accept flags. */
  readonly flags: boolean
  /** The error for a transaction that cannot pay for anything. All versions use the same code. */
  readonly noFee: "INSUFFICIENT_MAX_FEE" | "INSUFFICIENT_RESOURCES_FOR_VALIDATE"
}

export const dialectOf = (version: SpecVersion): SpecDialect => {
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
