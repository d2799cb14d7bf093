/**
 * A client of verdicts that reads whole blocks, so that every field that a proof can show is proven.
 *
 * A block with hashes of transactions proves neither the hashes nor the uncles: `VerdictEthClient` reports them as
 * claims, and costs one call. For a caller who cannot use claims, this client reads the transactions and the headers of
 * uncles too.
 */
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type { Client, Read } from "./client.ts"

/**
 * Returns the same client, but blocks are read whole. The senders of transactions are recovered only if the caller asks
 * for whole transactions. A block that has uncles costs one more call for each.
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
  read: (options: All) => Read<Verdict<Block.WithTransactions | null>>
): Read<Verdict<EthClient.BlockOf<Options> | null>> => {
  const full = options?.full === true
  const block = read({ full: true, senders: full, uncleHeaders: true })
  return (full ? block : Effect.map(block, onlyHashes)) as Read<Verdict<EthClient.BlockOf<Options> | null>>
}

interface All {
  readonly full: true
  readonly senders: boolean
  readonly uncleHeaders: true
}

/** The hashes are proven by the whole transactions; what is claimed of these is not there any more. */
const onlyHashes = (verdict: Verdict<Block.WithTransactions | null>): Verdict<Block.WithHashes | null> =>
  map(verdict, (block) => (block === null ? null : withHashes(block)), {
    claims: (claim) => (claim.field.startsWith("transactions[") ? [] : [claim])
  })

const withHashes = (block: Block.WithTransactions): Block.WithHashes => ({
  ...block,
  transactions: block.transactions.map((transaction) => transaction.hash)
})
