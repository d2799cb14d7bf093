/** The chain of execution-apis: 54 blocks from Homestead to Osaka, and geth's answers about them. */
import { assert, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { Block, BlockRlp, EthMethods, type Log, LogFilter, type Receipt, Verify } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import type { Verdict } from "@plumbline/verdict"
import { Result, Schema } from "effect"

import { type Exchange, exchanges, json, once } from "../support/fixtures.ts"
import { blocksIn, nodeOf, ofPlace, proveParent, proveWhole, verified } from "../support/prove.ts"
import * as State from "../support/state.ts"
import type { Tally } from "../support/tally.ts"

type Proven = Verdict.Verified<Block.WithTransactions>

const CHAIN = "1-execution-apis/tests/chain.rlp"

/** Reads a block and writes it again. */
const readAndWrite = (rlp: Uint8Array): BlockRlp.WholeBlock => {
  const read = Result.getOrThrow(BlockRlp.decode(rlp))
  assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(read)), rlp)
  return read
}

/** Returns the genesis block from geth's answer, because the chain's file leaves it out. */
const genesisBlock = (): BlockRlp.WholeBlock => {
  const earliest = exchanges("eth_getBlockByNumber").find(({ answer }) => answer.result?.number === "0x0")
  return { block: Schema.decodeUnknownSync(Block.WithTransactions)(earliest!.answer.result), uncles: [] }
}

const wholes = once(() => blocksIn(CHAIN).map(readAndWrite))

/** Returns all blocks, proven. The index of a block is its number. */
const provenChain = once((): ReadonlyArray<Proven> =>
  [genesisBlock(), ...wholes()].map((whole) => Result.getOrThrow(proveWhole(whole)))
)

/** geth leaves out leading zeros of `r` and `s`. */
const trimmed = (value: any): any => {
  if (Array.isArray(value)) return value.map(trimmed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries<any>(value).map(([name, inner]) => [
      name,
      name === "r" || name === "s" ? `0x${BigInt(inner).toString(16)}` : trimmed(inner)
    ])
  )
}

const encodeBlock = Schema.encodeSync(EthMethods.eth_getBlockByHash.result)
const decodeBlock = Schema.decodeUnknownSync(EthMethods.eth_getBlockByHash.result)
const encodeReceipts = Schema.encodeSync(EthMethods.eth_getBlockReceipts.result)
const decodeReceipts = Schema.decodeUnknownSync(EthMethods.eth_getBlockReceipts.result)
const decodeLogs = Schema.decodeUnknownSync(EthMethods.eth_getLogs.result)
const decodeTransaction = Schema.decodeUnknownSync(EthMethods.eth_getTransactionByHash.result)

const answersTo = (...methods: ReadonlyArray<string>): ReadonlyArray<Exchange> =>
  methods.flatMap((method) => exchanges(method)).filter(({ answer }) => answer.error === undefined)

const head = (): Hash32.Hash32 =>
  Hash32.fromHexUnsafe(json("1-execution-apis/tests/headfcu.json").params[0].headBlockHash)

const NOTHING = "the answer is that there is nothing"
const NOT_WHOLE = "of its block the set does not hold all receipts"
const NO_PROOF = "its account is not proven in the set"

export const chain = (tally: Tally): void => {
  it("all blocks of the chain verify back from the head's hash, with uncles and transactions; genesis is its accounts", () => {
    const blocks = tally.count("chain: blocks")
    const uncles = tally.count("chain: uncles")
    const transactions = tally.count("chain: transactions")
    const accounts = tally.count("chain: accounts of the genesis state, with slots and code")
    const all = wholes()
    const { block: genesis } = genesisBlock()
    const node = nodeOf([genesis, ...all.map(({ block }) => block)])
    assert.strictEqual(all.at(-1)!.block.hash, head())
    for (const whole of all) {
      const proven = Result.getOrThrow(proveWhole(whole))
      Result.getOrThrow(proveParent(proven, node))
      blocks.verified()
      for (const _ of whole.uncles) uncles.verified()
      for (const _ of whole.block.transactions) transactions.verified()
    }
    const state = State.make(json("1-execution-apis/tests/genesis.json").alloc)
    const proven = Result.getOrThrow(proveWhole({ block: genesis, uncles: [] }))
    assert.strictEqual(state.root, genesis.stateRoot)
    for (let i = State.proveAll(state, proven); i > 0; i--) accounts.verified()
    blocks.expect({ verified: 54 })
    uncles.expect({ verified: 18 })
    transactions.expect({ verified: 249 })
    accounts.expect({ verified: 27 })
  })

  it("whole blocks are what geth says of them; those that it answers with verify, its latest from the head's hash", () => {
    const answered = tally.count("blocks in answers")
    const read = wholes()
    for (const { file, request, answer } of answersTo("eth_getBlockByHash", "eth_getBlockByNumber")) {
      const theirs: any = answer.result
      if (theirs === null) {
        answered.outside(NOTHING)
        continue
      }
      const block = decodeBlock(theirs)!
      const asked = request.method === "eth_getBlockByHash" ? request.params![0] : block.hash
      const latest = ["get-latest.io", "get-safe.io", "get-finalized.io"].includes(file)
      const { claimed } = verified<Block.Block>(
        Verify.block(block, latest ? head() : Hash32.fromHexUnsafe(String(asked))),
        ["transactions", "size", "uncles"]
      )
      // With whole transactions, only the hashes of uncles are claimed, and therefore also the size of the block.
      if (typeof theirs.transactions[0] !== "string") {
        assert.isTrue(claimed.every(({ field }) => field !== "transactions"))
      }
      answered.verified()
      const ours = read.find((whole) => whole.block.hash === theirs.hash)
      if (ours === undefined) continue
      const mine = trimmed(encodeBlock(ours.block))
      if (typeof theirs.transactions[0] === "string") {
        mine.transactions = mine.transactions.map((transaction: any) => transaction.hash)
      }
      assert.deepStrictEqual(mine, theirs)
    }
    answered.expect({ verified: 9, outside: { [NOTHING]: 3 } })
  })

  it("transactions verify by their hashes, and are those of the proven block that they say", () => {
    const answered = tally.count("transactions in answers")
    const known = provenChain()
    for (const { answer } of answersTo(
      "eth_getTransactionByHash",
      "eth_getTransactionByBlockHashAndIndex",
      "eth_getTransactionByBlockNumberAndIndex"
    )) {
      const transaction = decodeTransaction(answer.result)
      if (transaction === null) {
        answered.outside(NOTHING)
        continue
      }
      verified(Verify.transaction(transaction, transaction.hash), ofPlace)
      const block = known.find(({ anchor }) => anchor.hash === transaction["blockHash"])!
      const there = block.value.transactions[Number(transaction["transactionIndex"])]!
      assert.strictEqual(there.hash, transaction.hash)
      answered.verified()
    }
    answered.expect({ verified: 6, outside: { [NOTHING]: 1 } })
  })

  it("receipts verify under their block, and are written and read as geth does", () => {
    const sets = tally.count("receipt sets in answers")
    const single = tally.count("single receipts in answers")
    const raw = tally.count("receipt sets in their encoding")
    const known = provenChain()
    const proven = new Map<string, Verdict.Verified<ReadonlyArray<Receipt.Receipt>>>()
    const prove = (theirs: ReadonlyArray<Receipt.Receipt>, block: Proven) => {
      const all = verified<ReadonlyArray<Receipt.Receipt>>(Verify.receipts(theirs, block), ["receipts[].blobGasPrice"])
      proven.set(block.anchor.hash, all)
      return all
    }
    for (const { answer, request } of answersTo("eth_getBlockReceipts")) {
      const theirs = decodeReceipts(answer.result)
      if (theirs === null) {
        sets.outside(NOTHING)
        continue
      }
      const asked = request.params![0]
      const block =
        known.find(({ anchor }) => anchor.hash === (theirs[0]?.blockHash ?? asked)) ??
        known[asked === "earliest" ? 0 : Number(asked)]!
      prove(theirs, block)
      sets.verified()
      const encoded = theirs.map(BlockRlp.encodeReceipt)
      assert.strictEqual<string>(Hex.fromBytes(Trie.rootOfList(encoded)), block.value.receiptsRoot)
      const ours = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, block.value))
      // the price of blob gas follows from the schedule of the fork, not from the block
      const without = (answer.result as ReadonlyArray<any>).map((receipt) => {
        const { blobGasPrice: _, ...rest } = receipt
        return rest
      })
      assert.deepStrictEqual<unknown>(encodeReceipts(ours), without)
    }
    for (const { request, answer } of answersTo("debug_getRawReceipts")) {
      const block = known[Number(request.params?.[0])]!
      const encoded = Schema.decodeUnknownSync(Schema.Array(Hex.Hex))(answer.result).map(Hex.toBytesUnsafe)
      const receipts = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, block.value))
      assert.deepStrictEqual(receipts.map(BlockRlp.encodeReceipt), encoded)
      prove(receipts, block)
      raw.verified()
    }
    for (const { answer } of answersTo("eth_getTransactionReceipt")) {
      const receipt = decodeReceipts(answer.result === null ? null : [answer.result])?.[0]
      if (receipt === undefined) {
        single.outside(NOTHING)
        continue
      }
      const block = known.find(({ anchor }) => anchor.hash === receipt.blockHash)!
      if (block.value.transactions.length === 1) prove([receipt], block)
      const all = proven.get(receipt.blockHash)
      if (all === undefined) single.outside(NOT_WHOLE)
      else {
        verified(Verify.receipt(receipt, receipt.transactionHash, all), ["blobGasPrice"])
        single.verified()
      }
    }
    sets.expect({ verified: 4, outside: { [NOTHING]: 1 } })
    single.expect({ verified: 2, outside: { [NOT_WHOLE]: 2 } })
    raw.expect({ verified: 1 })
  })

  it("logs are selected by their filters, and verify where the set holds their block's receipts", () => {
    const logs = tally.count("answers to eth_getLogs")
    const known = provenChain()
    const receipts = [...answersTo("eth_getBlockReceipts"), ...answersTo("eth_getTransactionReceipt")].flatMap(
      ({ answer }) => (answer.result === null ? [] : decodeReceipts([answer.result].flat())!)
    )
    for (const { file, request, answer } of answersTo("eth_getLogs")) {
      const found: ReadonlyArray<Log.Log> = decodeLogs(answer.result)
      const filter = Schema.decodeUnknownSync(EthMethods.eth_getLogs.params[0].schema)(request.params![0])
      const selects = LogFilter.selector(filter)
      for (const log of found) assert.isTrue(selects(log), file)
      const hashes = [...new Set(found.map((log) => log.blockHash))]
      const provable = hashes.every((hash) => {
        const block = known.find(({ anchor }) => anchor.hash === hash)!
        const all = receipts.filter((receipt) => receipt.blockHash === hash)
        const set = [...new Map(all.map((receipt) => [receipt.transactionHash, receipt])).values()]
        if (set.length !== block.value.transactions.length) return false
        const proven = verified<ReadonlyArray<Receipt.Receipt>>(Verify.receipts(set, block))
        verified(
          Verify.logs(
            found.filter((log) => log.blockHash === hash),
            filter,
            block,
            proven
          )
        )
        return true
      })
      if (provable && hashes.length > 0) logs.verified()
      else logs.outside(NOT_WHOLE)
    }
    logs.expect({ outside: { [NOT_WHOLE]: 4 } })
  })

  it("accounts verify under their block's state root, and balances and nonces of them", () => {
    const proofs = tally.count("account proofs")
    const state = tally.count("balances, nonces, code and words in answers")
    const known = provenChain()
    const latest = known.at(-1)!
    const blockOf = (parameter: unknown): Proven | undefined =>
      parameter === undefined || parameter === "latest" ? latest : known.find(({ anchor }) => anchor.hash === parameter)
    const accounts = new Map<string, Parameters<typeof Verify.balance>[1]>()
    for (const { request, answer } of answersTo("eth_getProof")) {
      const params = request.params!
      const proof = Schema.decodeUnknownSync(EthMethods.eth_getProof.result)(answer.result)
      const address = Schema.decodeUnknownSync(EthMethods.eth_getProof.params[0].schema)(params[0])
      const storageKeys = Schema.decodeUnknownSync(EthMethods.eth_getProof.params[1].schema)(params[1])
      const block = blockOf(params[2])!
      accounts.set(
        `${address} ${block.anchor.hash}`,
        Result.getOrThrow(Verify.account(proof, { address, storageKeys } as Verify.AccountQuestion, block))
      )
      proofs.verified()
    }
    for (const { request, answer } of answersTo(
      "eth_getBalance",
      "eth_getTransactionCount",
      "eth_getCode",
      "eth_getStorageAt",
      "eth_getStorageValues"
    )) {
      const block = blockOf(request.params!.at(-1) === request.params![0] ? undefined : request.params!.at(-1))
      const account = accounts.get(`${String(request.params![0])} ${block?.anchor.hash}`)
      if (account === undefined) state.outside(NO_PROOF)
      else {
        const value = BigInt(String(answer.result))
        if (request.method === "eth_getBalance") Result.getOrThrow(Verify.balance(value, account))
        else if (request.method === "eth_getTransactionCount") {
          Result.getOrThrow(Verify.transactionCount(value, account))
        } else if (request.method === "eth_getCode")
          Result.getOrThrow(Verify.code(String(answer.result) as Hex.Hex, account))
        else assert.fail(request.method)
        state.verified()
      }
    }
    proofs.expect({ verified: 3 })
    state.expect({ verified: 3, outside: { [NO_PROOF]: 10 } })
  })
}
