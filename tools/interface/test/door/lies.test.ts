/**
 * The catalogue of lies against viem, plain and behind the door. Plain viem believes each lie in at least one of its
 * reads. Behind the door each read is the truth or an error, but for what is documented as advice.
 */
import { HistoryChain } from "@plumbline/devnet"
import { Refusal } from "@plumbline/provider"
import { Catalogue, Tamper } from "@plumbline/tamper"
import { createPublicClient, custom, type PublicClient } from "viem"
import { assert, describe, it } from "vitest"

import { type Provider, ways } from "../support/door.ts"

const { counter, token } = HistoryChain.contracts
const who = HistoryChain.accounts[0]!.address
const head = BigInt(HistoryChain.head.number)
const sent = HistoryChain.blocks.findLast((block) => block.transactions.length > 1)!
const spender = HistoryChain.transactions("0x2").at(-1)!.hash
const withdrawn = HistoryChain.blocks.findLast(({ fork }) => fork === "Shanghai")!
const listed = HistoryChain.transactions("0x1").at(-1)!.hash
const slot = `0x${"00".repeat(32)}` as const

/** Reads by name. The ones that are advice show no lie to anybody: the door passes them, marked. */
const reads: Readonly<Record<string, (client: PublicClient) => Promise<unknown>>> = {
  head: (client) => client.getBlock(),
  "block by number": (client) => client.getBlock({ blockNumber: head - 1n }),
  "block by number, again": (client) => client.getBlock({ blockNumber: head - 2n }),
  "block by hash": (client) => client.getBlock({ blockHash: sent.hash }),
  "block with withdrawals": (client) => client.getBlock({ blockNumber: BigInt(withdrawn.number) }),
  "block with transactions": (client) => client.getBlock({ blockHash: sent.hash, includeTransactions: true }),
  count: (client) => client.getBlockTransactionCount({ blockHash: sent.hash }),
  transaction: (client) => client.getTransaction({ hash: spender }),
  "transaction with a list": (client) => client.getTransaction({ hash: listed }),
  receipt: (client) => client.getTransactionReceipt({ hash: spender }),
  receipts: (client) => client.request({ method: "eth_getBlockReceipts", params: [sent.hash] } as never),
  logs: (client) => client.getLogs({ fromBlock: 0n, toBlock: head }),
  balance: (client) => client.getBalance({ address: who, blockNumber: head }),
  nonce: (client) => client.getTransactionCount({ address: who, blockNumber: BigInt(sent.number) }),
  code: (client) => client.getCode({ address: token.address, blockNumber: head }),
  storage: (client) => client.getStorageAt({ address: counter.address, slot, blockNumber: head }),
  proof: (client) => client.getProof({ address: counter.address, storageKeys: [slot], blockNumber: head }),
  chain: (client) => client.getChainId(),
  sent: (client) => client.request({ method: "eth_sendRawTransaction", params: ["0x01"] }),
  call: (client) => client.request({ method: "eth_call", params: [{ to: token.address, data: "0x" }, "latest"] })
}

const advice: typeof reads = {
  number: (client) => client.getBlockNumber({ cacheTime: 0 }),
  "gas price": (client) => client.getGasPrice()
}

const viem = (provider: Provider): PublicClient =>
  createPublicClient({ transport: custom(provider, { retryCount: 0 }) })

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part))

interface Outcome {
  readonly value?: string
  readonly code?: number
}

/** The outcome of a read: its value, or the code of its error. */
const outcomeOf = (read: Promise<unknown>): Promise<Outcome> =>
  read.then(
    (value) => ({ value: text(value) }),
    // viem wraps an error whose code it does not know in one of its own, with the code -1
    (error: any) => ({
      code: error.walk((cause: any) => typeof cause?.code === "number" && cause.code !== -1)?.code ?? 0
    })
  )

const outcomes = async (provider: Provider, which: typeof reads): Promise<ReadonlyMap<string, Outcome>> => {
  const client = viem(provider)
  const entries: Array<[string, Outcome]> = []
  // one after the other, because some lies are told every second time
  for (const [name, read] of Object.entries(which)) entries.push([name, await outcomeOf(read(client))])
  return new Map(entries)
}

const truth = await outcomes(ways().plain, { ...reads, ...advice })
const lies = Catalogue.lies.filter(({ how }) => how._tag === "Answer")

describe("a lie of the catalogue", () => {
  for (const lie of lies) {
    it(`is believed by viem, and found out behind the door: ${lie.name}`, async () => {
      const told: Array<string> = []
      const liar = Tamper.make(lie, { onTold: ({ method }) => told.push(method) })
      const { door, plain } = ways(liar, { chainId: BigInt(HistoryChain.chainId) })

      const believed = await outcomes(plain, { ...reads, ...advice })
      const fooled = [...believed].filter(
        ([name, { value }]) => value !== undefined && value !== truth.get(name)?.value
      )
      assert.isNotEmpty(fooled, "viem believes it")
      assert.isNotEmpty(told)

      const behind = await outcomes(door, reads)
      const passed = [...behind].filter(
        ([name, { value }]) => value !== undefined && value !== "null" && value !== truth.get(name)?.value
      )
      assert.deepEqual(passed, [], "nothing but the truth passes")
      const codes = new Set([...behind.values()].map(({ code }) => code))
      if (lie.expected === "REFUTED") assert.isTrue(codes.has(Refusal.REFUTED), `one of ${[...codes].join()}`)
    })
  }
})

it("passes the truth in every read that it proves", async () => {
  const behind = await outcomes(ways().door, reads)
  const expected = new Map([...truth].filter(([name]) => Object.hasOwn(reads, name)))
  // a call is refused, because no proof of it is known
  assert.deepEqual(behind, expected.set("call", { code: Refusal.UNPROVEN }))
})
