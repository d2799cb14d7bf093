import { JsonRpcError } from "@plumbline/jsonrpc-core"
import { assert, describe, it } from "vitest"

import { Eip1193Provider, ProviderRpcError } from "../../src/index.ts"
import { door } from "../support/door.ts"

const down = new JsonRpcError.TransportError({ detail: "connection failed (ECONNREFUSED)", retryable: true })

describe("request", () => {
  it("rejects with the error of EIP-1193", async () => {
    const provider = Eip1193Provider.fromLayer(door({}).layer)
    const error = await provider.request({ method: "eth_sign", params: [] }).catch((error: unknown) => error)
    assert.instanceOf(error, ProviderRpcError.ProviderRpcError)
    assert.deepInclude(error, { name: "ProviderRpcError", code: 4200 })
  })

  it("takes parameters as JSON has them: members of undefined are not there", async () => {
    const provider = Eip1193Provider.fromLayer(door({ eth_getLogs: [] }, { unprovable: "mark" }).layer)
    const filter = { address: undefined, topics: undefined, fromBlock: "0x1", toBlock: "0x0", blockHash: undefined }
    const error = await provider.request({ method: "eth_getLogs", params: [filter] }).catch((error: unknown) => error)
    assert.notDeepInclude(error, { code: -32602 })
  })

  it("rejects parameters that are not JSON", async () => {
    const provider = Eip1193Provider.fromLayer(door({}).layer)
    const error = await provider.request({ method: "eth_getBalance", params: [1n] }).catch((error: unknown) => error)
    assert.deepInclude(error, { code: -32602, message: "the parameters are not JSON" })
  })
})

describe("events", () => {
  it("tell when the node answered first, when it was lost, and when it is back", async () => {
    const answers: Record<string, unknown> = { eth_chainId: "0x1" }
    const provider = Eip1193Provider.fromLayer(door(answers).layer)
    const told: Array<unknown> = []
    provider.on("connect", (payload) => told.push(payload))
    provider.on("disconnect", ({ code }) => told.push(code))
    const ask = () => provider.request({ method: "eth_chainId" }).catch(() => "no answer")
    assert.deepEqual([await ask(), await ask()], ["0x1", "0x1"])
    answers["eth_chainId"] = down
    assert.deepEqual([await ask(), await ask()], ["no answer", "no answer"])
    answers["eth_chainId"] = "0x1"
    await ask()
    assert.deepEqual(told, [{ chainId: "0x1" }, 4900, { chainId: "0x1" }])
  })

  it("tell the verdict of each answer that passed", async () => {
    const provider = Eip1193Provider.fromLayer(door({ eth_gasPrice: "0x7" }).layer)
    const told: Array<Eip1193Provider.VerdictEvent> = []
    const listener = (event: Eip1193Provider.VerdictEvent) => told.push(event)
    provider.on("verdict", listener)
    await provider.request({ method: "eth_gasPrice" })
    provider.removeListener("verdict", listener)
    await provider.request({ method: "eth_gasPrice" })
    assert.lengthOf(told, 1)
    assert.deepInclude(told[0], { method: "eth_gasPrice", status: "CLAIMED", anchor: null })
  })
})

describe("close", () => {
  it("makes later requests reject", async () => {
    const provider = Eip1193Provider.fromLayer(door({ eth_gasPrice: "0x7" }).layer)
    await provider.request({ method: "eth_gasPrice" })
    await provider.close()
    const outcome = await provider.request({ method: "eth_gasPrice" }).then(
      () => "resolved",
      () => "rejected"
    )
    assert.strictEqual(outcome, "rejected")
  })
})
