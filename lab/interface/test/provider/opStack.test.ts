/**
 * Tests that viem and ethers read a chain of the OP stack through the proving provider as they read it from its node.
 * op-geth made the chains, one for each fork.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

import type { Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProviderRefusal, ProvingNode } from "@plumbline/provider"
import { Effect, Layer } from "effect"
import { BrowserProvider } from "ethers"
import { createPublicClient, custom, defineChain } from "viem"
import { chainConfig } from "viem/op-stack"
import { assert, describe, it } from "vitest"

interface Block {
  readonly number: string
  readonly hash: Hash32.Hash32
  readonly transactions: ReadonlyArray<any>
}

interface Recorded {
  readonly fork: string
  readonly blocks: ReadonlyArray<{ readonly block: Block; readonly receipts: ReadonlyArray<any> }>
}

const file = new URL("../../../../packages/eth-methods/test/support/opStackChain.json.gz", import.meta.url)
const chains: ReadonlyArray<Recorded> = JSON.parse(gunzipSync(readFileSync(file)).toString())

const CHAIN_ID = 901

/** Returns the answer of a node that has the chain; undefined for a method that it lacks. */
const truth = ({ blocks }: Recorded, method: string, [asked, full]: ReadonlyArray<any>): unknown => {
  const named = asked?.blockHash ?? asked
  const found = blocks.find(({ block }) => block.hash === named || block.number === named)
  const all = blocks.flatMap(({ block, receipts }) =>
    block.transactions.map((transaction, at) => ({ transaction, receipt: receipts[at] }))
  )
  const own = all.find(({ transaction }) => transaction.hash === named)
  switch (method) {
    case "eth_chainId":
      return `0x${CHAIN_ID.toString(16)}`
    case "eth_blockNumber":
      return blocks.at(-1)!.block.number
    case "eth_getBlockByHash":
    case "eth_getBlockByNumber":
      return found === undefined
        ? null
        : full === true
          ? found.block
          : { ...found.block, transactions: found.block.transactions.map(({ hash }) => hash) }
    case "eth_getBlockReceipts":
      return found?.receipts ?? null
    case "eth_getTransactionByHash":
      return own?.transaction ?? null
    case "eth_getTransactionReceipt":
      return own?.receipt ?? null
    default:
      return undefined
  }
}

/** Changes the node's answer. */
type Change = (method: string, answer: any) => unknown

/** Returns the node as a provider without proofs, and the proving provider in front of it. */
const ways = (chain: Recorded, change: Change = (_, answer) => answer) => {
  const answer = (method: string, params: ReadonlyArray<unknown>) =>
    structuredClone(change(method, truth(chain, method, params)))
  const plain = {
    request: async ({ method, params = [] }: { readonly method: string; readonly params?: ReadonlyArray<unknown> }) =>
      answer(method, params)
  }
  const call: Transport.Transport["Service"]["call"] = ({ method, params }) => {
    const said = answer(method, params)
    const reason = new JsonRpcError.RemoteError({ code: -32601, message: "no such method" })
    return said === undefined ? Effect.fail(new JsonRpcError.JsonRpcError({ method, reason })) : Effect.succeed(said)
  }
  const proving = Eip1193Provider.fromLayer(
    ProvingNode.layer({ chainId: BigInt(CHAIN_ID) }).pipe(
      Layer.provide([
        Layer.succeed(Transport.Transport, { call, callAll: Transport.oneByOne(call) }),
        TrustedBlock.layerPinned(chain.blocks.at(-1)!.block.hash)
      ])
    )
  )
  return { plain, proving }
}

const rollup = defineChain({
  ...chainConfig,
  id: CHAIN_ID,
  name: "made",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [] } }
})

const viemOf = (provider: any) => createPublicClient({ chain: rollup, transport: custom(provider, { retryCount: 0 }) })

const withEthers = async <A>(provider: any, read: (ethers: BrowserProvider) => Promise<A>): Promise<A> => {
  const ethers = new BrowserProvider(provider, CHAIN_ID)
  try {
    return await read(ethers)
  } finally {
    ethers.destroy()
  }
}

/** Returns what the library shows, or the code of the provider's refusal. */
const shown = async (read: Promise<unknown>): Promise<unknown> =>
  read.catch((error: any) => /-3209\d/u.exec(JSON.stringify([error, error.cause, error.cause?.cause]))?.[0] ?? error)

for (const chain of chains) {
  describe(`a chain of ${chain.fork}`, () => {
    const { block, receipts } = chain.blocks[0]!
    const number = BigInt(block.number)
    /** Before Canyon, no hash covers the nonce from which the address of a created contract follows. */
    const isOpen = (at: number): boolean =>
      receipts[at].type === "0x7e" && receipts[at].to === null && receipts[at].depositReceiptVersion === undefined

    it("is the same by viem, with the nonces of its deposits", async () => {
      const { plain, proving } = ways(chain)
      const read = (provider: unknown) =>
        Promise.all([
          viemOf(provider).getBlock({ blockNumber: number, includeTransactions: true }),
          ...block.transactions.map(({ hash }) => viemOf(provider).getTransaction({ hash }))
        ])
      const proven = await read(proving)
      assert.deepStrictEqual(proven, await read(plain))
      const [whole] = proven
      assert.deepStrictEqual(
        whole.transactions.map(({ nonce }) => nonce),
        block.transactions.map(({ nonce }) => Number(nonce))
      )
      for (const [at, { hash }] of block.transactions.entries()) {
        const receipt = (provider: unknown) => shown(viemOf(provider).getTransactionReceipt({ hash }))
        assert.deepStrictEqual(
          await receipt(proving),
          isOpen(at) ? `${ProviderRefusal.UNPROVEN}` : await receipt(plain)
        )
      }
    })

    it("is the same by ethers, with the nonces of its deposits", async () => {
      const { plain, proving } = ways(chain)
      const read = (provider: unknown) =>
        withEthers(provider, async (ethers) => {
          const whole = await ethers.getBlock(number, true)
          const alone = await Promise.all(block.transactions.map(({ hash }) => ethers.getTransaction(hash)))
          return [...whole!.prefetchedTransactions, ...alone].map((transaction) => transaction!.toJSON())
        })
      const proven = await read(proving)
      assert.deepStrictEqual(proven, await read(plain))
      const nonces = block.transactions.map(({ nonce }) => Number(nonce))
      assert.deepStrictEqual(
        proven.map(({ nonce }) => nonce),
        [...nonces, ...nonces]
      )
      for (const [at, { hash }] of block.transactions.entries()) {
        const receipt = (provider: unknown) =>
          withEthers(provider, (ethers) =>
            shown(ethers.getTransactionReceipt(hash).then((receipt) => receipt!.toJSON()))
          )
        assert.deepStrictEqual(
          await receipt(proving),
          isOpen(at) ? `${ProviderRefusal.UNPROVEN}` : await receipt(plain)
        )
      }
    })

    it("is refused for a deposit that mints more; a changed nonce is told to be the node's word", async () => {
      const changed =
        (change: object): Change =>
        (method, answer) =>
          method === "eth_getBlockByNumber"
            ? { ...answer, transactions: answer.transactions.with(1, { ...answer.transactions[1], ...change }) }
            : answer
      const read = (provider: unknown) => viemOf(provider).getBlock({ blockNumber: number, includeTransactions: true })
      assert.strictEqual(
        await shown(read(ways(chain, changed({ mint: "0xffffff" })).proving)),
        `${ProviderRefusal.REFUTED}`
      )
      const { proving } = ways(chain, changed({ nonce: "0x77" }))
      const told: Array<Eip1193Provider.VerdictEvent> = []
      proving.on("verdict", (event: Eip1193Provider.VerdictEvent) => told.push(event))
      assert.strictEqual((await read(proving)).transactions[1]!.nonce, 0x77)
      const [{ claimed, status }] = told as [Eip1193Provider.VerdictEvent]
      assert.strictEqual(status, "VERIFIED")
      assert.include(
        claimed.map(({ field }) => field),
        "transactions[1].nonce"
      )
    })
  })
}
