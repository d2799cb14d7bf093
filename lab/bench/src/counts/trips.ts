/**
 * Counts the network cost of a read: HTTP requests, the calls in them, and the bytes of their bodies, sent and
 * received.
 *
 * The node is the history chain in this process, behind a `fetch` that counts, and the head of the chain is pinned.
 * Each question is asked about the head, and about an older block that the head's state names (EIP-2935). `cold` is a
 * client that has read nothing, `warm` a client that has read about another block, `again` the same question to the
 * same client. viem asks the question without a proof. No body is compressed.
 */
import { History, HistoryChain } from "@plumbline/devnet"
import { StorageKey, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Batching, HttpTransport, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Layer } from "effect"
import { createPublicClient, http, type PublicClient } from "viem"

import { counting, type Counts } from "./wireCounts.ts"

/** The counts of each question, by the method, the block and the state of the client. */
export type Table = Readonly<Record<string, Counts>>

/** One question to both clients, about a block and a transaction in it. */
interface Question {
  readonly proven: (
    client: VerdictEthClient.Client,
    about: About
  ) => Effect.Effect<{ readonly _tag: string }, Effect.Error<VerdictEthClient.RunRead<unknown>>>
  readonly plain: (client: PublicClient, about: About) => Promise<unknown>
}

interface About {
  readonly number: bigint
  readonly hash: `0x${string}`
  readonly transaction: `0x${string}`
}

const address = HistoryChain.contracts.counter.address
const slot = StorageKey.fromSlot(0n)
const BLOCKS = 16n

const questions: Readonly<Record<string, Question>> = {
  eth_getBalance: {
    proven: (client, { number }) => client.getBalance(address, number),
    plain: (client, { number }) => client.getBalance({ address, blockNumber: number })
  },
  eth_getStorageAt: {
    proven: (client, { number }) => client.getStorageAt(address, slot, number),
    plain: (client, { number }) => client.getStorageAt({ address, slot, blockNumber: number })
  },
  eth_getCode: {
    proven: (client, { number }) => client.getCode(address, number),
    plain: (client, { number }) => client.getCode({ address, blockNumber: number })
  },
  eth_getProof: {
    proven: (client, { number }) => client.getProof(address, [slot], number),
    plain: (client, { number }) => client.getProof({ address, storageKeys: [slot], blockNumber: number })
  },
  "eth_getBlockByNumber, whole": {
    proven: (client, { number }) => client.getBlockByNumber(number, { full: true, senders: false }),
    plain: (client, { number }) => client.getBlock({ blockNumber: number, includeTransactions: true })
  },
  "eth_getBlockByHash, whole": {
    proven: (client, { hash }) => client.getBlockByHash(hash, { full: true, senders: false }),
    plain: (client, { hash }) => client.getBlock({ blockHash: hash, includeTransactions: true })
  },
  eth_getTransactionByHash: {
    proven: (client, { transaction }) => client.getTransactionByHash(transaction),
    plain: (client, { transaction }) => client.getTransaction({ hash: transaction })
  },
  eth_getTransactionByBlockNumberAndIndex: {
    proven: (client, { number }) => client.getTransactionByBlockNumberAndIndex(number, 0n),
    plain: (client, { number }) => client.getTransaction({ blockNumber: number, index: 0 })
  },
  eth_getTransactionReceipt: {
    proven: (client, { transaction }) => client.getTransactionReceipt(transaction),
    plain: (client, { transaction }) => client.getTransactionReceipt({ hash: transaction })
  },
  eth_getBlockReceipts: {
    proven: (client, { number }) => client.getBlockReceipts(number, { senders: false }),
    plain: (client, { number }) =>
      client.request({ method: "eth_getBlockReceipts", params: [`0x${number.toString(16)}`] } as never)
  },
  "eth_getLogs, 16 blocks": {
    proven: (client, { number }) => client.getLogs({ fromBlock: number - BLOCKS + 1n, toBlock: number }),
    plain: (client, { number }) => client.getLogs({ fromBlock: number - BLOCKS + 1n, toBlock: number })
  }
}

const { blocks, head } = HistoryChain

/** The distances from the head to two older blocks that the head's state names. Both blocks have transactions. */
const ANCESTOR = 64
const OTHER = 63

/** Returns the counts of every question. */
export const trips = async (): Promise<Table> => {
  const node = await Effect.runPromise(History.make)
  const wire = counting((request) => Effect.runPromise(node.handle(request)))
  const url = "http://node.invalid"
  const client = (): Promise<VerdictEthClient.Client> =>
    Effect.runPromise(
      Effect.provide(
        VerdictEthClient.VerdictEthClient,
        Layer.provide(VerdictEthClient.layer(), [
          Transport.through(HttpTransport.layer({ url, fetch: wire.fetch }), Batching.make()),
          TrustedBlock.layerPinned(head.hash as never)
        ])
      )
    )
  const viem = createPublicClient({ transport: http(url, { fetchFn: wire.fetch, retryCount: 0 }) })

  const table: Record<string, Counts> = {}
  for (const [method, { plain, proven }] of Object.entries(questions)) {
    const read = (asked: VerdictEthClient.Client, about: About) => async (): Promise<void> => {
      const verdict = await Effect.runPromise(proven(asked, about))
      if (verdict._tag !== "VERIFIED") throw new Error(`${method} of block ${about.number}: only claimed`)
    }
    const [atHead, older] = [aboutOf(head.number), aboutOf(ANCESTOR)]
    const [first, second, third] = [await client(), await client(), await client()]
    await read(third, aboutOf(OTHER))()
    table[`${method}, head, cold`] = await wire.count(read(first, atHead))
    table[`${method}, head, again`] = await wire.count(read(first, atHead))
    table[`${method}, ancestor, cold`] = await wire.count(read(second, older))
    table[`${method}, ancestor, warm`] = await wire.count(read(third, older))
    table[`${method}, ancestor, again`] = await wire.count(read(second, older))
    table[`${method}, ancestor, viem`] = await wire.count(() => plain(viem, older))
  }
  return table
}

const aboutOf = (number: number): About => {
  const { hash, transactions } = blocks[number]!
  return { number: BigInt(number), hash, transaction: transactions[0]!.hash }
}
