/**
 * Bounds on the work for one request: a call, an estimate, an access list or a simulation. A hostile node or contract
 * that reaches one ends the request with `CallError`, whose reason `OutOfBounds` names the bound.
 */
import * as Duration from "effect/Duration"

/** The bounds. */
export interface CallBounds {
  /**
   * Maximum gas of a call. A request that names more gas, or none, gets this much. The result of a call that measures its
   * gas may depend on it. Default: 50,000,000, as in geth.
   */
  readonly gas: bigint
  /** Maximum time for a request, with all its reads and runs. Default: 10 seconds. */
  readonly time: Duration.Input
  /** Maximum number of accounts that a call may read. Default: 1024. */
  readonly accounts: number
  /** Maximum number of storage slots that a call may read. Default: 8192. */
  readonly slots: number
  /** Maximum number of older blocks whose hashes a call may read. Default: 64. */
  readonly blockHashes: number
  /** Maximum number of times that a call waits for the node. Default: 64. */
  readonly roundTrips: number
  /** Maximum size of the proofs of a call, in bytes. Default: 32 MiB. */
  readonly proofBytes: number
  /** Maximum size of one contract's code, in bytes. Default: 65,536, the limit of Amsterdam. */
  readonly codeBytes: number
  /** Maximum size of the data that a call sends, in bytes. Default: 1 MiB. */
  readonly inputBytes: number
  /** Maximum number of whole runs for an estimate or an access list. Default: 64. */
  readonly runs: number
  /** Maximum gas that all whole runs of an estimate or an access list use together. Default: 500,000,000. */
  readonly gasOfRuns: bigint
  /** Maximum size of the data that a call returns, in bytes. Default: 4 MiB. */
  readonly returnBytes: number
}

/** The default bounds. */
export const defaults: CallBounds = {
  gas: 50_000_000n,
  time: /* @__PURE__ */ Duration.seconds(10),
  accounts: 1024,
  slots: 8192,
  blockHashes: 64,
  roundTrips: 64,
  proofBytes: 32 * 2 ** 20,
  codeBytes: 65_536,
  inputBytes: 2 ** 20,
  runs: 64,
  gasOfRuns: 500_000_000n,
  returnBytes: 4 * 2 ** 20
}
