/**
 * A node shows a sibling of a block that trust named, to a subscription through the proxy and through the gateway. A log
 * is taken back only if trust moves to the sibling, which is a real reorganisation.
 */
import { Hash32 } from "@plumbline/codec"
import { EthReason, TrustedBlock } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import * as History from "@plumbline/lies/src/eth/history.ts"
import * as Forge from "@plumbline/lies/src/eth/liars/forge.ts"
import { list, type Node, object, quantity, text, transportTo } from "@plumbline/lies/src/eth/liars/node.ts"
import { ProvingNode } from "@plumbline/provider"
import { Effect, Exit, Scope, Stream } from "effect"
import { assert, describe, it, vi } from "vitest"
import { WebSocket } from "ws"

import * as ProvingGateway from "../../src/integrity/provingGateway.ts"

/** A log of a notification, as far as this test reads it. */
interface Heard {
  readonly blockHash: string
  readonly removed: boolean
}

/** Listens to all logs. `heard` gets them in their order. */
type Listen = (node: Node, trust: TrustedBlock.TrustedBlock["Service"], heard: Array<Heard>) => Promise<AsyncDisposable>

const proxy =
  (unprovable: "refuse" | "mark"): Listen =>
  async (node, trust, heard) => {
    const scope = Scope.makeUnsafe()
    const program = Effect.gen(function* () {
      const proving = yield* ProvingNode.make({ unprovable, pollInterval: "50 millis" })
      const { notices } = yield* proving.subscribe(["logs", {}])
      const take = Stream.runForEach(notices, (notice) =>
        Effect.sync(() => notice._tag === "Item" && heard.push(notice.result as Heard))
      )
      yield* Effect.forkIn(take, scope)
    }).pipe(
      Effect.provideService(Transport.Transport, transportTo(node)),
      Effect.provideService(TrustedBlock.TrustedBlock, trust)
    )
    await Effect.runPromise(Scope.provide(program, scope))
    return { [Symbol.asyncDispose]: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
  }

const gateway =
  (unprovable: "refuse" | "mark"): Listen =>
  async (node, trust, heard) => {
    const opened = await ProvingGateway.open([() => transportTo(node)], { unprovable, trust })
    const socket = new WebSocket(opened.wsUrl)
    await new Promise((resolve) => socket.once("open", resolve))
    const begun = new Promise<void>((resolve, reject) => {
      socket.on("message", (data) => {
        const { error, id, params } = JSON.parse((data as Buffer).toString())
        if (id === undefined) heard.push(params.result)
        else if (error === undefined) resolve()
        else reject(new Error(error.message))
      })
    })
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["logs", {}] }))
    await begun
    return {
      [Symbol.asyncDispose]: async () => {
        socket.terminate()
        await opened[Symbol.asyncDispose]()
      }
    }
  }

/** The chain up to a block with logs, and a sibling of that block, with the right hash and without content. */
const world = async () => {
  const history = await History.node()
  for (let number = 20; ; number++) {
    const block = object(await history("eth_getBlockByNumber", [quantity(number), true]))
    const logs = list(await history("eth_getLogs", [{ blockHash: block["hash"]! }]))
    if (logs.length === 0) continue
    const empty = { ...block, extraData: "0x6c6965", transactions: [], uncles: [] }
    const sibling = Forge.seal({ block: empty, receipts: [], uncles: [] })
    return { history, number, hash: text(block["hash"]), logs: logs.length, sibling }
  }
}

/** Returns the honest node as it was when this block was its head. */
const upTo =
  (history: Node, head: number): Node =>
  async (method, params) => {
    const [first, ...rest] = params
    if (method === "eth_blockNumber") return quantity(head)
    if (method !== "eth_getBlockByNumber") return history(method, params)
    if (first === "latest") return history(method, [quantity(head), ...rest])
    return Number(first) > head ? null : history(method, params)
  }

describe("a log of a block that trust named", () => {
  for (const [name, listen] of [
    ["the proxy, refuse", proxy("refuse")],
    ["the proxy, mark", proxy("mark")],
    ["the gateway, refuse", gateway("refuse")],
    ["the gateway, mark", gateway("mark")]
  ] as const) {
    it(`is taken back only if trust moves: ${name}`, async () => {
      const { hash, history, logs, number, sibling } = await world()
      const other = text(sibling.block["hash"])
      const forked = Forge.beside(upTo(history, number), sibling, { named: ["latest", quantity(number)] })
      let node = upTo(history, number - 1)
      let looks = 0
      let head = number - 1
      let named: string | undefined
      let isSilent = false
      const trust: TrustedBlock.TrustedBlock["Service"] = {
        resolve: (block) =>
          Effect.promise(async (): Promise<TrustedBlock.TrustedAnswer> => {
            if (typeof block !== "bigint") looks++
            const at = typeof block === "bigint" ? Number(block) : head
            if (isSilent || at > head) return { _tag: "Nothing", reason: EthReason.NoTrust({}), isYet: true }
            const of =
              at === number ? named : object(await history("eth_getBlockByNumber", [quantity(at), false]))["hash"]
            return { _tag: "Exactly", hash: Hash32.fromHexUnsafe(of as string), by: "a light client" }
          })
      }
      const asked: Node = (method, params) => {
        if (method === "eth_getBlockByNumber" && params[0] === "latest") looks++
        return node(method, params)
      }
      /** Waits until the node was asked for its head several times. */
      const looked = async (): Promise<void> => {
        const before = looks
        await vi.waitFor(() => assert.isAbove(looks, before + 2), { timeout: 20_000, interval: 20 })
      }
      const heard: Array<Heard> = []
      await using _ = await listen(asked, trust, heard)
      const said = (): ReadonlyArray<string> =>
        heard.map(({ blockHash, removed }) => `${removed ? "-" : "+"}${blockHash === hash ? "block" : blockHash}`)
      const told = Array.from({ length: logs }, () => "+block")
      const takenBack = told.map(() => "-block")

      node = upTo(history, number)
      head = number
      named = hash
      await vi.waitFor(() => assert.deepEqual(said(), told), { timeout: 20_000, interval: 20 })
      node = forked
      await looked()
      assert.deepEqual(said(), told, "the node's sibling")
      isSilent = true
      await looked()
      assert.deepEqual(said(), told, "the node's sibling, while trust names no block")
      isSilent = false
      node = upTo(history, number)
      await looked()
      assert.deepEqual(said(), told, "the block again")
      node = forked
      named = other
      await vi.waitFor(() => assert.deepEqual(said(), [...told, ...takenBack]), { timeout: 20_000, interval: 20 })
    })
  }
})
