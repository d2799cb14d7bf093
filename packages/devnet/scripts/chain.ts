/** Plays a story on an empty anvil, and records the resulting chain. */
import { gunzipSync } from "node:zlib"

import { Effect } from "effect"
import { createPublicClient, createTestClient, hexToBytes, http, type Hex } from "viem"
import { signAuthorization } from "viem/accounts"

import * as Anvil from "../src/anvil/Anvil.ts"
import type * as PreparedState from "../src/anvil/PreparedState.ts"
import type { Artifact } from "./compile.ts"
import * as Story from "./story.ts"

/** The parts of a chain that are committed to the repository. */
export interface Chain {
  readonly index: Index
  /** The text of the file that anvil loads. */
  readonly state: string
}

/** The data of `PreparedState`. */
export interface Index extends Pick<typeof PreparedState, "chainId" | "contracts" | "accounts" | "blocks"> {}

/** Plays the story on a new chain: the same story makes the same chain. */
export const play = Effect.fnUntraced(function* (artifacts: ReadonlyMap<string, Artifact>) {
  const anvil = yield* Anvil.make({ state: "empty", genesisTime: Story.GENESIS_TIME, chainId: Story.CHAIN_ID })
  return yield* Effect.promise(() => record(anvil.url, Story.story(artifacts)))
}, Effect.scoped)

const record = async (url: string, story: Story.Story): Promise<Chain> => {
  const client = createPublicClient({ transport: http(url) })
  const control = createTestClient({ transport: http(url), mode: "anvil" })
  await control.setAutomine(false)
  await control.setCoinbase({ address: Story.accounts[Story.FEE_RECIPIENT]!.address })

  const blocks: Array<PreparedState.PreparedBlock> = []
  const take = async (title: string, sent: ReadonlyArray<Story.Transaction>, hashes: ReadonlyArray<Hex>) => {
    const block = await client.getBlock({ includeTransactions: false })
    expect(`the transactions of block ${block.number}`, block.transactions, hashes)
    const receipts = await Promise.all(hashes.map((hash) => client.getTransactionReceipt({ hash })))
    blocks.push({
      number: Number(block.number),
      hash: block.hash,
      timestamp: Number(block.timestamp),
      title,
      transactions: sent.map((transaction, i) => {
        const success = receipts[i]!.status === "success"
        expect(`success of "${transaction.title}"`, success, !transaction.reverts)
        return {
          hash: hashes[i]!,
          form: transaction.form,
          type: types[transaction.form],
          from: lower(Story.accounts[transaction.from]!.address),
          to: transaction.to ?? null,
          success,
          title: transaction.title
        }
      })
    })
  }

  await take("Genesis", [], [])
  for (const [i, { title, transactions }] of story.blocks.entries()) {
    const hashes: Array<Hex> = []
    for (const [place, transaction] of transactions.entries()) {
      hashes.push(await client.sendRawTransaction({ serializedTransaction: await sign(transaction, place) }))
    }
    await control.setNextBlockTimestamp({ timestamp: BigInt(Story.GENESIS_TIME + (i + 1) * Story.BLOCK_TIME) })
    await control.mine({ blocks: 1 })
    await take(title, transactions, hashes)
  }

  for (const { name, address } of Object.values(story.contracts)) {
    expect(`code of ${name}`, (await client.getCode({ address })) !== undefined, true)
  }
  const dump = await client.request<Dump>({ method: "anvil_dumpState", params: [true] })
  const state: Dumped = JSON.parse(gunzipSync(hexToBytes(dump)).toString("utf8"))
  return {
    index: {
      chainId: Story.CHAIN_ID,
      contracts: story.contracts,
      accounts: Story.accounts.map((account, i) => ({
        address: lower(account.address),
        publicTestKey: Story.publicTestKeys[i]!
      })),
      blocks
    },
    state: JSON.stringify(inOrder(state, blocks))
  }
}

interface Dump {
  readonly Method: "anvil_dumpState"
  readonly Parameters: readonly [preserveHistoricalStates: boolean]
  /** The return value: JSON, compressed by gzip, as hex. */
  readonly ReturnType: Hex
}

const types = { legacy: "0x0", accessList: "0x1", dynamicFee: "0x2", setCode: "0x4" } as const

const GWEI = 10n ** 9n

/** Signs a transaction. A later place in the block has a lower fee, because anvil orders transactions by fee. */
const sign = async (transaction: Story.Transaction, place: number): Promise<Hex> => {
  const { accessList, data, form, gas, nonce, to, value } = transaction
  const account = Story.accounts[transaction.from]!
  const price = 3n * GWEI - BigInt(place) * (GWEI / 100n)
  const common = { nonce, gas, to, value, data }
  const chainId = Story.CHAIN_ID
  const dynamicFee = { ...common, chainId, accessList, maxFeePerGas: price, maxPriorityFeePerGas: GWEI / 10n }
  switch (form) {
    case "legacy":
      return account.signTransaction({
        ...common,
        type: "legacy",
        gasPrice: price,
        ...(transaction.protected ? { chainId } : {})
      })
    case "accessList":
      return account.signTransaction({ ...common, type: "eip2930", chainId, accessList, gasPrice: price })
    case "dynamicFee":
      return account.signTransaction({ ...dynamicFee, type: "eip1559" })
    case "setCode": {
      const authorizationList = await Promise.all(
        transaction.authorizations.map(({ authority, address, nonce }) =>
          signAuthorization({ privateKey: Story.publicTestKeys[authority]!, chainId, address, nonce })
        )
      )
      return account.signTransaction({ ...dynamicFee, type: "eip7702", authorizationList })
    }
  }
}

/** The relevant part of the result of `anvil_dumpState`. Its lists and objects come from hash maps, in any order. */
interface Dumped {
  readonly blocks: ReadonlyArray<{ readonly header: { readonly number: Hex } }>
  readonly transactions: ReadonlyArray<{
    readonly block_number: number
    readonly info: { readonly transaction_index: number }
  }>
  readonly historical_states: ReadonlyArray<readonly [blockHash: Hex, state: unknown]>
}

/**
 * Returns the state in a fixed order, so that it is always the same text. The oldest states come first: anvil forgets
 * them in the order of the file.
 */
const inOrder = (state: Dumped, blocks: ReadonlyArray<PreparedState.PreparedBlock>): unknown => {
  const number = new Map(blocks.map((block) => [block.hash, block.number]))
  return sortKeys({
    ...state,
    blocks: state.blocks.toSorted((a, b) => Number(a.header.number) - Number(b.header.number)),
    transactions: state.transactions.toSorted(
      (a, b) => a.block_number - b.block_number || a.info.transaction_index - b.info.transaction_index
    ),
    historical_states: state.historical_states.toSorted(([a], [b]) => number.get(a)! - number.get(b)!)
  })
}

const sortKeys = (value: unknown): unknown => {
  // JSON.parse rounds larger numbers.
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Error(`${value} is not exact`)
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)])
  )
}

const lower = (address: Hex): Hex => address.toLowerCase() as Hex

const expect = <A>(what: string, got: A, expected: A): void => {
  if (JSON.stringify(got) !== JSON.stringify(expected)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`)
  }
}
