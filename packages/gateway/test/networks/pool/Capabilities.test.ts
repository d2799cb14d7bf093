/** Tests the choice of nodes by the blocks that they say they have (`eth_capabilities`), true or not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { answerOf, error, HASH, hex, type Node, node, pool } from "../../support/poolNodes.ts"

const ADDRESS = `0x${"cd".repeat(20)}`
const HEAD = 20_000_000

interface Stated {
  readonly disabled?: boolean
  readonly oldest?: number
  readonly window?: number
}

/** Writes a statement as execution-apis' test `eth_capabilities/get-capabilities.io` has it. */
const statement = (stated: Readonly<Record<string, Stated>>): string =>
  JSON.stringify({
    head: { number: hex(HEAD), hash: HASH },
    ...Object.fromEntries(
      ["state", "tx", "logs", "receipts", "blocks", "stateproofs"].map((data) => {
        const { disabled = false, oldest = disabled ? undefined : 0, window } = stated[data] ?? {}
        return [
          data,
          {
            disabled,
            ...(oldest === undefined ? {} : { oldestBlock: hex(oldest) }),
            ...(window === undefined ? {} : { deleteStrategy: { type: "window", retentionBlocks: hex(window) } })
          }
        ]
      })
    )
  })

/** A node at the head that answers with its name, or with `answers`. */
const stating = (
  name: string,
  capabilities: string | undefined,
  answers: Readonly<Record<string, string>> = {}
): Node =>
  node((method) => {
    if (method === "eth_blockNumber") return `"${hex(HEAD)}"`
    if (method === "eth_getBlockByNumber") return `{"hash":"${HASH}","number":"${hex(HEAD)}"}`
    if (method === "eth_capabilities") return capabilities ?? error(-32_601, "no such method")
    return answers[method] ?? `"${name}"`
  })

const full = statement({
  state: { oldest: HEAD - 127, window: 128 },
  stateproofs: { oldest: HEAD - 127, window: 128 },
  blocks: { oldest: 15_537_394 },
  tx: { oldest: HEAD - 2_349_999, window: 2_350_000 },
  receipts: { oldest: HEAD - 2_349_999 },
  logs: { disabled: true }
})
const archive = statement({ stateproofs: { oldest: HEAD - 127, window: 128 } })

const watched = Effect.fnUntraced(function* (nodes: ReadonlyArray<Node>) {
  const upstream = yield* pool(nodes, { watch: "1 minute" })
  yield* TestClock.adjust(0)
  return (method: string, ...params: ReadonlyArray<unknown>) => answerOf(upstream.call(method, params))
})

describe("a node that states which blocks it has", () => {
  it.effect("gets no call for a block that it does not have, where another has it", () =>
    Effect.gen(function* () {
      const ask = yield* watched([stating("full", full), stating("archive", archive)])
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, hex(HEAD - 127)), '"full"')
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, hex(HEAD - 128)), '"archive"')
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "latest"), '"full"')
      // Neither states that it has this proof, so the order of the nodes decides.
      assert.strictEqual(yield* ask("eth_getProof", ADDRESS, [], hex(HEAD - 128)), '"full"')
      assert.strictEqual(yield* ask("eth_getBlockTransactionCountByNumber", hex(15_537_394)), '"full"')
      assert.strictEqual(yield* ask("eth_getBlockTransactionCountByNumber", hex(15_537_393)), '"archive"')
      assert.strictEqual(yield* ask("eth_getBlockReceipts", hex(HEAD - 2_350_000)), '"archive"')
      assert.strictEqual(yield* ask("eth_getTransactionByBlockNumberAndIndex", hex(HEAD - 2_349_999), "0x0"), '"full"')
      const logs = { address: ADDRESS, fromBlock: hex(HEAD - 10), toBlock: hex(HEAD) }
      assert.strictEqual(yield* ask("eth_getLogs", logs), '"archive"')
      assert.strictEqual(yield* ask("eth_getLogs", { address: ADDRESS, fromBlock: "latest" }), '"archive"')
    }).pipe(Effect.scoped)
  )

  it.effect("is not believed to know everything by hash: a null is asked of one that goes further back", () =>
    Effect.gen(function* () {
      const nodes = [stating("full", full, { eth_getTransactionReceipt: "null" }), stating("archive", archive)]
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask("eth_getTransactionReceipt", HASH), '"archive"')
      const [second, first] = [nodes[0]!, nodes[1]!]
      first.behaviour = (method) => (method === "eth_capabilities" ? archive : "null")
      const again = yield* watched([first, second])
      const { length } = second.asked
      assert.strictEqual(yield* again("eth_getTransactionReceipt", HASH), "null")
      assert.notInclude(second.asked.slice(length), "eth_getTransactionReceipt")
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked again about a null because an equal node is a block behind it", () =>
    Effect.gen(function* () {
      const pruned = statement({ tx: { window: 100 }, receipts: { window: 100 } })
      const at = (latest: number) =>
        node((method) => {
          if (method === "eth_capabilities") return pruned
          return method === "eth_blockNumber" || method === "eth_getBlockByNumber"
            ? `{"hash":"${HASH}","number":"${hex(latest)}"}`
            : "null"
        })
      const nodes = [at(HEAD + 1), at(HEAD)]
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask("eth_getTransactionReceipt", HASH), "null")
      assert.include(nodes[0]!.asked, "eth_getTransactionReceipt")
      assert.notInclude(nodes[1]!.asked, "eth_getTransactionReceipt")
    }).pipe(Effect.scoped)
  )

  it.effect("is asked at the start, every ten minutes, and after a fault", () =>
    Effect.gen(function* () {
      const nodes = [stating("full", full), stating("archive", archive)]
      const ask = yield* watched(nodes)
      const times = () => nodes[0]!.asked.filter((method) => method === "eth_capabilities").length
      assert.strictEqual(times(), 1)
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(times(), 1)
      nodes[0]!.behaviour = stating("full", archive).behaviour
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(times(), 2)
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "0x1"), '"full"')
    }).pipe(Effect.scoped)
  )

  it.effect("is not asked if it is the only node", () =>
    Effect.gen(function* () {
      const only = stating("full", full)
      yield* watched([only])
      assert.notInclude(only.asked, "eth_capabilities")
    }).pipe(Effect.scoped)
  )
})

describe("a statement that helps nobody", () => {
  // If it were read, the second node would be asked.
  const denying = statement({ state: { disabled: true } })
  const cases: ReadonlyArray<readonly [name: string, statement: string | undefined]> = [
    ["none", undefined],
    ["null", "null"],
    ["a text", '"0x0"'],
    ["an empty object", "{}"],
    ["one without a kind", denying.replace(/"logs":\{[^}]*\},/u, "")],
    ["a number that is none", denying.replaceAll('"0x0"', '"-1"')],
    ["one that is too long", denying.replace("{", `{"x":"${"x".repeat(10_000)}",`)],
    ["no JSON", "{"]
  ]
  it.effect.each(cases)("is ignored: %s", ([, capabilities]) =>
    Effect.gen(function* () {
      const ask = yield* watched([stating("a", capabilities), stating("b", undefined)])
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "0x1"), '"a"')
    }).pipe(Effect.scoped)
  )

  it.effect("differs from one that says that the node has no state", () =>
    Effect.gen(function* () {
      const ask = yield* watched([stating("a", denying), stating("b", undefined)])
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "0x1"), '"b"')
    }).pipe(Effect.scoped)
  )

  it.effect("costs one try if it is a lie: the next node is asked", () =>
    Effect.gen(function* () {
      const liar = node((method) =>
        method === "eth_capabilities"
          ? statement({})
          : method === "eth_getBalance"
            ? error(-32_000, "missing trie node")
            : `"${hex(HEAD)}"`
      )
      const nodes = [stating("full", full), liar, stating("silent", undefined)]
      const ask = yield* watched(nodes)
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "0x1"), '"silent"')
      assert.include(liar.asked, "eth_getBalance")
      assert.notInclude(nodes[0]!.asked, "eth_getBalance")
    }).pipe(Effect.scoped)
  )

  it.effect("keeps no call from the nodes: if none says that it has the block, all are asked", () =>
    Effect.gen(function* () {
      const nothing = statement({ state: { disabled: true }, blocks: { oldest: Number.MAX_SAFE_INTEGER } })
      const ask = yield* watched([stating("a", nothing), stating("b", nothing)])
      assert.strictEqual(yield* ask("eth_getBalance", ADDRESS, "0x1"), '"a"')
      assert.strictEqual(yield* ask("eth_getBlockTransactionCountByNumber", "0x1"), '"a"')
    }).pipe(Effect.scoped)
  )
})
