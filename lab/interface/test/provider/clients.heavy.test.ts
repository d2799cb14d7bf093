/**
 * Runs the suites of unchanged viem, ethers and web3.js through each proving node and without one. The values must be the
 * same.
 *
 * The proving nodes are a provider in this process, and `plumbline proxy` over HTTP and WebSocket. The chains are the history
 * chain and anvil's. Each suite reads blocks of every kind that its chain has.
 */
import { Anvil, HistoryChain, PreparedState } from "@plumbline/devnet"
import { Effect, Exit, Scope } from "effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"

import * as Facts from "../../src/clients/facts.ts"
import * as HistoryNode from "../../src/clients/historyNode.ts"
import { libraries } from "../../src/clients/libraries.ts"
import { type Outcome, outcomes, type Way } from "../../src/clients/library.ts"
import { type Listening, listen } from "../../src/clients/listeningCommand.ts"
import { ways } from "../support/provider.ts"

interface Chain {
  readonly node: string
  readonly proxy: Listening
}

const scope = Scope.makeUnsafe()
let history: Chain & { readonly server: AsyncDisposable }
let anvil: Chain

const proxyOf = (url: string, { trust }: Facts.Facts) => listen(["proxy", "--url", url, "--trust", trust])

beforeAll(async () => {
  const [server, { url }] = await Promise.all([
    HistoryNode.serve(),
    Effect.runPromise(Scope.provide(Anvil.make(), scope))
  ])
  const [before, beforeAnvil] = await Promise.all([proxyOf(server.url, Facts.history), proxyOf(url, Facts.prepared)])
  history = { node: server.url, proxy: before, server }
  anvil = { node: url, proxy: beforeAnvil }
})

afterAll(async () => {
  await Promise.all([history, anvil].map(({ proxy }) => proxy[Symbol.asyncDispose]()))
  await history.server[Symbol.asyncDispose]()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const { proving, plain } = ways()

/** Each proving node, with its name and chain, and two ways to the same node: through it, and directly. */
const provingNodes: ReadonlyArray<
  readonly [name: string, facts: Facts.Facts, ways: () => { readonly proving: Way; readonly plain: Way }]
> = [
  [
    "the provider, before the history chain",
    Facts.history,
    () => ({ proving: { _tag: "Provider", provider: proving }, plain: { _tag: "Provider", provider: plain } })
  ],
  ...(
    [
      ["the history chain", Facts.history, () => history],
      ["anvil", Facts.prepared, () => anvil]
    ] as const
  ).flatMap(([name, facts, chain]) =>
    (["Http", "WebSocket"] as const).map(
      (_tag) =>
        [
          `plumbline proxy over ${_tag}, before ${name}`,
          facts,
          () => ({
            proving: { _tag, url: _tag === "Http" ? chain().proxy.url : chain().proxy.wsUrl } satisfies Way,
            plain: { _tag: "Http", url: chain().node } satisfies Way
          })
        ] as const
    )
  )
]

const isValue = (outcome: Outcome): boolean => "value" in outcome && outcome.value !== "null"

for (const { make, name } of libraries) {
  describe(`${name} reads what it reads without a proof`, () => {
    for (const [through, facts, ways] of provingNodes) {
      it(`through ${through}`, async () => {
        const { proving, plain } = ways()
        const before = make(plain, facts)
        const behind = make(proving, facts)
        const expected = await outcomes({ ...before.facts, ...before.kinds })
        assert.deepEqual(
          [...expected].filter(([, outcome]) => !isValue(outcome)),
          [],
          "there is an answer to each read"
        )
        const read = await outcomes({ ...behind.facts, ...behind.kinds })
        for (const [what, outcome] of expected) assert.deepEqual(read.get(what), outcome, what)
        await Promise.all([before.close(), behind.close()])
      })
    }
  })
}

it("is asked about every fork of the one chain, and every block of the other", () => {
  assert.strictEqual(Facts.history.kinds.length, HistoryChain.forks.length)
  assert.strictEqual(Facts.prepared.kinds.length, PreparedState.blocks.length - 1)
})
