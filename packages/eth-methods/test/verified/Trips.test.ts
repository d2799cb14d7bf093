/** Tests how many packets a read takes. Also tests answers that are requested before the proof that they need. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"

import { assert, describe, it } from "@effect/vitest"
import { Hardfork } from "@ethereumjs/common"
import type { Hash32 } from "@plumbline/codec"
import { RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect, Layer, Redacted, Result } from "effect"

import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as Chain from "../support/chain.ts"
import * as Made from "../support/made.ts"
import * as Nodes from "../support/node.ts"
import * as Questions from "../support/questions.ts"
import * as State from "../support/state.ts"
import * as World from "../support/world.ts"

const worlds = Promise.all([
  World.make(Hardfork.Prague),
  World.make(Hardfork.Prague, 1, World.FIRST + 1n),
  World.make(Hardfork.London)
])
const both = Effect.promise(() => worlds)

/** Makes a client over a node, and records the methods in each packet that the node gets. */
const open = Effect.fnUntraced(function* (
  answers: Nodes.Replies,
  trust: World.World | Hash32.Hash32 | undefined,
  refuses: (packet: ReadonlyArray<string>) => RemoteError | undefined = () => undefined
) {
  const packets: Array<ReadonlyArray<string>> = []
  const { calls, transport } = Nodes.node(answers)
  const counting: Transport["Service"] = {
    call: (call) => {
      packets.push([call.method])
      return transport.call(call)
    },
    callAll: (calls) => {
      const packet = calls.map(({ method }) => method)
      packets.push(packet)
      const error = refuses(packet)
      return (error === undefined ? transport : Nodes.node(() => error).transport).callAll(calls)
    }
  }
  const eth = yield* Effect.provideService(EthClient.make, Transport, Batching.make()(counting))
  const hash = typeof trust === "object" ? Questions.hashOf(trust.block(World.HEAD)) : trust
  const layer = hash === undefined ? TrustedBlock.layerNone() : TrustedBlock.layerPinned(hash)
  const trusted = yield* Effect.provide(TrustedBlock.TrustedBlock, layer)
  const client = VerdictEthClient.make(eth, trusted)
  /** Runs a read, and returns the outcome with its packets. */
  const ask = (question: Questions.Ask) =>
    Effect.suspend(() => {
      packets.length = 0
      calls.length = 0
      return Effect.map(Effect.result(question(client)), (result) => ({ result, packets: [...packets] }))
    })
  return { ask, calls }
})

const tagOf = (result: Result.Result<{ readonly _tag: string }, { readonly _tag: string }>): string =>
  Result.isSuccess(result) ? result.success._tag : result.failure._tag

const states = ["eth_getBalance", "eth_getCode", "eth_getStorageAt", "eth_getStorageValues", "eth_getProof"] as const

describe("the packets of a read", () => {
  it.effect("are two for a state, and one when the trusted header is known", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      for (const method of states) {
        const { ask } = yield* open(chain.answers, chain)
        const question = (number: bigint) => ask(Questions.ofNumber[method]!(number))
        const cold = yield* question(World.FIRST)
        assert.strictEqual(tagOf(cold.result), "VERIFIED", method)
        assert.lengthOf(cold.packets, 2)
        const warm = yield* question(World.FIRST + 1n)
        assert.strictEqual(tagOf(warm.result), "VERIFIED", method)
        assert.lengthOf(warm.packets, 1)
        // an earlier read tied the block to the trusted one, so this read asks only for the requested data
        const again = yield* question(World.FIRST + 1n)
        assert.strictEqual(tagOf(again.result), "VERIFIED", method)
        assert.lengthOf(again.packets, 1)
        assert.notInclude(again.packets[0]!, "eth_getBlockByNumber")
        assert.deepStrictEqual(again.result, warm.result)
        // a read at the trusted block itself
        const head = yield* question(World.HEAD)
        assert.strictEqual(tagOf(head.result), "VERIFIED", method)
        assert.lengthOf(head.packets, 1)
        assert.notInclude(head.packets[0]!, "eth_getBlockByNumber")
      }
    })
  )

  it.effect("are two for a state by a tag, whose block is known first", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      for (const tag of ["latest", "finalized"] as const) {
        const { ask } = yield* open(chain.answers, chain)
        yield* ask(Questions.ofNumber["eth_getBlockByNumber"]!(World.FIRST))
        const { packets, result } = yield* ask(Questions.ofNumber["eth_getBalance"]!(tag))
        assert.strictEqual(tagOf(result), "VERIFIED")
        assert.lengthOf(packets, 2, tag)
        assert.deepStrictEqual(packets[0], ["eth_getBlockByNumber"])
      }
    })
  )

  it.effect("are one for what is asked by a hash, and two for what names its block", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const hash = Questions.hashOf(chain.block(World.FULL))
      for (const method of [...states, "eth_getBlockReceipts", "eth_getTransactionByBlockHashAndIndex"]) {
        const { ask } = yield* open(chain.answers, undefined)
        const { packets, result } = yield* ask(Questions.ofHash[method]!(hash))
        assert.strictEqual(tagOf(result), "VERIFIED", method)
        assert.lengthOf(packets, 1, method)
      }
      const transaction = Questions.hashOf(Made.list(chain.block(World.FULL)["transactions"])[1])
      for (const [method, question] of Object.entries(Questions.ofTransaction)) {
        const { ask } = yield* open(chain.answers, chain)
        yield* ask(Questions.ofNumber["eth_getBlockByNumber"]!(World.FIRST))
        const { packets, result } = yield* ask(question(transaction))
        assert.strictEqual(tagOf(result), "VERIFIED", method)
        assert.lengthOf(packets, 2, method)
      }
    })
  )

  it.effect("are as many as a node wants that takes no large ones, or none at all", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const tooLarge = new RemoteError({ code: -32600, message: "batch too large" })
      for (const most of [1, 2]) {
        for (const method of states) {
          const { ask } = yield* open(chain.answers, chain, ({ length }) => (length > most ? tooLarge : undefined))
          const { result } = yield* ask(Questions.ofNumber[method]!(World.FIRST))
          assert.strictEqual(tagOf(result), "VERIFIED", method)
        }
      }
    })
  )
})

describe("the clients over a URL", () => {
  /** Serves a node on a port of this machine, and records the number of calls in each request. */
  const serve = Effect.fnUntraced(function* (answers: Nodes.Replies) {
    const packets: Array<number> = []
    const server = createServer(async (request, response) => {
      const asked = (await json(request)) as Array<Request> | Request
      packets.push(Array.isArray(asked) ? asked.length : 1)
      const answer = async ({ id, method, params }: Request) => ({
        jsonrpc: "2.0",
        id,
        result: await answers(method, params)
      })
      const answered = Array.isArray(asked) ? await Promise.all(asked.map(answer)) : await answer(asked)
      response.end(JSON.stringify(answered))
    })
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close().closeAllConnections())
    )
    return { packets, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  })
  interface Request {
    readonly id: number
    readonly method: string
    readonly params: ReadonlyArray<unknown>
  }

  it.effect("send calls of one moment in one request", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const trust = TrustedBlock.layerPinned(Questions.hashOf(chain.block(World.HEAD)))
      const { packets, url } = yield* serve(chain.answers)
      const secret = Redacted.make(url)
      const verdict = VerdictEthClient.VerdictEthClient.use((eth) => eth.getBalance(State.CONTRACT, World.FIRST))
      const proven = ProvenEthClient.ProvenEthClient.use((eth) => eth.getBalance(State.CONTRACT, World.FIRST))
      const { value } = yield* Effect.provide(verdict, VerdictEthClient.layerUrl(secret, trust))
      assert.strictEqual(yield* Effect.provide(proven, ProvenEthClient.layerUrl(secret, trust)), value)
      assert.deepStrictEqual(packets, [4, 1, 4, 1])
      packets.length = 0
      const reads = EthClient.EthClient.use((eth) =>
        Effect.all([eth.getBlockByNumber(World.FIRST), eth.getBlockByNumber(World.HEAD)], { concurrency: "unbounded" })
      )
      const [first, head] = yield* Effect.provide(reads, EthClient.layerUrl(url))
      assert.deepStrictEqual([first?.number, head?.number], [World.FIRST, World.HEAD])
      yield* Effect.provide(reads, EthClient.layerUrl(secret, { batching: false }))
      assert.deepStrictEqual(packets, [2, 1, 1])
    })
  )

  it.effect("fails with its trust, such as a light client that does not start", () =>
    Effect.gen(function* () {
      const trust = Layer.effect(TrustedBlock.TrustedBlock, Effect.fail("no checkpoint" as const))
      const verdict = VerdictEthClient.VerdictEthClient.use((eth) => Effect.orDie(eth.getBlockByNumber("latest")))
      const proven = ProvenEthClient.ProvenEthClient.use((eth) => Effect.orDie(eth.getBlockByNumber("latest")))
      const url = "http://127.0.0.1:1"
      const failures: ReadonlyArray<"no checkpoint"> = [
        yield* Effect.flip(Effect.provide(verdict, VerdictEthClient.layerUrl(url, trust))),
        yield* Effect.flip(Effect.provide(proven, ProvenEthClient.layerUrl(url, trust)))
      ]
      assert.deepStrictEqual(failures, ["no checkpoint", "no checkpoint"])
    })
  )
})

describe("a state that is asked for by number, ahead of its block", () => {
  /**
   * Makes a node that answers from `there` if `isThere` is true for the method and the call names block 0x66 by its
   * number. Other answers are from `here`.
   */
  const apart =
    (here: World.World, there: World.World, isThere: (method: string) => boolean): Nodes.Replies =>
    (method, params) =>
      (isThere(method) && params.includes("0x66") ? there : here).answers(method, params)

  it.effect("is asked for again by hash where it is of another branch", () =>
    Effect.gen(function* () {
      const [chain, other] = yield* both
      for (const isThere of [
        (method: string) => method === "eth_getBalance",
        (method: string) => method === "eth_getProof",
        (method: string) => method !== "eth_getBlockByNumber"
      ]) {
        const { ask, calls } = yield* open(apart(chain, other, isThere), chain)
        const { packets, result } = yield* ask(Questions.ofNumber["eth_getBalance"]!(World.FULL))
        const honest = yield* open(chain.answers, chain)
        const expected = yield* honest.ask(Questions.ofNumber["eth_getBalance"]!(World.FULL))
        assert.deepStrictEqual(result, expected.result)
        assert.strictEqual(tagOf(result), "VERIFIED")
        assert.isAbove(packets.length, expected.packets.length)
        const last = calls.findLast(({ method }) => method === "eth_getBalance")
        assert.deepStrictEqual(last?.params[1], { blockHash: chain.block(World.FULL)["hash"] })
      }
    })
  )

  it.effect("is refuted where the node lies by the hash as well", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const lies: Readonly<Record<string, (said: Made.Json) => Made.Json>> = {
        eth_getBalance: () => "0x1",
        eth_getProof: (proof) => ({ ...Made.object(proof), nonce: "0x99" })
      }
      for (const [lied, lie] of Object.entries(lies)) {
        const answers: Nodes.Replies = (method, params) => {
          const said = chain.answers(method, params)
          const told = (value: Made.Json | undefined) => (value === undefined ? undefined : lie(value))
          if (method !== lied || said instanceof RemoteError) return said
          return said instanceof Promise ? said.then(told) : told(said)
        }
        const { ask } = yield* open(answers, undefined)
        const { result } = yield* ask((eth) => eth.getBalance(State.CONTRACT, World.FULL))
        assert.strictEqual(tagOf(result), "RefutedError", lied)
      }
    })
  )

  it.effect("is proven where the node leaves out the address, and refuted where it proves another account", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const proofs =
        (change: (proof: Made.JsonObject, params: ReadonlyArray<unknown>) => Made.Json): Nodes.Replies =>
        (method, params) => {
          const said = chain.answers(method, params)
          if (method !== "eth_getProof" || said instanceof RemoteError) return said
          const told = (value: Made.Json | undefined) => value && change(Made.object(value), params)
          return said instanceof Promise ? said.then(told) : told(said)
        }
      const without = (proof: Made.JsonObject): Made.JsonObject =>
        Object.fromEntries(Object.entries(proof).filter(([name]) => name !== "address"))
      for (const change of [without, (proof: Made.JsonObject) => ({ ...proof, address: null })]) {
        const { ask } = yield* open(proofs(change), chain)
        const honest = yield* open(chain.answers, chain)
        for (const read of ["eth_getBalance", "eth_getProof"] as const) {
          const { result } = yield* ask(Questions.ofNumber[read]!(World.FULL))
          assert.strictEqual(tagOf(result), "VERIFIED", read)
          assert.deepStrictEqual(result, (yield* honest.ask(Questions.ofNumber[read]!(World.FULL))).result)
        }
      }
      const other = yield* Effect.promise(async () => chain.answers("eth_getProof", [State.PLAIN, [], "0x66"]))
      const { ask } = yield* open(
        proofs(() => without(Made.object(other as Made.Json))),
        chain
      )
      assert.strictEqual(
        tagOf((yield* ask((eth) => eth.getBalance(State.CONTRACT, World.FULL))).result),
        "RefutedError"
      )
    })
  )

  it.effect("is the node's word where it gives no proof", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const pruned = new RemoteError({ code: -32000, message: "missing trie node" })
      const { ask } = yield* open(
        (method, params) =>
          method === "eth_getProof" && params[0] === State.CONTRACT ? pruned : chain.answers(method, params),
        chain
      )
      const { packets, result } = yield* ask(Questions.ofNumber["eth_getBalance"]!(World.HEAD))
      assert.strictEqual(tagOf(result), "CLAIMED")
      assert.lengthOf(packets, 2)
    })
  )
})

describe("the logs of a range", () => {
  it.effect("take one packet for the blocks, and one for those that may hold logs", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const { ask } = yield* open(chain.answers, chain)
      const { packets, result } = yield* ask((eth) => eth.getLogs({ fromBlock: World.FIRST, toBlock: World.HEAD }))
      assert.strictEqual(tagOf(result), "VERIFIED")
      assert.lengthOf(packets, 2)
      assert.deepStrictEqual(new Set(packets[1]), new Set(["eth_getBlockByHash", "eth_getBlockReceipts"]))
      const tagged = yield* ask((eth) => eth.getLogs({ fromBlock: "finalized", toBlock: "latest" }))
      assert.strictEqual(tagOf(tagged.result), "VERIFIED")
      assert.isAtMost(tagged.packets.length, 4)
    })
  )

  it.effect("are read block by block where a packet of many whole blocks fails", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const failed = new RemoteError({ code: -32603, message: "internal error" })
      const { ask } = yield* open(chain.answers, chain, (packet) =>
        packet.filter((method) => method === "eth_getBlockReceipts").length > 1 ? failed : undefined
      )
      const { packets, result } = yield* ask((eth) => eth.getLogs({ fromBlock: World.FIRST, toBlock: World.HEAD }))
      assert.strictEqual(tagOf(result), "VERIFIED")
      assert.lengthOf(packets, 2 + Number(World.HEAD - World.FIRST) + 1)
    })
  )

  it.effect("are checked in the order of the blocks from the last one on, whatever is read together", () =>
    Effect.gen(function* () {
      const [chain] = yield* both
      const busy = new RemoteError({ code: -32005, message: "rate limit exceeded" })
      const { ask } = yield* open((method, params) => {
        if (method === "eth_getBlockReceipts" && params.length > 0) return []
        // the oldest block cannot be read, and the receipts of a newer block are refuted
        const isFirst = JSON.stringify(params).includes(Made.string(chain.block(World.FIRST)["hash"]))
        return isFirst || params[0] === "0x64" ? busy : chain.answers(method, params)
      }, chain)
      const { result } = yield* ask((eth) => eth.getLogs({ fromBlock: World.FIRST, toBlock: World.HEAD }))
      assert.strictEqual(tagOf(result), "RefutedError")
    })
  )

  /** A chain of blocks 100 to 249, none of which has logs. `without` is a node with these blocks. */
  const long = Effect.promise(() => Chain.line(100n, 150))
  const without =
    (made: ReadonlyArray<Chain.MadeBlock>, byNumber: (json: Made.JsonObject) => Made.Json): Nodes.Replies =>
    (method, [first]) => {
      if (method === "eth_getLogs") return []
      const found = made.find(({ hash, json }) => (method === "eth_getBlockByHash" ? hash : json["number"]) === first)
      if (found === undefined) return null
      return method === "eth_getBlockByHash" ? found.json : byNumber(found.json)
    }
  const range = { fromBlock: 122n, toBlock: 249n, address: State.CONTRACT }

  it.effect("read at most 64 blocks at the same time", () =>
    Effect.gen(function* () {
      const made = yield* long
      const { ask, calls } = yield* open(
        without(made, (json) => json),
        Questions.hashOf(made.at(-1)!.json)
      )
      const { packets, result } = yield* ask((eth) => eth.getLogs(range))
      assert.strictEqual(tagOf(result), "VERIFIED")
      assert.deepStrictEqual(
        packets.map((packet) => packet.filter((method) => method === "eth_getBlockByNumber").length),
        [65, 63]
      )
      assert.strictEqual(calls.filter(({ method }) => method === "eth_getBlockByHash").length, 1)
      const longer = yield* ask((eth) => eth.getLogs({ ...range, fromBlock: 100n }))
      assert.strictEqual(tagOf(longer.result), "VERIFIED")
      // one header per block, and each of them once
      const headers = longer.packets.flat().filter((method) => method.startsWith("eth_getBlockBy"))
      assert.lengthOf(headers, 150)
    })
  )

  it.effect("take a block by its hash that is another one by its number, and refute one that is none", () =>
    Effect.gen(function* () {
      const made = yield* long
      const trust = Questions.hashOf(made.at(-1)!.json)
      const other = yield* Effect.promise(() => Chain.block({ number: 200n, parentHash: made[3]!.hash }))
      const answers: ReadonlyArray<readonly [Made.Json, outcome: string]> = [
        [other.json, "VERIFIED"],
        [null, "VERIFIED"],
        [{ ...made[100]!.json, timestamp: "0x1" }, "RefutedError"],
        [made[101]!.json, "RefutedError"],
        [{ ...made[100]!.json, stateRoot: "0x12" }, "JsonRpcError"]
      ]
      for (const [answer, outcome] of answers) {
        const { ask, calls } = yield* open(
          without(made, (json) => (json["number"] === "0xc8" ? answer : json)),
          trust
        )
        const { result } = yield* ask((eth) => eth.getLogs(range))
        assert.strictEqual(tagOf(result), outcome)
        const again = calls.filter(({ method, params }) => method === "eth_getBlockByHash" && params[0] !== trust)
        assert.strictEqual(again.length, outcome === "VERIFIED" ? 1 : 0)
      }
    })
  )
})
