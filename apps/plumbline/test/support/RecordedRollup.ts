/** A rollup's node with the blocks and receipts that op-geth gave for a chain in the form of one fork. */
import * as OpStackChain from "@plumbline/eth-methods/support/opStackChain"

import * as LyingNode from "./LyingNode.ts"
import type * as RollupContracts from "./RollupContracts.ts"
import * as Servers from "./Servers.ts"

export type Recorded = OpStackChain.Recorded["blocks"][number]

/** The chains from Canyon on, whose calls are recorded. */
export const withCalls = OpStackChain.chains.filter(({ calls }) => calls.answers.length > 0)

/** Returns the blocks of a chain. */
export const blocksOf = (fork: string): ReadonlyArray<Recorded> =>
  OpStackChain.chains.find((chain) => chain.fork === fork)!.blocks

/** Returns a block with its transactions, or with their hashes. */
export const blockOf = ({ block }: Recorded, isFull: boolean): object =>
  isFull ? block : { ...block, transactions: (block["transactions"] as ReadonlyArray<any>).map(({ hash }) => hash) }

/** A node with recorded blocks. It has no state, as usual nodes have none of a
 * block that is days old, except what recorded calls read. */
export const serve = (blocks: ReadonlyArray<Recorded>, calls?: OpStackChain.Recorded["calls"]) =>
  Servers.serve(async (request, response) => {
    const { id, method, params } = JSON.parse(await LyingNode.textOf(request))
    const tagged: Record<string, Recorded | undefined> = { latest: blocks.at(-1), finalized: blocks.at(-1) }
    const find = (named: any): Recorded | undefined =>
      tagged[named] ?? blocks.find(({ block }) => [block["hash"], block["number"]].includes(named?.blockHash ?? named))
    const receipts = blocks.flatMap((one) => one.receipts) as ReadonlyArray<any>
    const transactions = blocks.flatMap(({ block }) => block["transactions"] as ReadonlyArray<any>)
    const answer = (): unknown => {
      switch (method) {
        case "eth_chainId":
          return "0x385"
        case "eth_blockNumber":
          return blocks.at(-1)!.block["number"]
        case "eth_getBlockByHash":
        case "eth_getBlockByNumber": {
          const found = find(params[0])
          return found === undefined ? null : blockOf(found, params[1] === true)
        }
        case "eth_getBlockReceipts":
          return find(params[0])?.receipts ?? null
        case "eth_getTransactionReceipt":
          return receipts.find(({ transactionHash }) => transactionHash === params[0]) ?? null
        case "eth_getTransactionByHash":
          return transactions.find(({ hash }) => hash === params[0]) ?? null
        case "eth_getLogs":
          return receipts
            .filter(({ blockHash, blockNumber }) =>
              [blockHash, blockNumber].includes(params[0].blockHash ?? params[0].fromBlock)
            )
            .flatMap(({ logs }) => logs)
        case "eth_getProof":
          return calls?.proofs[params[0]]
        case "eth_getCode":
          return calls?.codes[params[0]]
        default:
          return undefined
      }
    }
    const result = answer()
    const said = result === undefined ? { error: { code: -32_601, message: "no such method" } } : { result }
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...said }))
  })

/** Returns the output of a block that has the message passer's storage root in its header. */
export const outputOf = ({ block }: Recorded): RollupContracts.Output => {
  const { hash, number, stateRoot, withdrawalsRoot } = block as Record<string, RollupContracts.Text>
  return { hash: hash!, number: number!, stateRoot: stateRoot!, passerRoot: withdrawalsRoot! }
}
