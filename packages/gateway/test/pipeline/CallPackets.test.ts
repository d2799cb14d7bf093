/**
 * The work that a packet causes. A packet that is too large is refused before it is parsed, and billed like any
 * refusal.
 */
import { assert, describe, it } from "@effect/vitest"
import { EthFilters, EthMethods, EthSubscriptions } from "@plumbline/eth-methods"
import { CallCheck, EthFeeds, GatewayOptions } from "@plumbline/gateway"
import { JsonRpcServer, Message, type Method, MethodGroup } from "@plumbline/jsonrpc-core"
import { Starknet } from "@plumbline/second-chain-methods"
import { Effect, Result } from "effect"

import * as Joining from "../../src/pipeline/joining.ts"
import * as Metered from "../support/metered.ts"
import { ADDRESS } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const { batch, bodyBytes, depth, values } = GatewayOptions.defaults.limits
const limits: Message.PacketLimits = { maxBytes: bodyBytes, maxBatch: batch, maxDepth: depth, maxValues: values }
const SIZE = 5_000_000

const fill = (filling: (index: number) => string): string => {
  const parts: Array<string> = []
  for (let index = 0, length = 0; length < SIZE; index++) {
    parts.push(filling(index))
    length += parts[index]!.length + 1
  }
  return parts.join(",")
}
const call = (method: string, params: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
const address = (index: number): string => `"0x${index.toString(16).padStart(40, "0")}"`

/** The packets that blocked the service longest, found by a search outside of this repository. */
const shapes: Readonly<Record<string, string>> = {
  "new keys in a request": `{"jsonrpc":"2.0","id":1,"method":"eth_chainId",${fill((i) => `"k${i}":0`)}}`,
  "[] in topics": call("eth_getLogs", `[{"topics":[${fill(() => "[]")}]}]`),
  "addresses in overrides": call("eth_call", `[{},"latest",{${fill((i) => `${address(i)}:{}`)}}]`),
  "new keys in params by name": call("eth_getBalance", `{${fill((i) => `"k${i}":0`)}}`),
  percentiles: call("eth_feeHistory", `["0x1","latest",[${fill((i) => String(i % 100))}]]`),
  "unknown keys in a filter": call("eth_getLogs", `[{${fill((i) => `"k${i}":0`)}}]`),
  addresses: call("eth_getLogs", `[{"address":[${fill(address)}]}]`),
  "storage keys": call("eth_getProof", `["0x${"00".repeat(20)}",[${fill(() => '"0x0"')}],"latest"]`)
}

describe("a packet of five megabytes", () => {
  for (const [name, text] of Object.entries(shapes)) {
    it(`is not parsed: ${name}`, () => {
      const reader = Message.reader(new TextEncoder().encode(text), limits)
      let packet = reader.step()
      while (packet === undefined) packet = reader.step()
      assert.isAtMost(text.length, bodyBytes)
      assert.strictEqual(reader.parsed(), 0)
      assert.deepStrictEqual(packet, {
        _tag: "Single",
        entry: {
          _tag: "Invalid",
          id: Message.makeId(1),
          error: { code: -32_600, message: `too many values, want at most ${values}` }
        }
      })
    })
  }

  it("is not looked at behind the thousandth message: [{},{},...]", () => {
    const reader = Message.reader(new TextEncoder().encode(`[${fill(() => "{}")}]`), limits)
    let packet = reader.step()
    while (packet === undefined) packet = reader.step()
    assert.deepStrictEqual([reader.scanned(), reader.parsed()], [3001, 1000])
    assert(packet._tag === "Batch" && packet.entries.length === 1)
  })
})

describe("parameters", () => {
  const methods: ReadonlyArray<{ readonly name: string; readonly params: ReadonlyArray<Method.AnyParam> }> = [
    ...Object.values(EthMethods.group.methods),
    ...Object.values(Starknet.group.methods),
    EthSubscriptions.newHeads,
    EthSubscriptions.logs,
    EthSubscriptions.newPendingTransactions
  ]
  for (const { name, params } of methods) {
    it(`of ${name} have bounds below that of a call`, () => {
      for (const param of params) assert.isBelow(param.values, values, param.name)
    })
  }

  it("are refused by their number before any of them is decoded, and taken up to it", () => {
    const { eth_feeHistory, eth_getLogs, eth_getProof } = EthMethods.group.methods
    let reads = 0
    const watched = (length: number) =>
      Array.from({ length }, () =>
        Object.defineProperty({}, "read", { enumerable: true, get: () => (reads++, undefined) })
      )
    const said = (method: Method.Any, params: unknown) => {
      const checked = JsonRpcServer.checkParams(method, params)
      return checked._tag === "Failure" ? checked.failure.message : "taken"
    }
    assert.strictEqual(
      said(eth_getLogs, [{ topics: watched(16_000) }]),
      "invalid argument 0: too many values, want at most 5032"
    )
    // Counting stops as soon as the refusal is decided.
    assert.isAtMost(reads, 5032)
    const keys = (length: number) => [`0x${"00".repeat(20)}`, Array.from({ length }, () => "0x0"), "latest"]
    assert.strictEqual(said(eth_getProof, keys(1024)), "taken")
    assert.strictEqual(
      said(eth_getProof, keys(1025)),
      "invalid argument 1: Expected a value with a length of at most 1024"
    )
    assert.strictEqual(said(eth_getProof, keys(2049)), "invalid argument 1: too many values, want at most 2048")
    const hashes = Array.from({ length: 1000 }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`)
    const addresses = hashes.map((hash) => `0x${hash.slice(26)}`)
    assert.strictEqual(said(eth_getLogs, [{ address: addresses, topics: [hashes, hashes, hashes, hashes] }]), "taken")
    assert.strictEqual(said(eth_feeHistory, ["0x1", "latest", Array.from({ length: 100 }, (_, i) => i)]), "taken")
  })

  it("by name are refused at the first name that is unknown", () => {
    let reads = 0
    const params = new Proxy(
      {},
      {
        ownKeys: () => Array.from({ length: 10_000 }, (_, i) => `k${i}`),
        getOwnPropertyDescriptor: () => {
          reads++
          return { enumerable: true, configurable: true, value: 1 }
        }
      }
    )
    // the methods of Ethereum take no names at all
    const { starknet_getNonce } = Starknet.group.methods
    const checked = JsonRpcServer.checkParams(starknet_getNonce, params)
    assert.isTrue(checked._tag === "Failure")
    assert.isAtMost(reads, 4)
  })
})

describe("a request on Ethereum", () => {
  const group = MethodGroup.merge(EthMethods.group, EthFilters.group)
  const checking = Effect.map(
    EthFeeds.make({ call: () => Effect.never }),
    (feeds) =>
      (method: string, params: Message.Params): unknown => {
        const result = CallCheck.check(group, { method, params }, feeds)
        return Result.isSuccess(result) ? result.success : `${result.failure.code} ${result.failure.message}`
      }
  )
  const upper = `0X${"Ab".repeat(20)}`
  const lower = `0x${"Ab".repeat(20)}`

  it.effect("has its parameters in a list, as geth takes them", () =>
    Effect.gen(function* () {
      const checked = yield* checking
      for (const params of [{}, { address: lower, block: "latest" }, { subscription: "0x1" }]) {
        for (const method of [
          "eth_getBalance",
          "eth_blockNumber",
          "eth_newFilter",
          "eth_subscribe",
          "eth_unsubscribe"
        ]) {
          assert.strictEqual(checked(method, params), "-32602 non-array args", method)
        }
      }
      assert.deepStrictEqual(checked("eth_blockNumber", undefined), [])
      assert.deepStrictEqual(checked("eth_blockNumber", []), [])
    })
  )

  it.effect("may write 0X, as geth reads it, and is passed on with 0x", () =>
    Effect.gen(function* () {
      const checked = yield* checking
      assert.deepStrictEqual(checked("eth_getBalance", [upper, "0X1f"]), [lower, "0x1f"])
      assert.deepStrictEqual(
        checked("eth_call", [{ to: upper, data: "0XaB" }, "latest", { [upper]: { nonce: "0X1" } }]),
        [{ to: lower, data: "0xaB" }, "latest", { [lower]: { nonce: "0x1" } }]
      )
      assert.deepStrictEqual(checked("eth_getLogs", [{ address: [upper, lower], fromBlock: "0X1" }]), [
        { address: [lower, lower], fromBlock: "0x1" }
      ])
      assert.deepStrictEqual(checked("eth_subscribe", ["logs", { address: upper }]), ["logs", { address: lower }])
      // a wrong text is refused, and nothing is guessed
      for (const wrong of [`0X${"Ab".repeat(19)}`, `0X0x${"Ab".repeat(19)}`, "0X", `X${lower}`]) {
        assert.match(String(checked("eth_getBalance", [wrong, "latest"])), /^-32602 invalid argument 0: Expected /u)
      }
      assert.match(String(checked("eth_getBalance", [lower, "0X01"])), /^-32602 invalid argument 1/u)
    })
  )
})

describe("the answers of a batch", () => {
  it("are joined in pieces where they are large, to the same bytes", async () => {
    const bytes = new TextEncoder()
    const packet = Message.parse(
      `[${Array.from({ length: 20 }, (_, id) => Service.call("eth_chainId", [], id)).join(",")}]`
    )
    for (const size of [10, 1_000_000]) {
      const answers = Array.from({ length: 20 }, (_, at) =>
        at % 5 === 2 ? undefined : bytes.encode(`"${String(at).repeat(size / 2)}"`)
      )
      assert.strictEqual(Joining.isLarge(packet, answers), size > 10)
      let turns = 0
      const watch = () => {
        turns++
        if (!isOver) setImmediate(watch)
      }
      let isOver = false
      setImmediate(watch)
      const body = await Effect.runPromise(Joining.join(answers))
      isOver = true
      assert.isTrue(Buffer.from(body).equals(Message.join(packet, answers)!))
      const total = answers.reduce((sum, answer) => sum + (answer?.length ?? 0), 0)
      assert.isAtLeast(turns, Math.floor(total / Joining.PIECE) - 1)
    }
  })
})

describe("the service", () => {
  const storageAt = (id: unknown) => Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"], id)
  const hostile = (id: number) => Service.call("eth_call", [Array.from({ length: values + 1 }, () => 0)], id)
  const refused = (id: number) => ({
    jsonrpc: "2.0",
    id,
    error: { code: -32_600, message: `too many values, want at most ${values}` }
  })

  it.live("answers a call of too many values with an error, alone, in a batch and over a WebSocket, and bills it", () =>
    Effect.gen(function* () {
      const service = yield* Metered.start()
      const alone = yield* Service.ask(service, { body: hostile(1) })
      assert.deepStrictEqual([alone.status, JSON.parse(alone.body)], [200, refused(1)])
      const mixed = yield* Service.ask(service, { body: `[${storageAt(1)},${hostile(2)},${storageAt(3)}]` })
      assert.deepStrictEqual(JSON.parse(mixed.body), [
        { jsonrpc: "2.0", id: 1, result: "eth_getStorageAt" },
        refused(2),
        { jsonrpc: "2.0", id: 3, result: "eth_getStorageAt" }
      ])
      const client = yield* Service.connected(service)
      client.socket.send(hostile(4))
      assert.deepStrictEqual(JSON.parse(yield* Effect.promise(() => client.next())), refused(4))
      assert.strictEqual(service.node.asked.length, 2)
      const invalid = (yield* service.rows).filter(({ method }) => method === "invalid")
      assert.deepStrictEqual(
        invalid.map(({ calls, credits }) => [calls, credits]),
        [[3, 15]]
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "reads a packet of many names in many steps, none of which parses more than 64 kB, and answers each message of it",
    () =>
      Effect.gen(function* () {
        const service = yield* Metered.start()
        const calls = Array.from({ length: 1000 }, (_, id) =>
          Service.call(
            "eth_nothing",
            [Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`k${id}_${i}`, 0]))],
            id
          )
        )
        const body = `[${calls.join(",")}]`
        assert.isAbove(body.length, 4_000_000)
        const reader = Message.reader(new TextEncoder().encode(body), limits)
        let steps = 1
        while (reader.step() === undefined) steps++
        assert.isAbove(steps, 50)
        const answer = yield* Service.ask(service, { body })
        assert.strictEqual(JSON.parse(answer.body).length, 1000)
        assert.strictEqual(service.node.asked.length, 0)
      }).pipe(Effect.scoped)
  )
})
