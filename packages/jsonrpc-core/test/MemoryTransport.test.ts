import { assert, it } from "@effect/vitest"
import { Dispatcher, MemoryTransport, Transport } from "@plumbline/jsonrpc-core"
import { Context, Effect } from "effect"

import { suite } from "./TransportSuite.ts"

suite("MemoryTransport", MemoryTransport.layer)

it.effect("gives the handlers what the layer was given", () =>
  Effect.gen(function* () {
    class Name extends Context.Service<Name, string>()("test/Name") {}
    const { handle } = Dispatcher.make({
      call: () => Effect.map(Name, (name) => new TextEncoder().encode(JSON.stringify(name)))
    })
    const transport = yield* Effect.provideService(MemoryTransport.make(handle), Name, "plumb")
    assert.strictEqual(yield* transport.call({ method: "name", params: [] }), "plumb")
    assert.isFunction(Transport.Transport.of(transport).callAll)
  })
)
