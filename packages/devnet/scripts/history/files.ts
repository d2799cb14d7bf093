/** Encodes a chain as files: the archive that `History` serves, and the index that people and tests read. */
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex } from "@ethereumjs/util"
import { keccak256 } from "viem"

import type { ChainRecord } from "../../src/history/chainRecord.ts"
import type * as Story from "./historyStory.ts"
import type { Chain } from "./play.ts"
import { CHAIN_ID, forkAt, forks } from "./rules.ts"

/** Returns the archive. See `history/README.md`. */
export const archive = ({ blocks, codes, nodes, receipts }: Chain): Uint8Array =>
  RLP.encode([
    blocks.map((block) => block.serialize()),
    blocks.map(({ transactions }, n) => receipts[n]!.map((receipt, i) => withoutBloom(receipt, transactions[i]!.type))),
    blocks.map(({ transactions }) => transactions.map((transaction) => transaction.getSenderAddress().bytes)),
    [...nodes],
    [...codes]
  ])

/** Returns a receipt in the form in which nodes exchange it (EIP-7642): its bloom filter follows from its logs. */
const withoutBloom = (encoded: Uint8Array, type: number) => {
  const [outcome, gas, , logs] = RLP.decode(type === 0 ? encoded : encoded.subarray(1)) as Array<any>
  return [type, outcome, gas, logs]
}

export const index = (chain: Chain, story: Story.Story): ChainRecord => ({
  chainId: CHAIN_ID,
  archive: keccak256(archive(chain)),
  forks: forks.map(({ block, name }) => ({ name, block })),
  contracts: story.contracts,
  blocks: chain.blocks.map((block, number) => ({
    number,
    hash: bytesToHex(block.hash()),
    timestamp: Number(block.header.timestamp),
    fork: forkAt(number).name,
    title: number === 0 ? "Genesis" : story.blocks[number - 1]!.title,
    uncles: block.uncleHeaders.map((uncle) => bytesToHex(uncle.hash())),
    transactions: block.transactions.map((transaction, i) => {
      const { fails, title } = story.blocks[number - 1]!.transactions[i]!
      return { hash: bytesToHex(transaction.hash()), type: `0x${transaction.type}` as const, success: !fails, title }
    })
  }))
})
