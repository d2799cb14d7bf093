import { Transport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"

import { Catalogue, Lie, Tamper } from "../../src/index.ts"

const node = (answers: (method: string, params: ReadonlyArray<unknown>) => unknown): Transport.Transport["Service"] => {
  const call: Transport.Transport["Service"]["call"] = ({ method, params }) => Effect.succeed(answers(method, params))
  return { call, callAll: Transport.oneByOne(call) }
}

const balances = Catalogue.byName("balance")!

const asked = (liar: Transport.Transport["Service"], times: number): ReadonlyArray<unknown> =>
  Array.from({ length: times }, () => Effect.runSync(liar.call({ method: "eth_getBalance", params: [] })))

describe("a lie", () => {
  it("changes the answers to its methods, in batches too, and no others", () => {
    const liar = Tamper.make(balances)(node(() => "0x5"))
    const calls = ["eth_getBalance", "eth_gasPrice"].map((method) => ({ method, params: [] }))
    const outcomes = Effect.runSync(liar.callAll(calls))
    assert.deepEqual(
      outcomes.map((outcome) => outcome._tag === "Success" && outcome.success),
      ["0xffffffffffffffffff", "0x5"]
    )
  })

  it("leaves a null answer alone", () => {
    const liar = Tamper.make(Catalogue.byName("tx-value")!)(node(() => null))
    assert.isNull(Effect.runSync(liar.call({ method: "eth_getTransactionByHash", params: [] })))
  })

  it("is told as often as the rate says, and again alike with the same seed", () => {
    const some = (seed: number) => asked(Tamper.make(balances, { rate: 0.3, seed })(node(() => "0x5")), 400)
    const lies = some(1).filter((answer) => answer !== "0x5").length
    assert.isAbove(lies, 80)
    assert.isBelow(lies, 160)
    assert.deepEqual(some(1), some(1))
    assert.notDeepEqual(some(1), some(2))
    assert.deepEqual(new Set(asked(Tamper.make(balances, { rate: 0 })(node(() => "0x5")), 50)), new Set(["0x5"]))
  })

  it("is reported with what it was instead of, and only if it differs from that", () => {
    const told: Array<Tamper.ToldLie> = []
    const liar = Tamper.make(Catalogue.byName("log-drop")!, { onTold: (one) => told.push(one) })(
      node((_, [filter]) => filter)
    )
    const logs = [{ data: "0x1" }, { data: "0x2" }]
    Effect.runSync(liar.call({ method: "eth_getLogs", params: [[]] }))
    Effect.runSync(liar.call({ method: "eth_getLogs", params: [logs] }))
    assert.deepEqual(told, [{ lie: "log-drop", method: "eth_getLogs", truth: logs, told: [logs[1]] }])
  })

  it("may ask the true node for another answer", () => {
    const swap = Lie.make("swap", {
      about: "the answer is that to another question",
      expected: "REFUTED",
      changes: { first: (_, { ask }) => ask("second", [1]) }
    })
    const liar = Tamper.make(swap)(node((method, params) => `${method} ${params.length}`))
    assert.strictEqual(Effect.runSync(liar.call({ method: "first", params: [] })), "second 1")
  })
})
