/** Calls that an engine runs behind the provider. The engine is a double. */
import type { CallEngine } from "@plumbline/eth-methods"
import { CallError, type CallOutcome } from "@plumbline/eth-methods"
import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"

import { Eip1193Provider, ProviderRefusal, type ProvingNode } from "../../src/index.ts"
import { TestChain } from "../support/chain.ts"
import { proxy } from "../support/provingNode.ts"

const TO = `0x${"11".repeat(20)}`

const engine = (outcome: CallOutcome.AnyOutcome | CallError.CallError): CallEngine.CallEngine => {
  const run =
    <O extends CallOutcome.AnyOutcome, R>(): CallEngine.CallRun<O, R> =>
    (_, block) =>
      outcome._tag === "CallError"
        ? Effect.fail(outcome)
        : Effect.succeed({
            outcome: outcome as unknown as O,
            basis: {
              block: block.value.hash!,
              chainId: 1n,
              hardfork: "prague",
              blobUpdateFraction: undefined,
              gasLimit: 50_000_000n,
              gasUsed: 21_000n,
              accounts: [],
              blockHashes: [],
              roundTrips: 1
            }
          })
  return {
    name: "double",
    over: () => ({ hint: () => undefined, run: run(), estimateGas: run(), createAccessList: run(), simulate: run() })
  }
}

const over = (outcome: Parameters<typeof engine>[0], options?: ProvingNode.ProvingNodeOptions) => {
  const block = new TestChain().canonical[0]!
  const opened = proxy({ eth_getBlockByHash: block.wire, eth_call: "0x1234" }, { ...options, calls: engine(outcome) })
  const params = [{ to: TO }, { blockHash: block.hash }]
  return {
    asked: opened.asked,
    layer: opened.layer,
    params,
    answer: () => opened.answer("eth_call", params),
    refusal: () => opened.refusal("eth_call", params)
  }
}

const gaveUp = new CallError.CallError({ reason: { _tag: "OutOfBounds", bound: "slots", limit: 5 } })

describe("an answer of another method", () => {
  it("is never taken for the outcome of a call, whatever fields the node adds", async () => {
    const block = new TestChain().canonical[0]!
    const wire = { ...block.wire, _tag: "Returned", data: "0xbad0" }
    for (const unprovable of ["refuse", "mark"] as const) {
      const { answer } = proxy({ eth_getBlockByHash: wire }, { unprovable })
      const { result } = await answer("eth_getBlockByHash", [block.hash, true])
      assert.deepInclude(result, { hash: block.hash, stateRoot: block.wire["stateRoot"] })
    }
  })
})

describe("eth_call with an engine", () => {
  it("is answered by the proven outcome, and the node's answer is not asked for", async () => {
    const { answer, asked } = over({ _tag: "Returned", data: "0x2a", gasUsed: 21_000n })
    const { result, verdict } = await answer()
    assert.deepEqual([result, verdict._tag, verdict.value], ["0x2a", "VERIFIED", "0x2a"])
    assert.notInclude(
      asked.map(({ method }) => method),
      "eth_call"
    )
  })

  it("answers a proven revert with the error of nodes", async () => {
    const { refusal } = over({ _tag: "Reverted", data: "0xdb42144d", reason: "why", gasUsed: 22_000n })
    const revert = await refusal()
    assert.deepInclude(revert, { code: 3, message: "execution reverted: why", data: "0xdb42144d" })
    assert.strictEqual(ProviderRefusal.verdictOf(revert)?._tag, "VERIFIED")
    const halted = over({ _tag: "Halted", halt: "out of gas", gasUsed: 22_000n })
    assert.deepInclude(await halted.refusal(), { code: -32_000, message: "out of gas" })
  })

  it("tells a listener the verdict of a proven revert, and none of a refusal", async () => {
    const told: Array<unknown> = []
    const request = async ({ layer, params }: ReturnType<typeof over>) => {
      const provider = Eip1193Provider.fromLayer(layer)
      provider.on("verdict", ({ method, status }) => told.push([method, status]))
      const { code } = await provider.request({ method: "eth_call", params }).catch((error: unknown) => error)
      await provider.close()
      return code
    }
    const revert = over({ _tag: "Reverted", data: "0x", reason: undefined, gasUsed: 22_000n })
    assert.deepEqual([await request(revert), await request(over(gaveUp))], [3, ProviderRefusal.OUT_OF_BOUNDS])
    assert.deepEqual(told, [["eth_call", "VERIFIED"]])
  })

  it("refuses what the engine cannot run, with its reason, unless the policy lets the node's word pass", async () => {
    const { asked, refusal } = over(gaveUp)
    const error = await refusal()
    assert.deepInclude(error, {
      code: ProviderRefusal.OUT_OF_BOUNDS,
      message: "out of bounds: it needs more than its bound of 5: slots"
    })
    assert.deepInclude(error.data, { verdict: "CLAIMED", method: "eth_call", bound: "slots", limit: 5 })
    assert.isUndefined(ProviderRefusal.verdictOf(error))
    assert.notInclude(
      asked.map(({ method }) => method),
      "eth_call"
    )
    const withheld = new CallError.CallError({
      reason: { _tag: "Unavailable", what: "account", address: undefined, error: undefined }
    })
    assert.deepInclude(await over(withheld).refusal(), { code: ProviderRefusal.UNAVAILABLE })
    const { result, verdict } = await over(gaveUp, { unprovable: "mark" }).answer()
    assert.deepEqual([result, verdict._tag], ["0x1234", "CLAIMED"])
  })
})

describe("an error with which the node fails a read of a run", () => {
  const block = new TestChain().canonical[0]!
  const lookup = `0x556f1830${"00".repeat(32)}`
  const asked = (
    reason: { readonly code: number; readonly message: string },
    options?: ProvingNode.ProvingNodeOptions
  ) =>
    proxy(
      { eth_getBlockByHash: new JsonRpcError.RemoteError({ ...reason, data: lookup }), eth_call: "0x1234" },
      { ...options, calls: engine({ _tag: "Returned", data: "0x2a", gasUsed: 21_000n }) }
    ).refusal("eth_call", [{ to: TO }, { blockHash: block.hash }])

  it("is not the outcome of the call", async () => {
    for (const message of ["execution reverted", "block not found"]) {
      const error = await asked({ code: 3, message })
      assert.strictEqual(error.code, ProviderRefusal.UNAVAILABLE)
      assert.notInclude(JSON.stringify(error), lookup)
    }
  })

  it("brings clients no data that they take for the data of a revert", async () => {
    for (const unprovable of ["refuse", "mark"] as const) {
      const limited = await asked({ code: -32_005, message: "rate limit exceeded" }, { unprovable })
      assert.deepEqual(limited, { code: -32_005, message: "rate limit exceeded" })
    }
    // ethers parses a text that is JSON
    const text = JSON.stringify({ message: "revert: rate limit exceeded", data: lookup })
    const { message } = await asked({ code: -32_005, message: text })
    assert.throws(() => JSON.parse(message))
  })
})

describe("the other runs", () => {
  const block = new TestChain().canonical[0]!
  const at = { blockHash: block.hash }
  const node = {
    eth_getBlockByHash: block.wire,
    eth_estimateGas: "0x5208",
    eth_createAccessList: { accessList: [], gasUsed: "0x5208", _tag: "Reverted", data: "0xbad0" }
  }
  const open = (outcome: Parameters<typeof engine>[0] | undefined, options?: ProvingNode.ProvingNodeOptions) =>
    proxy(node, { ...options, ...(outcome === undefined ? {} : { calls: engine(outcome) }) })

  it("are proven in wire form, with an engine", async () => {
    const gas = await open({ _tag: "Estimated", gas: 30_000n, tooLow: 29_900n }).answer("eth_estimateGas", [
      { to: TO },
      at
    ])
    assert.deepEqual([gas.result, gas.verdict._tag, gas.verdict.value], ["0x7530", "VERIFIED", 30_000n])
    const list = { accessList: [], gasUsed: 21_000n, error: "execution reverted" }
    const listed = await open({ _tag: "Listed", list }).answer("eth_createAccessList", [{ to: TO }, at])
    assert.deepEqual(listed.result, { accessList: [], gasUsed: "0x5208", error: "execution reverted" })
    const calls = [{ status: 1n, returnData: "0x2a", gasUsed: 21_000n, maxUsedGas: 21_000n, logs: [] }] as const
    const fields = { number: 9n, timestamp: 10n, gasLimit: 30_000_000n, gasUsed: 21_000n }
    const simulated = await open({ _tag: "Simulated", blocks: [{ ...fields, calls }] }).answer("eth_simulateV1", [
      { blockStateCalls: [{ calls: [{ to: TO }] }] },
      at
    ])
    assert.strictEqual(simulated.verdict._tag, "VERIFIED")
    assert.deepEqual(simulated.result, [
      {
        number: "0x9",
        timestamp: "0xa",
        gasLimit: "0x1c9c380",
        gasUsed: "0x5208",
        calls: [{ status: "0x1", returnData: "0x2a", gasUsed: "0x5208", maxUsedGas: "0x5208", logs: [] }]
      }
    ])
  })

  it("are refused as nodes refuse them", async () => {
    const reverted = open({ _tag: "Reverted", data: "0xdb42144d", reason: "why", gasUsed: 22_000n })
    assert.deepInclude(await reverted.refusal("eth_estimateGas", [{ to: TO }, at]), { code: 3, data: "0xdb42144d" })
    const unfunded = open({ _tag: "Refused", code: -38_014, message: "insufficient funds" })
    assert.deepInclude(await unfunded.refusal("eth_simulateV1", [{ blockStateCalls: [] }, at]), { code: -38_014 })
  })

  it("stay advice if the node answers with an error: it is CLAIMED, and keeps its data", async () => {
    const reason = new JsonRpcError.RemoteError({ code: 3, message: "execution reverted", data: "0xdb42144d" })
    const answers = { ...node, eth_estimateGas: reason }
    const error = await proxy(answers, { calls: engine(gaveUp) }).refusal("eth_estimateGas", [{ to: TO }, at])
    assert.deepInclude(error, { code: 3, message: "execution reverted", data: "0xdb42144d" })
    const verdict = ProviderRefusal.verdictOf(error)
    assert.strictEqual(verdict?._tag, "CLAIMED")
    assert.include(verdict?.claimed[0]?.reason.sentence, "its bound of 5: slots")
  })

  it("stay advice where no engine runs them, whatever fields the node adds", async () => {
    for (const outcome of [undefined, gaveUp]) {
      const gas = await open(outcome).answer("eth_estimateGas", [{ to: TO }, at])
      assert.deepEqual([gas.result, gas.verdict._tag], ["0x5208", "CLAIMED"])
      const list = await open(outcome).answer("eth_createAccessList", [{ to: TO }, at])
      assert.strictEqual(list.verdict._tag, "CLAIMED")
      assert.deepInclude(list.result, { accessList: [], gasUsed: "0x5208" })
      assert.deepInclude(await open(outcome).refusal("eth_simulateV1", [{ blockStateCalls: [] }, at]), {
        code: outcome === undefined ? ProviderRefusal.UNPROVEN : ProviderRefusal.OUT_OF_BOUNDS
      })
    }
  })
})
