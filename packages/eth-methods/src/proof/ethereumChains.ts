/** Facts about the chains of Ethereum. They make blame certain where another chain would have another rule. */
import type * as LaterForks from "../model/LaterForks.ts"
import * as Transaction from "../model/Transaction.ts"
import { chainIdInV, isLegacy } from "../rlp/signedPayload.ts"

/** The number of the first block since Byzantium, for mainnet and the test networks of Ethereum. */
const byzantium: ReadonlyMap<bigint, bigint> = new Map([
  [1n, 4_370_000n],
  [17_000n, 0n],
  [560_048n, 0n],
  [11_155_111n, 0n]
])

/**
 * The chains of the OP stack, from the registry of its chains and from that of Base. Since Isthmus, a header's
 * withdrawalsRoot is a storage root there, while the list is empty.
 */
const opStack: ReadonlySet<bigint> = new Set([
  10n,
  130n,
  360n,
  480n,
  1_135n,
  1_301n,
  1_750n,
  1_868n,
  4_801n,
  8_453n,
  34_443n,
  42_220n,
  57_073n,
  84_532n,
  763_373n,
  7_777_777n,
  11_155_420n
])

/** An option of verifiers: the chain of the checked answer. */
export interface OfChain {
  /**
   * Id of the chain, if the caller knows it, for example from its configuration. A node's answer is not enough. On
   * mainnet and the test networks of Ethereum, an answer in the form of another chain is then refuted. Default: the
   * chain that signed transactions of the block name, or an unknown chain, where such an answer is only claimed.
   */
  readonly chainId?: bigint | undefined
  /**
   * Name of the chain's consensus engine, if the caller found that the chain's blocks do not hash by Ethereum's rule. No
   * block is then proven or refuted by its hash. It means nothing on a chain of Ethereum. Default: found in each block.
   */
  readonly engine?: string | undefined
  /**
   * Forks of the chain that this version does not know, by the caller's configuration. Headers of these forks are then
   * proven, and refuted if they do not give their hash. Default: none, and such headers are claimed.
   */
  readonly forks?: LaterForks.LaterForks | undefined
}

/** True if the chain is known to follow the rules of Ethereum. */
export const isEthereum = (chainId: bigint | undefined): boolean => chainId !== undefined && byzantium.has(chainId)

/** True if the chain is known to belong to the OP stack. */
export const isOpStack = (chainId: bigint | undefined): boolean => chainId !== undefined && opStack.has(chainId)

/** True if the block is known to come after Byzantium, by its chain and number. */
export const isSinceByzantium = (chainId: bigint | undefined, number: bigint): boolean => {
  const first = chainId === undefined ? undefined : byzantium.get(chainId)
  return first !== undefined && number >= first
}

/**
 * Returns the chain that the first signed transaction names; undefined if none does. The caller must have proven the
 * transactions.
 */
export const namedBy = (transactions: ReadonlyArray<Transaction.Transaction | string>): bigint | undefined => {
  for (const transaction of transactions) {
    if (typeof transaction === "string" || !Transaction.isKnown(transaction) || Transaction.isDeposit(transaction))
      continue
    const chainId = isLegacy(transaction) ? chainIdInV(transaction.v) : Transaction.chainIdOf(transaction)
    if (chainId !== undefined) return chainId
  }
  return undefined
}
