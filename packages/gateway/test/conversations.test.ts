/**
 * Conversations: each file has the client's messages, the calls to the node, and the answers to the client. Each
 * conversation runs over HTTP and over a WebSocket, with the same answers. In `ethereum.io` the service has the real
 * methods.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { EthMethods } from "@plumbline/eth-methods"
import { HttpUpstream } from "@plumbline/gateway"
import { Effect, type Scope } from "effect"

import * as FakeNode from "./support/fakeNode.ts"
import { HASH, methods } from "./support/methods.ts"
import * as Service from "./support/service.ts"

interface Turn {
  readonly line: number
  readonly said: string
  readonly asked: Array<string>
  heard: string
}

const folder = path.join(import.meta.dirname, "conversations")

const read = (file: string): ReadonlyArray<Turn> => {
  const turns: Array<Turn> = []
  for (const [index, line] of readFileSync(path.join(folder, file), "utf8").split("\n").entries()) {
    const [mark, text] = [line.slice(0, 2), line.slice(3)]
    if (mark === "->") turns.push({ line: index + 1, said: text, asked: [], heard: "" })
    else if (mark === "=>") turns.at(-1)!.asked.push(text)
    else if (mark === "<-") turns.at(-1)!.heard = text
  }
  return turns
}

/**
 * The error with which a node refuses each block parameter. The errors are geth's; the error for a block that does not
 * exist is from EIP-1898.
 */
const complaints: Readonly<Record<string, { readonly code: number; readonly message: string }>> = {
  '"0x1"': { code: -32_000, message: "header not found" },
  '"0x2"': { code: -32_000, message: "missing trie node cd (path ) state 0xcd is not available" },
  '"0x3"': { code: -32_002, message: "request timed out" },
  '"0x4"': { code: -32_005, message: "limit exceeded" },
  '"0x5"': { code: 4444, message: "pruned history unavailable" },
  [JSON.stringify(HASH)]: { code: -32_000, message: "header for hash not found" },
  [JSON.stringify({ blockHash: HASH })]: { code: -32_001, message: "Resource not found" },
  [JSON.stringify({ blockHash: HASH, requireCanonical: true })]: {
    code: -32_000,
    message: "hash is not currently canonical"
  }
}

const node = FakeNode.make(({ method, params }) => {
  switch (method) {
    case "eth_getBalance": {
      const error = complaints[JSON.stringify(params[1])]
      return error === undefined ? { result: "0x0" } : { error }
    }
    case "eth_chainId":
      return { result: "0x7a69" }
    case "eth_getStorageAt":
      return { result: `0x${"1".padStart(64, "0")}` }
    case "eth_call":
      return { error: { code: 3, message: "execution reverted", data: "0x08c379a0" } }
    default:
      return { result: null }
  }
})

/** Sends a message, and returns the answer. `done` completes when the node has received all expected calls. */
type Say = (turn: Turn, done: () => Promise<void>) => Effect.Effect<string>

const overHttp = (service: { readonly port: number }): Effect.Effect<Say> =>
  Effect.succeed(({ said }) =>
    Effect.map(Service.ask(service, { body: said }), (answer) => {
      assert.strictEqual(answer.status, 200)
      return answer.body
    })
  )

const overWebSocket = (service: { readonly port: number }): Effect.Effect<Say, never, Scope.Scope> =>
  Effect.map(
    Service.connected(service),
    (client): Say =>
      (turn, done) =>
        Effect.promise(async () => {
          client.socket.send(turn.said)
          if (turn.heard !== "") return client.next()
          // No answer is expected here. If the service sends an answer anyway, it arrives before the answer to the next
          // call.
          await done()
          client.socket.send(Service.call("silence", [], "after"))
          const next = await client.next()
          return next.includes('"id":"after"') ? "" : next
        })
  )

describe.each(readdirSync(folder))("%s", (file) => {
  it.live.each([
    ["HTTP", overHttp],
    ["WebSocket", overWebSocket]
  ] as const)("over %s", ([, open]) =>
    Effect.gen(function* () {
      const fake = yield* node
      const upstream = yield* HttpUpstream.make({ url: fake.url })
      const group = file === "ethereum.io" ? EthMethods.group : methods
      const service = yield* Service.start([{ ...Service.network(upstream), methods: group }], {
        limits: { batch: 5, batchConcurrency: 1 }
      })
      const say = yield* open(service)
      for (const turn of read(file)) {
        const before = fake.asked.length
        const heard = yield* say(turn, () => fake.wasAsked(before + turn.asked.length))
        assert.strictEqual(heard, turn.heard, `${file}:${turn.line}`)
        const asked = fake.asked.slice(before).map(({ method, params }) => `${method} ${JSON.stringify(params)}`)
        assert.deepStrictEqual(asked, turn.asked, `${file}:${turn.line}`)
      }
    }).pipe(Effect.scoped)
  )
})
