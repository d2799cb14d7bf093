/**
 * A verdict client that reads whole blocks, so that every provable field is proven.
 *
 * A block with only the hashes of its transactions costs one call, but `VerdictEthClient` can only claim these hashes
 * and the uncles. For callers that cannot use claims, this client also reads the transactions and the headers of the
 * uncles.
 */
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type { Client, VerdictRead } from "./verdictClient.ts"

/**
 * Returns the same client, but blocks are read whole. The senders of transactions are recovered only if the caller asks
 * for whole transactions. Each uncle of a block costs one more call.
 *
 * ```ts import.meta.vitest
 * import { VerdictEthClient, WholeBlocks } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const eth = Effect.map(VerdictEthClient.VerdictEthClient, WholeBlocks.make)
 * Effect.isEffect(eth) // => true
 * ```
 */
export const make = (client: Client): Client => ({
  ...client,
  getBlockByHash: (hash, options) => whole(options, (all) => client.getBlockByHash(hash, all)),
  getBlockByNumber: (block, options) => whole(options, (all) => client.getBlockByNumber(block, all))
})

const whole = <const Options extends EthClient.BlockOptions>(
  options: Options | undefined,
  read: (options: All) => VerdictRead<Verdict<Block.WithTransactions | null>>
): VerdictRead<Verdict<EthClient.BlockOf<Options> | null>> => {
  const full = options?.full === true
  const block = read({ full: true, senders: full, uncleHeaders: true })
  return (full ? block : Effect.map(block, onlyHashes)) as VerdictRead<Verdict<EthClient.BlockOf<Options> | null>>
}

interface All {
  readonly full: true
  readonly senders: boolean
  readonly uncleHeaders: true
}

/**
 * Returns a verdict with only the transaction hashes, which the whole transactions prove. Drops claims about fields of
 * transactions. A claim about a whole transaction remains, because its hash is not proven either.
 */
const onlyHashes = (verdict: Verdict<Block.WithTransactions | null>): Verdict<Block.WithHashes | null> =>
  map(verdict, (block) => (block === null ? null : withHashes(block)), {
    claims: (claim) => (OF_FIELD.test(claim.field) ? [] : [claim])
  })

const OF_FIELD = /^transactions\[\d*\]\./u

const withHashes = (block: Block.WithTransactions): Block.WithHashes => ({
  ...block,
  transactions: block.transactions.map((transaction) => transaction.hash)
})
