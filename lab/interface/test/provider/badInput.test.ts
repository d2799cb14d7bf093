/**
 * Tests `plumbline proxy` in front of faulty nodes: without proofs, with a block that vanishes, with broken
 * connections.
 */
import { Hash32 } from "@plumbline/codec"
import { TrustedBlock } from "@plumbline/eth-methods"
import { HttpTransport, type Transport } from "@plumbline/jsonrpc-core"
import { Eip1193Provider, ProvingNode, ProviderRefusal } from "@plumbline/provider"
import { Catalogue } from "@plumbline/tamper"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"

import * as Facts from "../../src/clients/facts.ts"
import * as HistoryNode from "../../src/clients/historyNode.ts"
import { listen } from "../../src/clients/listeningCommand.ts"

const { head, token, trust, transactions, who } = Facts.history

const call = (method: string, params: ReadonlyArray<unknown>, id: unknown = 1) => ({
  jsonrpc: "2.0",
  id,
  method,
  params
})

const post = async (url: string, body: unknown) => {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  return { verdict: response.headers.get("plumbline-verdict"), answer: await response.json() }
}

/** Opens the proxy in front of the history chain. The middleware can change the chain's answers. */
const open = async (through: Transport.Middleware, ...flags: ReadonlyArray<string>) => {
  const node = await HistoryNode.serve(through)
  const proving = await listen(["proxy", "--url", node.url, "--trust", trust, "--retries", "0", ...flags])
  const close = async () => {
    await proving[Symbol.asyncDispose]()
    await node[Symbol.asyncDispose]()
  }
  return { url: proving.url, [Symbol.asyncDispose]: close }
}

/**
 * Returns a middleware that answers calls with `answer`, and leaves calls without such an answer to the node. Batches
 * are answered one by one.
 */
const instead =
  (
    answer: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, any> | undefined
  ): Transport.Middleware =>
  (node) => ({ ...node, call: (one) => answer(one.method, one.params) ?? node.call(one) })

const withoutProofs = instead((method) =>
  method === "eth_getProof"
    ? Effect.fail(HistoryNode.remoteError(method, -32601, "the method eth_getProof does not exist"))
    : undefined
)

describe("a node without proofs", () => {
  const balance = call("eth_getBalance", [who, `0x${head.toString(16)}`])

  it("reads blocks and transactions as before, and no state", async () => {
    await using proving = await open(withoutProofs)
    const { answer, verdict } = await post(proving.url, balance)
    assert.deepInclude(answer.error, {
      code: ProviderRefusal.UNAVAILABLE,
      message:
        "unavailable: the node gives no proof: eth_getProof: the method eth_getProof does not exist (code -32601)"
    })
    assert.strictEqual(verdict, "CLAIMED")
    for (const [method, params] of [
      ["eth_getBlockByHash", [trust, true]],
      ["eth_getTransactionByHash", [transactions[0]]],
      ["eth_getTransactionReceipt", [transactions[0]]]
    ] as const) {
      const { answer, verdict } = await post(proving.url, call(method, params))
      assert.isObject(answer.result, method)
      assert.strictEqual(verdict, "VERIFIED", method)
    }
  })

  it("passes its word about state where the operator says so, marked", async () => {
    await using proving = await open(withoutProofs, "--unprovable", "mark")
    const { answer, verdict } = await post(proving.url, balance)
    assert.match(answer.result, /^0x[0-9a-f]+$/u)
    assert.strictEqual(verdict, "CLAIMED")
  })
})

describe("a block that vanishes", () => {
  it("between its header and the proof of its state is an error, and no state of another block", async () => {
    let gone = false
    const vanishing = instead((method, params) => {
      const asked = JSON.stringify(params)
      if (gone && method.startsWith("eth_getBlock")) return Effect.succeed(null)
      if (method !== "eth_getProof" || !asked.includes(who)) return undefined
      gone = true
      return Effect.fail(HistoryNode.remoteError(method, -32001, "header for hash not found"))
    })
    await using proving = await open(vanishing)
    const balance = call("eth_getBalance", [who, `0x${(head - 3).toString(16)}`])
    const first = await post(proving.url, balance)
    assert.isUndefined(first.answer.result)
    assert.strictEqual(first.answer.error.code, ProviderRefusal.UNAVAILABLE)
    // a later question finds no such block: the answer is null, which is not a refutation
    const block = await post(proving.url, call("eth_getBlockByNumber", [`0x${(head - 30).toString(16)}`, false]))
    assert.isNull(block.answer.result)
    assert.strictEqual(block.verdict, "CLAIMED")
  })
})

describe("a batch of what can be proven and what cannot", () => {
  it("has the answers that can, and an error in each other place", async () => {
    await using proving = await open((node) => node)
    const number = `0x${head.toString(16)}`
    const { answer } = await post(proving.url, [
      call("eth_getBalance", [who, number], "a"),
      call("eth_call", [{ to: token, data: "0x" }, number], "b"),
      call("eth_gasPrice", [], "c"),
      call("debug_traceTransaction", [transactions[0]], "d"),
      call("eth_getTransactionReceipt", [`0x${"42".repeat(32)}`], "e"),
      call("eth_getCode", [token, number], "f")
    ])
    assert.deepEqual(
      answer.map(({ error, id, result }: any) => [id, error?.code ?? (result === null ? null : typeof result)]),
      [
        ["a", "string"],
        ["b", ProviderRefusal.UNPROVEN],
        ["c", "string"],
        ["d", ProviderRefusal.UNPROVEN],
        ["e", null],
        ["f", "string"]
      ]
    )
  })
})

describe("a fault of the line", () => {
  const faults = Catalogue.lies.filter(({ how }) => how._tag === "Line")

  /** The code of the proxy's error for each fault with which its node gives no usable answer. */
  const codes: Readonly<Record<string, number>> = {
    slow: -32002,
    cut: ProviderRefusal.DISCONNECTED,
    "wrong-id": -32002,
    html: -32002,
    huge: ProviderRefusal.DISCONNECTED
  }

  for (const { name } of faults) {
    it(`is an error by its name, and no answer: ${name}`, async () => {
      await using node = await HistoryNode.serve()
      await using liar = await listen(["tamper", "--url", node.url, "--lie", name])
      const layer = ProvingNode.layer().pipe(
        Layer.provide([
          HttpTransport.layer({ url: liar.url, timeout: name === "slow" ? "1 second" : "1 minute" }),
          TrustedBlock.layerPinned(Hash32.fromHexUnsafe(trust))
        ])
      )
      const proving = Eip1193Provider.fromLayer(layer)
      const outcome = await proving.request({ method: "eth_getBalance", params: [who, "latest"] }).then(
        (value: unknown) => ({ value }),
        ({ code, message }: any) => ({ code, message })
      )
      assert.strictEqual((outcome as any).code, codes[name], JSON.stringify(outcome))
      await proving.close()
    })
  }
})
