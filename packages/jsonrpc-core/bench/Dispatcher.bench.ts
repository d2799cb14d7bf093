/** The cost of the envelope: reading requests, writing answers, and finding a result in a large answer. */
import { Connection, Dispatcher, ErrorObject, Message } from "@plumbline/jsonrpc-core"
import { Effect, Scope } from "effect"
import { test } from "vitest"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const result = bytes(`"0x${"00".repeat(32)}"`)
const server = Dispatcher.make({
  call: ({ method }) =>
    method === "eth_getStorageAt" ? Effect.succeed(result) : Effect.fail(ErrorObject.methodNotFound(method))
})

const { handle } = server
const { receive } = Effect.runSync(
  Effect.provideService(Connection.make(server, { send: () => Effect.void }), Scope.Scope, Scope.makeUnsafe())
)

const request = (id: number): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "eth_getStorageAt",
    params: [`0x${"ab".repeat(20)}`, `0x${"00".repeat(32)}`, "latest"]
  })

const single = bytes(request(1))
const batch = bytes(`[${Array.from({ length: 100 }, (_, id) => request(id)).join(",")}]`)
const malformed = bytes(`${request(1).slice(0, -1)},`)

const handleSync = (input: Uint8Array): Uint8Array | undefined => Effect.runSync(handle(input))

test("Dispatcher.handle", async ({ bench }) => {
  await bench.compare(
    bench("single", () => void handleSync(single)),
    bench("single over a connection", () => Effect.runSync(receive(single))),
    bench("batch of 100", () => void handleSync(batch)),
    bench("malformed", () => void handleSync(malformed)),
    { time: 500 }
  )
})

const hex = (size: number): string => `0x${"ab".repeat(size)}`

const transaction = (index: number): object => ({
  blockHash: hex(32),
  blockNumber: "0x112a880",
  from: hex(20),
  gas: "0x5208",
  gasPrice: "0x3b9aca00",
  hash: hex(32),
  input: hex(index % 3 === 0 ? 500 : 68),
  nonce: "0x1",
  r: hex(32),
  s: hex(32),
  to: hex(20),
  transactionIndex: "0x1",
  type: "0x2",
  v: "0x1",
  value: "0x0"
})

/** About 300 kB: a block with its transactions. */
const answerText = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  result: { hash: hex(32), transactions: Array.from({ length: 310 }, (_, index) => transaction(index)) }
})
const answer = bytes(answerText)

test("passing an answer of 300 kB on", async ({ bench }) => {
  await bench.compare(
    bench("locate and slice", () => {
      const { result } = Message.locate(answer)!
      Message.successBytes(Message.makeId(7), answer.subarray(result!.start, result!.end))
    }),
    bench("parse and write again", () => {
      const { result } = JSON.parse(new TextDecoder().decode(answer))
      bytes(JSON.stringify({ jsonrpc: "2.0", id: 7, result }))
    }),
    { time: 500 }
  )
})
