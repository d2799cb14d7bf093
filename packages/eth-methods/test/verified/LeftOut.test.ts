/** Tests what the clients do with answers that leave something out: what follows is filled in, the rest is claimed. */
import { assert, describe, it } from "@effect/vitest"
import { createBlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { WireObject } from "@plumbline/codec"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect, Schema } from "effect"

import { Block, EthClient, EthReason, ProvenEthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as World from "../support/world.ts"

const clients = Effect.fnUntraced(function* (answers: Nodes.Replies) {
  const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(answers).transport)
  const trust = yield* Effect.provide(TrustedBlock.TrustedBlock, TrustedBlock.layerNone())
  return { plain: eth, verdicts: VerdictEthClient.make(eth, trust), proven: ProvenEthClient.make(eth, trust) }
})

/** Changes every block, header and uncle of a node. */
const blocks =
  (made: World.World, change: (block: Made.JsonObject) => Made.Json): Nodes.Replies =>
  (method, params) => {
    const answer = made.answers(method, params)
    return /eth_get(?:Block|Uncle)By/u.test(method) && answer !== null
      ? change(Made.object(answer as Made.Json))
      : answer
  }

const without = (json: Made.JsonObject, ...names: ReadonlyArray<string>): Made.JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)))

describe("a header without its seal", () => {
  it.effect("is read unchecked: as a block, as an uncle, and as a pushed header", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.London))
      const { plain } = yield* clients(blocks(made, (block) => without(block, "nonce", "mixHash")))
      const block = made.block(World.FULL)
      assert.strictEqual((yield* plain.getBlockByHash(Questions.hashOf(block)))?.nonce, undefined)
      assert.isNotNull(yield* plain.getUncleByBlockHashAndIndex(Questions.hashOf(block), 0n))
      const header = without(block, "nonce", "mixHash", "transactions", "uncles", "size")
      assert.strictEqual(Schema.decodeUnknownSync(Block.Header)(header).hash, block["hash"])
    })
  )

  it.effect("proves nothing, whatever else it says, and is not called a lie", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.London))
      const forged = `0x${"ab".repeat(32)}`
      const { proven, verdicts } = yield* clients(
        blocks(made, (block) => ({
          ...without(block, "nonce"),
          stateRoot: forged,
          receiptsRoot: forged,
          number: "0x66"
        }))
      )
      const hash = Questions.hashOf(made.block(World.FULL))
      for (const [method, question] of Object.entries(Questions.ofHash)) {
        // uncles prove themselves by their own headers, which lack the nonce too
        if (method.includes("Uncle")) continue
        const verdict = yield* question(hash)(verdicts)
        assert.strictEqual(verdict._tag, "CLAIMED", method)
        assert.isTrue(EthReason.SealNotSent.is(verdict.claimed[0]!.reason), method)
      }
      const refused = yield* Effect.flip(proven.getBlockByHash(hash))
      assert.strictEqual(refused._tag, "UnprovenError")
    })
  )

  it.effect("is whole again if zeros are its seal, as the nonce is since the Merge", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.Prague))
      const { proven } = yield* clients(
        blocks(made, (block) => without(block, "nonce", "difficulty", "size", "uncles"))
      )
      const block = made.block(World.FULL)
      const read = yield* proven.getBlockByHash(Questions.hashOf(block), { full: true })
      assert(read !== null)
      assert.strictEqual(read.nonce, block["nonce"])
      assert.strictEqual(read.difficulty, 0n)
      assert.strictEqual(read.size, BigInt(Made.string(block["size"])))
      assert.deepStrictEqual(read.uncles, [])
    })
  )
})

describe("a list that is left out", () => {
  it.effect("is not taken for an empty one by the proven client", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.Prague))
      const { proven, verdicts } = yield* clients(blocks(made, (block) => without(block, "withdrawals")))
      const hash = Questions.hashOf(made.block(World.FULL))
      const verdict = yield* verdicts.getBlockByHash(hash, { full: true })
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        ["withdrawals", "size"]
      )
      const refused = yield* Effect.flip(proven.getBlockByHash(hash))
      assert.deepStrictEqual(refused._tag === "UnprovenError" && refused.claims.map(({ field }) => field), [
        "withdrawals"
      ])
    })
  )
})

describe("a price of blob gas that is left out or null", () => {
  it.effect("is not taken for none by the proven client", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.Prague))
      const hash = Questions.hashOf(made.block(World.FULL))
      for (const change of [
        (receipt: Made.JsonObject) => without(receipt, "blobGasPrice"),
        (receipt: Made.JsonObject) =>
          receipt["blobGasPrice"] === undefined ? receipt : { ...receipt, blobGasPrice: null }
      ]) {
        const { proven } = yield* clients((method, params) => {
          const answer = made.answers(method, params)
          return method === "eth_getBlockReceipts" && Array.isArray(answer)
            ? answer.map((one) => change(Made.object(one)))
            : answer
        })
        const refused = yield* Effect.flip(proven.getBlockReceipts({ blockHash: hash }))
        assert(refused._tag === "UnprovenError")
        assert.match(refused.claims.map(({ field }) => field).join(), /blobGasPrice/u)
      }
    })
  )
})

describe("a message of a second layer, without type and signature", () => {
  it.effect("leaves its block readable, and claims it", () =>
    Effect.gen(function* () {
      const made = yield* Effect.promise(() => World.make(Hardfork.London))
      const message = (one: Made.Json): Made.Json =>
        typeof one === "string"
          ? one
          : { ...without(Made.object(one), "type", "v", "r", "s", "yParity"), queueOrigin: "l1" }
      const { plain, verdicts } = yield* clients(
        blocks(made, (block) => {
          const [first, ...rest] = Made.list(block["transactions"] ?? [])
          return first === undefined ? block : { ...block, transactions: [message(first), ...rest] }
        })
      )
      const hash = Questions.hashOf(made.block(World.FULL))
      const read = yield* plain.getBlockByHash(hash, { full: true })
      assert.strictEqual(WireObject.fieldOf(read!.transactions[0]!, "queueOrigin"), "l1")
      const verdict = yield* verdicts.getBlockByHash(hash, { full: true })
      assert.strictEqual(verdict._tag, "CLAIMED")
      assert.match(
        verdict.claimed[0]!.reason.sentence,
        /transactions\[0\]: a transaction without a type and a signature/u
      )
    })
  )
})

describe("an uncle that has uncles of its own", () => {
  it.effect("is proven, except for its list of uncles, which nodes send empty", () =>
    Effect.gen(function* () {
      const fork = Hardfork.Istanbul
      const parent = createBlockHeader(
        { number: 3n, uncleHash: new Uint8Array(32).fill(9) },
        { common: Made.common(fork), skipConsensusFormatValidation: true }
      )
      const block = yield* Effect.promise(() => Made.block(fork, [], [parent]))
      const uncle: Made.JsonObject = { ...Made.uncleOf(parent), uncles: [] }
      const { proven, verdicts } = yield* clients((method, params) =>
        method.startsWith("eth_getBlockBy") ? block : params[1] === "0x0" ? uncle : null
      )
      const hash = Questions.hashOf(block)
      const verdict = yield* verdicts.getUncleByBlockHashAndIndex(hash, 0n)
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(
        verdict.claimed.map(({ field }) => field),
        ["uncles"]
      )
      const read = yield* proven.getUncleByBlockHashAndIndex(hash, 0n)
      assert.strictEqual(read?.hash, uncle["hash"])
      assert.notProperty(read, "uncles")
    })
  )
})
