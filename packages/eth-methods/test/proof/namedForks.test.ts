/** Blocks of an invented fork whose header fields the caller names. ethereumjs' RLP is the oracle of the hash. */
import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Effect, Layer, Result, Schema } from "effect"

import { EthReason, LaterForks, ProvenEthClient, TrustedBlock, Verify } from "../../src/index.ts"
import { changes, removals } from "../support/changes.ts"
import * as InventedFork from "../support/inventedFork.ts"
import * as Made from "../support/made.ts"
import { node } from "../support/node.ts"

const decode = Schema.decodeUnknownSync(LaterForks.LaterForks)
const forks = decode(InventedFork.FILE)

const verify = (json: Made.JsonObject, hash: Made.Json | undefined, options: Verify.BlockOptions = { forks }) =>
  Verify.block(Made.decodeBlock(json), Hash32.fromHexUnsafe(Made.string(hash)), options)

const checkOf = (verdict: ReturnType<typeof verify>): string =>
  Result.isFailure(verdict) ? verdict.failure.check : verdict.success._tag

describe("a header of a fork that the caller names", () => {
  it("is proven with its new fields and its transactions, on every chain", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam)
    for (const chainId of [undefined, 1n, 31_337n]) {
      const verdict = Result.getOrThrow(verify(block, block["hash"], { forks, chainId }))
      assert.strictEqual(verdict._tag, "VERIFIED")
      assert.deepStrictEqual(verdict.claimed, [])
      assert.deepInclude(verdict.value as object, InventedFork.FIELDS)
      assert.isDefined(verdict.value.size)
    }
  })

  it("is proven for numbers, texts and bytes of every length that RLP writes in its own way", async () => {
    for (const inventedCount of ["0x0", "0x1", "0x7f", "0x80", "0xff", "0x100", `0x${"f".repeat(64)}`]) {
      for (const inventedNote of ["0x", "0x00", "0x7f", "0x80", `0x${"ab".repeat(55)}`, `0x${"ab".repeat(300)}`]) {
        const block = await InventedFork.block(Hardfork.Amsterdam, {
          ...InventedFork.FIELDS,
          inventedCount,
          inventedNote
        })
        assert.strictEqual(checkOf(verify(block, block["hash"])), "VERIFIED", `${inventedCount} ${inventedNote}`)
      }
    }
  })

  it("is proven after an older fork, if the data names the last field before it", async () => {
    const before = {
      [Hardfork.London]: "baseFeePerGas",
      [Hardfork.Shanghai]: "withdrawalsRoot",
      [Hardfork.Cancun]: "parentBeaconBlockRoot",
      [Hardfork.Osaka]: "requestsHash"
    } as const
    for (const [fork, after] of Object.entries(before)) {
      const block = await InventedFork.block(fork as Hardfork)
      const named = decode({ ...InventedFork.FILE, after })
      assert.strictEqual(checkOf(verify(block, block["hash"], { forks: named })), "VERIFIED", fork)
      assert.strictEqual(checkOf(verify(block, block["hash"])), "header shape", fork)
    }
  })

  it("leaves the blocks of known forks as they are", async () => {
    for (const [fork] of Made.forks) {
      const block = await Made.block(fork)
      assert.strictEqual(checkOf(verify(block, block["hash"])), "VERIFIED", fork)
    }
  })

  it("is refuted for a changed or removed field, a field of another kind, and two fields that change places", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam)
    const header = Object.fromEntries(Object.entries(InventedFork.FIELDS))
    for (const { json, path } of [...changes(header), ...removals(header)]) {
      const { inventedCount: _count, inventedNote: _note, inventedRoot: _root, ...known } = block
      const verdict = verify({ ...known, ...Made.object(json) }, block["hash"])
      assert.match(checkOf(verdict), /^header (?:hash|shape)$/u, path)
    }
    for (const [name, value] of [
      ["inventedRoot", "0xa1"],
      ["inventedCount", 128],
      ["inventedCount", "0x080"],
      ["inventedNote", "0x7"]
    ] as const) {
      assert.strictEqual(checkOf(verify({ ...block, [name]: value }, block["hash"])), `header.${name}`)
    }
    const other = decode({
      forks: [{ name: "other", headerFields: InventedFork.FILE.forks[0].headerFields.toReversed() }]
    })
    assert.strictEqual(checkOf(verify(block, block["hash"], { forks: other })), "header hash")
  })

  it("is claimed for the fields of yet another fork, and the reason names only these", async () => {
    const block = await InventedFork.block(Hardfork.Amsterdam, { ...InventedFork.FIELDS, evenLater: "0x01" })
    const verdict = Result.getOrThrow(verify(block, block["hash"]))
    assert.strictEqual(verdict._tag, "CLAIMED")
    assert(EthReason.UnknownHeaderFields.is(verdict.claimed[0]!.reason))
    assert.deepStrictEqual(verdict.claimed[0]!.reason.fields, ["evenLater"])
  })

  it("is proven for each of two forks, and refuted between them", async () => {
    const [first] = InventedFork.FILE.forks
    const two = decode({
      forks: [
        { name: "first", headerFields: first.headerFields.slice(0, 2) },
        { name: "second", headerFields: first.headerFields.slice(2) }
      ]
    })
    const { inventedCount, inventedNote, inventedRoot } = InventedFork.FIELDS
    for (const [fields, expected] of [
      [{ inventedRoot, inventedCount }, "VERIFIED"],
      [{ inventedRoot, inventedCount, inventedNote }, "VERIFIED"],
      [{ inventedRoot }, "header shape"],
      [{ inventedNote }, "header shape"]
    ] as const) {
      const block = await InventedFork.block(Hardfork.Amsterdam, fields)
      assert.strictEqual(checkOf(verify(block, block["hash"], { forks: two })), expected)
    }
  })
})

describe("LaterForks", () => {
  it("refuses known fields, repeated fields, empty forks, and more than its bounds", () => {
    const field = (name: string) => ({ name, kind: "hash" })
    const many = Array.from({ length: LaterForks.MOST + 1 }, (_, index) => field(`f${index}`))
    for (const forks of [
      [],
      [{ name: "x", headerFields: [] }],
      [{ name: "x", headerFields: [field("stateRoot")] }],
      [{ name: "x", headerFields: [field("transactions")] }],
      [{ name: "x", headerFields: [field("a"), field("a")] }],
      [{ name: "x", headerFields: [field("a b")] }],
      [{ name: "x", headerFields: [{ name: "a", kind: "word" }] }],
      [{ name: "x", headerFields: many }],
      many.map(({ name }) => ({ name, headerFields: [field(name)] }))
    ]) {
      assert.throws(() => decode({ forks }))
    }
    assert.throws(() => decode({ ...InventedFork.FILE, after: "blobGasUsed" }))
  })
})

describe("the clients", () => {
  it.effect("prove blocks of an invented fork up to the trusted hash, after one file", () =>
    Effect.gen(function* () {
      const block = yield* Effect.promise(() => InventedFork.block(Hardfork.Amsterdam))
      const hash = Hash32.fromHexUnsafe(Made.string(block["hash"]))
      const number = BigInt(Made.string(block["number"]))
      const { layer } = node((method) => (method.startsWith("eth_getBlockBy") ? block : undefined))
      const ask = (options: ProvenEthClient.ProvenEthClientOptions) =>
        ProvenEthClient.ProvenEthClient.use((eth) => eth.getBlockByNumber(number, { full: true })).pipe(
          Effect.provide(ProvenEthClient.layer(options).pipe(Layer.provide([layer, TrustedBlock.layerPinned(hash)])))
        )
      assert.deepInclude((yield* ask({ forks })) as object, InventedFork.FIELDS)
      assert.strictEqual((yield* Effect.flip(ask({})))._tag, "UnprovenError")
    })
  )
})
