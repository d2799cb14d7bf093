/**
 * Defines a method as a value, serves it, and calls it. Runs in the browser's realm, and from the packed packages in a
 * rehearsal.
 */
import {
  HttpTransport,
  JsonRpcClient,
  JsonRpcServer,
  MemoryTransport,
  Method,
  MethodGroup,
  Subscription
} from "@plumbline/jsonrpc-core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import { expectSame } from "./expect.ts"

const group = MethodGroup.make(
  Method.make("subtract", {
    params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
    result: Schema.Number
  })
)

const countdown = Subscription.make("test", "countdown", {
  params: [Method.param("from", Schema.Int)],
  item: Schema.Int
})

export const run = async (): Promise<string> => {
  const server = JsonRpcServer.make(
    group,
    { subtract: (a, b) => Effect.succeed(a - b) },
    { subscriptions: [JsonRpcServer.source(countdown, (from) => Effect.succeed(Stream.make(from, from - 1)))] }
  )
  const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.subtract(42, 23))

  const inMemory = Effect.provide(program, MemoryTransport.layer(server))
  expectSame("over memory", await Effect.runPromise(inMemory), 19)

  const reading = Effect.flatMap(JsonRpcClient.subscribe(countdown), (subscribe) =>
    Stream.runCollect(Stream.take(subscribe(7), 2))
  )
  const events = await Effect.runPromise(Effect.provide(reading, MemoryTransport.layer(server)))
  expectSame("a subscription", JSON.stringify(events.map((event) => event._tag === "Item" && event.value)), "[7,6]")

  const node: typeof fetch = async (url, init) => {
    const answer = await Effect.runPromise(server.handle(await new Request(url, init).text()))
    return new Response(new TextDecoder().decode(answer), { headers: { "content-type": "application/json" } })
  }
  const overHttp = HttpTransport.layer({ url: "https://node.example/v3/key", timeout: "5 seconds", fetch: node })
  expectSame("over HTTP", await Effect.runPromise(Effect.provide(program, overHttp)), 19)

  const broken = HttpTransport.layer({
    url: "https://node.example/v3/key",
    fetch: () => Promise.reject(new TypeError("failed"))
  })
  const error = await Effect.runPromise(Effect.flip(Effect.provide(program, broken)))
  expectSame("a connection that fails", error.reason._tag, "TransportError")
  return "a call and a subscription over memory, one call over fetch, one that failed as it should"
}
