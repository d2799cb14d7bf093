import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Anchor } from "@plumbline/verdict"
import { Effect, type Layer } from "effect"

import { type BlockParameter, TrustedBlock } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"

const template = Made.block(Hardfork.Paris, [])
const hash = (n: number): Hash32.Hash32 => Hash32.fromHexUnsafe(`0x${n.toString(16).padStart(64, "0")}`)

/**
 * Makes a node that answers eth_getBlockByNumber from this table. `null` means no such block; a missing entry means an
 * error.
 */
const node = (known: Readonly<Record<string, readonly [number: bigint, hash: string] | null>>, json: Made.JsonObject) =>
  Nodes.node((method, params) => {
    const found = method === "eth_getBlockByNumber" ? known[String(params[0])] : undefined
    return found === undefined || found === null
      ? found
      : { ...json, number: `0x${found[0].toString(16)}`, hash: found[1] }
  })

const resolve = (layer: Layer.Layer<TrustedBlock.TrustedBlock>, block: BlockParameter.NumberOrTag) =>
  Effect.provide(
    TrustedBlock.TrustedBlock.use((trust) => trust.resolve(block)),
    layer
  )

/** Makes a quorum of nodes, each with its own table. */
const quorum = Effect.fnUntraced(function* (needed: number, ...tables: ReadonlyArray<Parameters<typeof node>[0]>) {
  const json = yield* Effect.promise(() => template)
  const nodes = yield* Effect.forEach(tables, (table, at) =>
    Effect.map(Effect.provide(Transport, node(table, json).layer), (transport) => ({ name: `node ${at}`, transport }))
  )
  return TrustedBlock.layerQuorum(nodes, { needed })
})

describe("TrustedBlock", () => {
  it.effect("says nothing without trust, and the pinned hash with it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* resolve(TrustedBlock.layerNone(), "latest"))._tag, "Nothing")
      assert.deepStrictEqual(yield* resolve(TrustedBlock.layerPinned(hash(7)), 5n), {
        _tag: "OnChain",
        hash: hash(7),
        by: "a pinned hash"
      })
    })
  )

  it.effect("asks the operator's node for the very block", () =>
    Effect.gen(function* () {
      const json = yield* Effect.promise(() => template)
      const table = { latest: [9n, hash(0xab)], "0x63": null, "0x5": [6n, hash(0xcd)] } as const
      const own = TrustedBlock.layerOperator(node(table, json).layer)
      assert.deepStrictEqual(yield* resolve(own, "latest"), {
        _tag: "Exactly",
        hash: hash(0xab),
        by: "the operator's node",
        weak: Anchor.operator({ hash: hash(0xab), accepted: false })
      })
      assert.strictEqual((yield* resolve(own, 99n))._tag, "Nothing")
      const failure = yield* Effect.flip(resolve(own, 1n))
      assert(failure._tag === "JsonRpcError")
      assert.strictEqual(failure.reason._tag, "RemoteError")
      // a block of another number would blame the node that is read for the operator's node
      const other = yield* Effect.flip(resolve(own, 5n))
      assert.strictEqual(other.message, "eth_getBlockByNumber: result.number: Expected the requested number")
      const votes = yield* quorum(2, table, table, { "0x5": [5n, hash(5)] })
      const disagreement = yield* Effect.flip(resolve(votes, 5n))
      assert.strictEqual(disagreement._tag === "JsonRpcError" && disagreement.reason._tag, "DisagreementError")
    })
  )
})

const named = (number: number, of: number, ...names: ReadonlyArray<string>) =>
  Anchor.quorum({ hash: hash(number), agree: names.length, of, names, accepted: false })

describe("TrustedBlock.layerQuorum", () => {
  it.effect("counts operators, not nodes, and an operator that contradicts itself not at all", () =>
    Effect.gen(function* () {
      const json = yield* Effect.promise(() => template)
      const voter = (operator: string, name: string, said: string) =>
        Effect.map(Effect.provide(Transport, node({ "0x5": [5n, said] }, json).layer), (transport) => ({
          name,
          operator,
          transport
        }))
      const liars = [yield* voter("liar", "a", hash(0xbad)), yield* voter("liar", "b", hash(0xbad))]
      const honest = yield* voter("honest", "c", hash(5))
      const alone = yield* Effect.flip(resolve(TrustedBlock.layerQuorum([...liars, honest], { needed: 2 }), 5n))
      assert(alone._tag === "JsonRpcError")
      assert.strictEqual(alone.reason._tag, "DisagreementError")
      // two nodes of one operator cannot make a quorum of two
      const few = yield* Effect.flip(resolve(TrustedBlock.layerQuorum(liars, { needed: 2 }), 5n))
      assert.match(few.message, /params\.needed: .* the number of operators, 1/u)

      const torn = [yield* voter("torn", "d", hash(5)), yield* voter("torn", "e", hash(0xbad))]
      const doubt = yield* Effect.flip(resolve(TrustedBlock.layerQuorum([...torn, honest], { needed: 2 }), 5n))
      assert.strictEqual(doubt._tag, "JsonRpcError")

      const other = yield* voter("other", "f", hash(5))
      const all = TrustedBlock.layerQuorum([...liars, honest, other], { needed: 2, accept: true })
      assert.deepInclude(yield* resolve(all, 5n), {
        by: "2 of 3 operators",
        weak: Anchor.quorum({ hash: hash(5), agree: 2, of: 3, names: ["honest", "other"], accepted: true })
      })
    })
  )

  it.effect("believes what enough nodes say alike, whatever the others do", () =>
    Effect.gen(function* () {
      const upper = `0x${hash(0xab).slice(2).toUpperCase()}`
      const layer = yield* quorum(
        2,
        { "0x5": [5n, hash(0xbad)] },
        { "0x5": [5n, hash(0xab)] },
        {},
        { "0x5": [5n, upper] }
      )
      assert.deepStrictEqual(yield* resolve(layer, 5n), {
        _tag: "Exactly",
        hash: hash(0xab),
        by: "2 of 4 operators",
        weak: named(0xab, 4, "node 1", "node 3")
      })
    })
  )

  it.effect("brings a tag to the height that enough nodes have reached", () =>
    Effect.gen(function* () {
      const layer = yield* quorum(
        2,
        { latest: [12n, hash(12)], "0xb": [11n, hash(11)] },
        { latest: [11n, hash(11)], "0xb": [11n, hash(11)] },
        { latest: [10n, hash(10)], "0xb": null }
      )
      assert.deepStrictEqual(yield* resolve(layer, "latest"), {
        _tag: "Exactly",
        hash: hash(11),
        by: "2 of 3 operators",
        weak: named(11, 3, "node 0", "node 1")
      })
    })
  )

  it.effect("fails when too few agree, with what each one said", () =>
    Effect.gen(function* () {
      const layer = yield* quorum(2, { "0x5": [5n, hash(1)] }, { "0x5": [5n, hash(2)] }, { "0x5": null }, {})
      const failure = yield* Effect.flip(resolve(layer, 5n))
      assert(failure._tag === "JsonRpcError" && failure.reason._tag === "DisagreementError")
      const { reason } = failure
      assert.strictEqual(reason.needed, 2)
      assert.deepStrictEqual(reason.answers, [
        { node: "node 0", result: hash(1) },
        { node: "node 1", result: hash(2) },
        { node: "node 2", result: null },
        { node: "node 3", error: "eth_getBlockByNumber: unwilling (code -32000)" }
      ])
    })
  )

  it.effect("is not led by one node that claims to be far ahead", () =>
    Effect.gen(function* () {
      const layer = yield* quorum(
        2,
        { latest: [1_000_000n, hash(0xbad)], "0xa": [10n, hash(0xbad)] },
        { latest: [10n, hash(10)], "0xa": [10n, hash(10)] },
        { latest: [10n, hash(10)], "0xa": [10n, hash(10)] }
      )
      assert.deepStrictEqual(yield* resolve(layer, "latest"), {
        _tag: "Exactly",
        hash: hash(10),
        by: "2 of 3 operators",
        weak: named(10, 3, "node 1", "node 2")
      })
    })
  )

  it.effect("has no word on pending blocks, and refuses a quorum that cannot be", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* resolve(yield* quorum(1, {}), "pending"))._tag, "Nothing")
      for (const needed of [0, 2, 1.5, Number.NaN]) {
        const only = TrustedBlock.layerQuorum([{ name: "only", transport: {} as never }], { needed })
        assert.match((yield* Effect.flip(resolve(only, 5n))).message, /params\.needed/u)
      }
    })
  )
})
