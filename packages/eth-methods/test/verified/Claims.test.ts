/** Tests that claims cover every field that depends on a block, a list or a label for which only the node vouches. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex, hexToBytes, type PrefixedHexString } from "@ethereumjs/util"
import { Hash32, Keccak256, WireObject } from "@plumbline/codec"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Verdict } from "@plumbline/verdict"
import { Effect, type Layer, Result, Schema } from "effect"

import {
  Block,
  EthClient,
  ProvenEthClient,
  EthEvidence,
  Receipt,
  TrustedBlock,
  VerdictEthClient,
  Verify
} from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as Receipts from "../support/receipts.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const worlds = new Map<Hardfork, Promise<World.World>>(
  [Hardfork.London, Hardfork.Prague].map((fork) => [fork, World.make(fork)] as const)
)
const world = (fork: Hardfork) => Effect.promise(() => worlds.get(fork)!)

const pinned = (made: World.World, number = World.HEAD) =>
  TrustedBlock.layerPinned(Questions.hashOf(made.block(number)))

const verdict = Effect.fnUntraced(function* <A>(
  answers: Nodes.Replies,
  trust: Layer.Layer<TrustedBlock.TrustedBlock>,
  question: (eth: VerdictEthClient.Client) => Effect.Effect<A, Effect.Error<VerdictEthClient.RunRead<unknown>>>
) {
  const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answers).transport)
  return yield* question(VerdictEthClient.make(eth, yield* Effect.provide(TrustedBlock.TrustedBlock, trust)))
})

const proven = Effect.fnUntraced(function* <A>(
  answers: Nodes.Replies,
  trust: Layer.Layer<TrustedBlock.TrustedBlock>,
  question: (eth: ProvenEthClient.Client) => EthClient.EthRead<A, ProvenEthClient.ProvenReadFailure>,
  options?: ProvenEthClient.ProvenEthClientOptions
) {
  const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answers).transport)
  const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, trust)
  return yield* Effect.result(question(ProvenEthClient.make(eth, trusted, options)))
})

/** Returns the unproven fields because of which a proven client refused an answer. Any other failure fails the test. */
const refusedFields = (result: Result.Result<unknown, ProvenEthClient.ProvenReadFailure>): ReadonlyArray<string> => {
  assert(Result.isFailure(result) && result.failure._tag === "UnprovenError", "not refused as unproven")
  return result.failure.claims.map(({ field }) => field)
}

const fieldsOf = ({ claimed }: Verdict.Verdict<unknown>) => claimed.map(({ field }) => field)

/** Changes one answer of the node. */
const changing =
  (made: World.World, change: (method: string, answer: Made.Json) => Made.Json): Nodes.Replies =>
  (method, params) => {
    const answer = made.answers(method, params)
    return answer === undefined || answer instanceof Promise || answer instanceof Error
      ? answer
      : change(method, answer)
  }

/** Makes a node that swaps two transactions. In its blocks, the transactions have an unknown type. */
const hidden = (made: World.World): Nodes.Replies => {
  const [first, second] = Made.list(made.block(World.FULL)["transactions"]).map((one) =>
    Made.string(Made.object(one)["hash"])
  )
  const swapped = <A>(json: A): A =>
    JSON.parse(JSON.stringify(json).replaceAll(first!, "?").replaceAll(second!, first!).replaceAll("?", second!))
  return (method, params) => {
    if (method === "eth_getTransactionReceipt") {
      const other = params[0] === first ? second : params[0] === second ? first : params[0]
      return swapped(made.answers(method, [other]) as Made.Json)
    }
    const answer = made.answers(method, params)
    if (!/eth_getBlockBy|Receipts|Logs/u.test(method)) return answer
    const json = swapped(answer as Made.Json)
    if (!method.startsWith("eth_getBlockBy")) return json
    const block = Made.object(json)
    const transactions = Made.list(block["transactions"]).map((one) =>
      typeof one === "string" ? one : { type: "0x64", hash: Made.object(one)["hash"]! }
    )
    return { ...block, transactions }
  }
}

describe("a receipt of a transaction that only the node names", () => {
  it.effect("is CLAIMED where the block hides its transactions, and refused by the proven client", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const [, failed] = made.receipts(World.FULL).map(Made.object)
      assert.strictEqual(failed!["status"], "0x0")
      const hash = Hash32.fromHexUnsafe(Made.string(failed!["transactionHash"]))
      for (const trust of [TrustedBlock.layerNone(), pinned(made)]) {
        const told = yield* verdict(hidden(made), trust, (eth) => eth.getTransactionReceipt(hash))
        assert.strictEqual(told._tag, "CLAIMED")
        assert.strictEqual(told.value?.status, 1n)
        assert.match(
          told.claimed[0]!.reason.sentence,
          /that it is the receipt of 0x[0-9a-f]{64}: the block's transactions are not proven: .* of type 0x64/u
        )
        const refused = yield* proven(hidden(made), trust, (eth) => eth.getTransactionReceipt(hash))
        assert.include(refusedFields(refused), "value")
      }
    })
  )

  it.effect("keeps its outcome and its logs proven in the block's list, and only those", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const block = Questions.hashOf(made.block(World.FULL))
      const list = yield* verdict(hidden(made), pinned(made), (eth) => eth.getBlockReceipts(block))
      assert.strictEqual(list._tag, "VERIFIED")
      assert.includeMembers(
        [...fieldsOf(list)],
        ["transactionHash", "from", "to", "contractAddress", "effectiveGasPrice", "logs[].transactionHash"].map(
          (field) => `receipts[].${field}`
        )
      )
      const refused = yield* proven(hidden(made), pinned(made), (eth) => eth.getBlockReceipts(block))
      assert.includeMembers([...refusedFields(refused)], ["receipts[].transactionHash", "receipts[].contractAddress"])
      const logs = yield* verdict(hidden(made), pinned(made), (eth) => eth.getLogs({ blockHash: block }))
      assert.deepStrictEqual(fieldsOf(logs), ["logs[].transactionHash"])
      const noLogs = yield* proven(hidden(made), pinned(made), (eth) => eth.getLogs({ blockHash: block }))
      assert.deepStrictEqual(refusedFields(noLogs), ["logs[].transactionHash"])
    })
  )

  it("has a field alone that the block's list leaves out, and no other value of it", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Prague)
    const without = receipts.map((receipt) => {
      const { contractAddress: _, ...others } = Made.object(receipt)
      return others
    })
    const list = Result.getOrThrow(Verify.receipts(Receipts.decode(without), Receipts.proven(block)))
    assert(list._tag === "VERIFIED")
    const created = Made.object(receipts[1])
    assert.isString(created["contractAddress"])
    const { contractAddress: _, ...silent } = created
    const alone = Schema.decodeUnknownSync(Receipt.Receipt)(silent)
    const one = Result.getOrThrow(Verify.receipt(alone, alone.transactionHash, list))
    assert.strictEqual(one.value.contractAddress, created["contractAddress"])
    const other = Schema.decodeUnknownSync(Receipt.Receipt)({ ...created, contractAddress: `0x${"6b".repeat(20)}` })
    const lie = Verify.receipt(other, other.transactionHash, list)
    assert.strictEqual(Result.isFailure(lie) && lie.failure.check, "receipt.contractAddress")
  })
})

describe("a transaction in a block that trust does not reach", () => {
  const place = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"]

  it.effect("has a place that is claimed as a whole, and none in the proven client", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const transactions = Made.list(made.block(World.FULL)["transactions"]).map(Made.object)
      const hash = Questions.hashOf(transactions.find(({ type }) => type === "0x2"))
      // once without any trust, and once with a trusted block that is older than the block of the transaction
      for (const trust of [TrustedBlock.layerNone(), pinned(made, World.FIRST)]) {
        const told = yield* verdict(made.answers, trust, (eth) => eth.getTransactionByHash(hash))
        assert.strictEqual(told._tag, "VERIFIED")
        assert.deepStrictEqual(fieldsOf(told), place)
        assert.include(told.claimed[0]?.reason.sentence, "is on the chain is the node's word")
        const refused = yield* proven(made.answers, trust, (eth) => eth.getTransactionByHash(hash))
        assert.deepStrictEqual(refusedFields(refused), ["blockHash", "blockNumber", "transactionIndex", "gasPrice"])
        const accepted = yield* proven(made.answers, trust, (eth) => eth.getTransactionByHash(hash), {
          claimed: "accept"
        })
        assert(Result.isSuccess(accepted))
      }
      const reached = yield* verdict(made.answers, pinned(made), (eth) => eth.getTransactionByHash(hash))
      assert.deepStrictEqual(reached.claimed, [])
    })
  )

  it.effect("is pending on the node's word, in every field that says so", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const mined = Made.list(made.block(World.FULL)["transactions"]).map(Made.object)
      const pending = changing(made, (method, answer) =>
        method === "eth_getTransactionByHash"
          ? { ...Made.object(answer), blockHash: null, blockNumber: null, transactionIndex: null }
          : answer
      )
      for (const one of mined) {
        const hash = Questions.hashOf(one)
        const told = yield* verdict(pending, pinned(made), (eth) => eth.getTransactionByHash(hash))
        assert.strictEqual(told._tag, "VERIFIED")
        assert.deepStrictEqual(fieldsOf(told), Number(one["type"]) < 2 ? place.slice(0, 4) : place)
        const refused = yield* proven(pending, pinned(made), (eth) => eth.getTransactionByHash(hash))
        assert.includeMembers([...refusedFields(refused)], ["blockHash", "blockNumber", "transactionIndex"])
      }
    })
  )
})

describe("the proven client", () => {
  it.effect("leaves out what it cannot prove and refuses what decides", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const hash = Questions.hashOf(made.block(World.FULL))
      const strange = { totalDifficulty: "0x1", l1Fee: "0x2", block: "0x3", fromBlock: "0x4", "a.b": "0x5" }
      const answers = changing(made, (method, answer) => {
        if (!method.startsWith("eth_getBlockBy")) return answer
        const block = Made.object(answer)
        const transactions = Made.list(block["transactions"]).map((one) =>
          typeof one === "string" ? one : { ...Made.object(one), ...strange }
        )
        return { ...block, ...strange, transactions }
      })
      const told = yield* proven(answers, pinned(made), (eth) => eth.getBlockByHash(hash, { full: true }))
      const truth = Schema.decodeUnknownSync(Block.WithTransactions)(made.block(World.FULL))
      assert(Result.isSuccess(told))
      assert.deepStrictEqual(told.success, truth)
      const accepted = yield* proven(answers, pinned(made), (eth) => eth.getBlockByHash(hash), { claimed: "accept" })
      assert(Result.isSuccess(accepted))
      assert.strictEqual(WireObject.fieldOf(accepted.success!, "l1Fee"), "0x2")
    })
  )

  it.effect("keeps a field that one transaction has as its own, where another has it as a stranger", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const hash = Questions.hashOf(made.block(World.FULL))
      const answers = changing(made, (method, answer) => {
        if (!method.startsWith("eth_getBlockBy")) return answer
        const block = Made.object(answer)
        const transactions = Made.list(block["transactions"]).map((one) => ({ accessList: [], ...Made.object(one) }))
        return { ...block, transactions }
      })
      const verified = yield* verdict(answers, pinned(made), (eth) => eth.getBlockByHash(hash, { full: true }))
      assert.deepStrictEqual(
        fieldsOf(verified),
        [0, 1, 2].map((at) => `transactions[${at}].accessList`)
      )
      const told = yield* proven(answers, pinned(made), (eth) => eth.getBlockByHash(hash, { full: true }))
      assert(Result.isSuccess(told))
      assert.deepStrictEqual(told.success, Schema.decodeUnknownSync(Block.WithTransactions)(made.block(World.FULL)))
    })
  )

  it.effect("proves the hashes of uncles by their headers, which it reads, and refuses them without", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.London)
      const hash = Questions.hashOf(made.block(World.FULL))
      const told = yield* proven(made.answers, pinned(made), (eth) => eth.getBlockByHash(hash))
      assert(Result.isSuccess(told))
      assert.deepStrictEqual(told.success?.uncles?.map(String), Made.list(made.block(World.FULL)["uncles"]).map(String))
      assert.strictEqual(told.success?.size, BigInt(Made.string(made.block(World.FULL)["size"])))
      const others = changing(made, (method, answer) =>
        method.startsWith("eth_getBlockBy")
          ? {
              ...Made.object(answer),
              uncles: Made.list(Made.object(answer)["uncles"]).map(() => `0x${"e7".repeat(32)}`)
            }
          : answer
      )
      const lied = yield* proven(others, pinned(made), (eth) => eth.getBlockByHash(hash))
      assert(Result.isFailure(lied) && lied.failure._tag === "RefutedError")
      assert.strictEqual(lied.failure.check, "block.uncles[0]")
      const lacking: Nodes.Replies = (method, params) =>
        method.includes("Uncle") ? new RemoteError({ code: -32601, message: "no such method" }) : others(method, params)
      const refused = yield* proven(lacking, pinned(made), (eth) => eth.getBlockByHash(hash))
      assert.deepStrictEqual(refusedFields(refused), ["uncles"])
      const verified = yield* verdict(made.answers, pinned(made), (eth) =>
        eth.getBlockByHash(hash, { full: true, uncleHeaders: true })
      )
      assert.deepStrictEqual(verified.claimed, [])
    })
  )

  it.effect("takes no block for the latest that lies before the trusted one", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const stale: Nodes.Replies = (method, params) =>
        made.answers(
          method,
          params.map((param) => (param === "latest" ? "0x66" : param))
        )
      const told = yield* verdict(stale, pinned(made), (eth) => eth.getBlockByNumber("latest"))
      assert.strictEqual(told._tag, "VERIFIED")
      assert.include(told.claimed[0]?.reason.sentence, "out of date: it lies before the trusted block 104")
      for (const question of [
        (eth: ProvenEthClient.Client) => eth.blockNumber,
        (eth: ProvenEthClient.Client) => eth.getBlockByNumber("latest")
      ]) {
        const refused = yield* proven<unknown>(stale, pinned(made), question)
        assert.deepStrictEqual(refusedFields(refused), ["block"])
        const fresh = yield* proven<unknown>(made.answers, pinned(made), question)
        assert(Result.isSuccess(fresh))
      }
    })
  )

  it.effect("claims the earliest block of a node without the blocks before it, as geth and reth return it", () =>
    Effect.gen(function* () {
      const made = yield* world(Hardfork.Prague)
      const first = `0x${World.FIRST.toString(16)}`
      const pruned: Nodes.Replies = (method, params) =>
        made.answers(
          method,
          params.map((param) => (param === "earliest" ? first : param))
        )
      const said = "that it is the earliest block is the node's word"
      for (const question of [
        (eth: VerdictEthClient.Client) => eth.getBlockByNumber("earliest"),
        (eth: VerdictEthClient.Client) => eth.getBalance(State.CONTRACT, "earliest"),
        (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: "earliest", toBlock: World.HEAD }),
        (eth: VerdictEthClient.Client) => eth.getLogs({ fromBlock: "earliest", toBlock: "earliest" })
      ]) {
        const told = yield* verdict<Verdict.Verdict<unknown>>(pruned, pinned(made), question)
        assert.strictEqual(told._tag, "CLAIMED")
        assert.deepStrictEqual(Verdict.sentences(told).claimed[0], { field: "value", reason: said })
      }
      const refused = yield* proven<unknown>(pruned, pinned(made), (eth) => eth.getBlockByNumber("earliest"))
      assert.deepStrictEqual(refusedFields(refused), ["value"])
    })
  )

  it.effect("refuses a status from before Byzantium, beside the root that is proven", () =>
    Effect.gen(function* () {
      const { block, receipts } = yield* Effect.promise(() => Receipts.make(Hardfork.SpuriousDragon))
      const answers =
        (fields: Made.JsonObject): Nodes.Replies =>
        (method) =>
          method === "eth_getBlockReceipts"
            ? receipts.map((receipt) => ({ ...Made.object(receipt), ...fields }))
            : method.startsWith("eth_getBlockBy")
              ? block
              : undefined
      const hash = Questions.hashOf(block)
      const read = (fields: Made.JsonObject) =>
        proven(answers(fields), TrustedBlock.layerNone(), (eth) => eth.getBlockReceipts({ blockHash: hash }))
      assert.deepStrictEqual(refusedFields(yield* read({ status: "0x1" })), ["receipts[].status"])
      const told = yield* read({})
      assert(Result.isSuccess(told))
      assert.strictEqual(told.success?.length, receipts.length)
    })
  )
})

describe("null in a field that a fork added", () => {
  it("is not a field: blocks before London say baseFeePerGas null at some nodes", async () => {
    for (const fork of [Hardfork.Chainstart, Hardfork.Berlin, Hardfork.London, Hardfork.Shanghai, Hardfork.Prague]) {
      const json = await Made.block(fork)
      const later = ["baseFeePerGas", "withdrawalsRoot", "withdrawals", "blobGasUsed", "excessBlobGas"]
      const others = ["parentBeaconBlockRoot", "requestsHash", "blockAccessListHash", "slotNumber", "totalDifficulty"]
      const nulls = Object.fromEntries([...later, ...others].map((name) => [name, null]))
      const block = Made.decodeBlock({ ...nulls, ...json })
      assert.notIncludeMembers(
        Object.keys(block),
        Object.keys(nulls).filter((name) => json[name] === undefined)
      )
      const verdict = Result.getOrThrow(Verify.block(block, Hash32.fromHexUnsafe(Made.string(json["hash"]))))
      assert.strictEqual(verdict._tag, "VERIFIED", fork)
      assert.deepStrictEqual(verdict.claimed, [])
      // if the header has a field, an answer with null for that field is refuted
      for (const name of later.filter((name) => json[name] !== undefined && name !== "withdrawals")) {
        const decoded = Made.decodeBlock({ ...json, [name]: null })
        assert.isTrue(Result.isFailure(Verify.block(decoded, decoded.hash!)), `${fork} ${name}`)
      }
    }
  })

  it("is not a field of transactions, receipts and logs either", async () => {
    const { block, receipts } = await Receipts.make(Hardfork.Istanbul)
    const nulled = receipts.map((receipt) => ({
      root: null,
      type: null,
      effectiveGasPrice: null,
      blobGasUsed: null,
      blobGasPrice: null,
      blockTimestamp: null,
      ...Made.object(receipt),
      logs: Made.list(Made.object(receipt)["logs"]).map((log) => ({ ...Made.object(log), removed: null }))
    }))
    const transactions = Made.list(block["transactions"]).map((one) => ({
      yParity: null,
      chainId: null,
      chainID: null,
      ...Made.object(one),
      type: null
    }))
    const proven = Receipts.proven({ ...block, transactions })
    const verdict = Result.getOrThrow(Verify.receipts(Receipts.decode(nulled), proven))
    assert.deepStrictEqual([verdict._tag, verdict.claimed], ["VERIFIED", []])
  })
})

describe("a deposit that no key signed", () => {
  /** A deposit as Optimism hashed it before Bedrock: a legacy transaction with a signature of zeros. */
  const deposit = (): Made.JsonObject => {
    const fields = {
      nonce: "0x5",
      gasPrice: "0x0",
      gas: "0x4c4b40",
      to: "0x4200000000000000000000000000000000000007",
      value: "0x0",
      input: "0xcbd4ece9"
    }
    const minimal = (hex: string) => (BigInt(hex) === 0n ? new Uint8Array(0) : hexToBytes(even(hex)))
    const encoded = RLP.encode([
      ...[fields.nonce, fields.gasPrice, fields.gas].map(minimal),
      hexToBytes(fields.to as PrefixedHexString),
      minimal(fields.value),
      hexToBytes(fields.input as PrefixedHexString),
      ...["0x0", "0x0", "0x0"].map(minimal)
    ])
    return {
      ...fields,
      hash: bytesToHex(Keccak256.hash(encoded)),
      from: "0x36bde71c97b33cc4729cf772ae268934f7ab70b2",
      blockHash: null,
      blockNumber: null,
      transactionIndex: null,
      type: "0x0",
      v: "0x0",
      r: "0x0",
      s: "0x0"
    }
  }
  const even = (hex: string): PrefixedHexString =>
    (hex.length % 2 === 0 ? hex : `0x0${hex.slice(2)}`) as PrefixedHexString

  it("is VERIFIED by its hash, with the sender claimed", () => {
    const json = deposit()
    const hash = Questions.hashOf(json)
    for (const spelled of [json, { ...json, r: `0x${"00".repeat(32)}`, s: "0x00", yParity: "0x0" }]) {
      const verdict = Result.getOrThrow(Verify.transaction(Made.decodeTransaction(spelled), hash))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.include(fieldsOf(verdict), "from")
      assert.isFalse(verdict.proven.some(EthEvidence.SignedBy.is))
    }
    for (const lie of [{ value: "0x1" }, { r: "0x1" }, { v: "0x1b" }, { yParity: "0x1" }]) {
      assert.isTrue(Result.isFailure(Verify.transaction(Made.decodeTransaction({ ...json, ...lie }), hash)))
    }
  })

  it.effect("is proven in its block, but for the sender, which the proven client refuses", () =>
    Effect.gen(function* () {
      const { block, receipts } = yield* Effect.promise(() => Receipts.withDeposit(deposit()))
      const hash = Questions.hashOf(block)
      const answers: Nodes.Replies = (method, params) =>
        method === "eth_getBlockReceipts"
          ? receipts
          : method === "eth_getTransactionByHash" || method === "eth_getTransactionByBlockHashAndIndex"
            ? Made.list(block["transactions"])[0]
            : params[1] === true
              ? block
              : Receipts.withHashes(block)
      const whole = yield* verdict(answers, TrustedBlock.layerNone(), (eth) => eth.getBlockByHash(hash, { full: true }))
      assert.deepStrictEqual([whole._tag, fieldsOf(whole)], ["VERIFIED", ["transactions[0].from"]])
      const list = yield* verdict(answers, TrustedBlock.layerNone(), (eth) => eth.getBlockReceipts({ blockHash: hash }))
      assert.deepStrictEqual([list._tag, fieldsOf(list)], ["VERIFIED", ["receipts[0].from"]])
      const one = yield* verdict(answers, pinnedTo(hash), (eth) => eth.getTransactionByBlockHashAndIndex(hash, 0n))
      assert.deepStrictEqual([one._tag, fieldsOf(one)], ["VERIFIED", ["from"]])
      const refused = yield* proven(answers, pinnedTo(hash), (eth) => eth.getTransactionByBlockHashAndIndex(hash, 0n))
      assert.deepStrictEqual(refusedFields(refused), ["from"])
      const hashes = yield* proven(answers, pinnedTo(hash), (eth) => eth.getBlockByHash(hash))
      assert(Result.isSuccess(hashes))
    })
  )

  const pinnedTo = (hash: Hash32.Hash32) => TrustedBlock.layerPinned(hash)
})
