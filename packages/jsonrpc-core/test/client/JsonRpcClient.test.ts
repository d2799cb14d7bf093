import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { JsonRpcClient, JsonRpcError, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, Result, Schema, SchemaGetter } from "effect"

import * as Scripted from "../support/scripted.ts"

const Tag = Schema.Literals(["latest", "earliest"])

const group = MethodGroup.make(
  Method.make("get", {
    params: [Method.param("number", Schema.NumberFromString), Method.param("tag", Tag, { optional: true })],
    result: Schema.NullOr(Schema.Struct({ list: Schema.Array(Schema.NumberFromString) }))
  }),
  Method.make("strict", { params: [], result: Schema.String })
)

/** Makes a client whose transport answers with the given value and records its calls. */
const clientOf = (answer: unknown) => {
  const calls: Array<Transport.WireCall> = []
  const transport = Transport.Transport.of({
    call: (call) => Effect.sync(() => (calls.push(call), answer)),
    callAll: () => Effect.succeed([])
  })
  return Effect.map(Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport), (client) => ({
    client,
    calls
  }))
}

describe("JsonRpcClient", () => {
  it("has one typed function per method", () => {
    type Client = JsonRpcClient.JsonRpcClient<typeof group>
    expectTypeOf<keyof Client>().toEqualTypeOf<"get" | "strict">()
    expectTypeOf<Parameters<Client["get"]>>().toEqualTypeOf<
      [argument: number, argument?: "latest" | "earliest" | undefined]
    >()
    expectTypeOf<ReturnType<Client["get"]>>().toEqualTypeOf<
      Effect.Effect<{ readonly list: ReadonlyArray<number> } | null, JsonRpcError.JsonRpcError>
    >()
    expectTypeOf(JsonRpcClient.make(group)).toEqualTypeOf<Effect.Effect<Client, never, Transport.Transport>>()
  })

  it.effect("encodes arguments, and leaves out those that are absent", () =>
    Effect.gen(function* () {
      const { client, calls } = yield* clientOf(null)
      yield* client.get(7)
      yield* client.get(7, undefined)
      yield* client.get(7, "latest")
      assert.deepStrictEqual(
        calls.map((call) => call.params),
        [["7"], ["7"], ["7", "latest"]]
      )
    })
  )

  it.effect("decodes results, null among them", () =>
    Effect.gen(function* () {
      const found = yield* clientOf({ list: ["1", "2"], extra: 1 })
      assert.deepStrictEqual(yield* found.client.get(1), { list: [1, 2] })
      const absent = yield* clientOf(null)
      assert.isNull(yield* absent.client.get(1))
    })
  )

  it.effect("completes a result that arrived by the arguments, alone and in a packet, and none that is absent", () =>
    Effect.gen(function* () {
      const completed: Array<unknown> = []
      const named = Method.make("named", {
        params: [Method.param("name", Schema.String)],
        result: Schema.Struct({ name: Schema.String, size: Schema.Number }),
        complete: ([name], result) => (completed.push(result), { name, ...(result as object) })
      })
      let answer: unknown = { size: 1 }
      const transport = Transport.Transport.of({
        call: () => Effect.sync(() => answer),
        callAll: (calls) => Effect.sync(() => calls.map(() => Result.succeed(answer)))
      })
      const client = yield* Effect.provideService(
        JsonRpcClient.make(MethodGroup.make(named)),
        Transport.Transport,
        transport
      )
      assert.deepStrictEqual(yield* client.named("a"), { name: "a", size: 1 })
      assert.deepStrictEqual(yield* JsonRpcClient.all([client.named("b"), client.named("c")]), [
        { name: "b", size: 1 },
        { name: "c", size: 1 }
      ])
      assert.deepStrictEqual(completed, [answer, answer, answer])
      answer = undefined
      assert.strictEqual((yield* Effect.flip(client.named("a"))).reason._tag, "ProtocolError")
      assert.strictEqual((yield* Effect.flip(JsonRpcClient.all([client.named("a")]))).reason._tag, "ProtocolError")
      assert.lengthOf(completed, 3)
    })
  )

  it.effect("says where in the result something is wrong, not what", () =>
    Effect.gen(function* () {
      const { client } = yield* clientOf({ list: ["1", { secret: "hunter2" }] })
      const error = yield* Effect.flip(client.get(1))
      assert(error.reason._tag === "DecodeError")
      assert.deepStrictEqual(error.reason.path, ["list", 1])
      assert.strictEqual(error.message, "get: result.list[1]: Expected string")
      assert.notInclude(JSON.stringify(error), "hunter2")
    })
  )

  it.effect("does not take null where the method does not give it", () =>
    Effect.gen(function* () {
      const { client } = yield* clientOf(null)
      const error = yield* Effect.flip(client.strict())
      assert.strictEqual(error.message, "strict: result: Expected string")
    })
  )

  it.effect("takes a missing result for a fault of the protocol, not for null", () =>
    Effect.gen(function* () {
      const { client } = yield* clientOf(undefined)
      const error = yield* Effect.flip(client.get(1))
      assert.strictEqual(error.reason._tag, "ProtocolError")
    })
  )

  it.effect("refuses arguments that are not the method's, before they travel", () =>
    Effect.gen(function* () {
      const { client, calls } = yield* clientOf(null)
      // A program without types can pass any arguments.
      const get = client.get as (...args: ReadonlyArray<unknown>) => ReturnType<typeof client.get>
      const cases: ReadonlyArray<readonly [ReadonlyArray<unknown>, JsonRpcError.ValuePath]> = [
        [["hunter2"], ["number"]],
        [[], ["number"]],
        [[null], ["number"]],
        [[1, "hunter2"], ["tag"]],
        [[1, "latest", "hunter2"], []]
      ]
      for (const [args, path] of cases) {
        const error = yield* Effect.flip(get(...args))
        assert(error.reason._tag === "EncodeError")
        assert.deepStrictEqual(error.reason.path, path)
        assert.notInclude(JSON.stringify(error), "hunter2")
      }
      assert.deepStrictEqual(calls, [])
    })
  )

  it.effect("passes the transport's failure on", () =>
    Effect.gen(function* () {
      const reason = new JsonRpcError.TransportError({ detail: "HTTP status 503", status: 503, retryable: true })
      const failure = new JsonRpcError.JsonRpcError({ method: "strict", reason })
      const transport = Transport.Transport.of({
        call: () => Effect.fail(failure),
        callAll: () => Effect.succeed([Result.fail(failure)])
      })
      const client = yield* Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
      assert.strictEqual(yield* Effect.flip(client.strict()), failure)
      const recovered = client
        .strict()
        .pipe(Effect.catchReason("JsonRpcError", "TransportError", ({ status }) => Effect.succeed(`status ${status}`)))
      assert.strictEqual(yield* recovered, "status 503")
    })
  )

  it.effect("encodes again each time the call is run", () =>
    Effect.gen(function* () {
      let encoded = 0
      const Counted = Schema.String.pipe(
        Schema.decodeTo(Schema.String, {
          decode: SchemaGetter.transform((text: string) => text),
          encode: SchemaGetter.transform((text: string) => {
            encoded++
            return text
          })
        })
      )
      const counted = MethodGroup.make(
        Method.make("m", { params: [Method.param("text", Counted)], result: Schema.Null })
      )
      const transport = Transport.Transport.of({
        call: () => Effect.succeed(null),
        callAll: () => Effect.succeed([])
      })
      const client = yield* Effect.provideService(JsonRpcClient.make(counted), Transport.Transport, transport)
      const call = client.m("a")
      assert.strictEqual(encoded, 0)
      yield* call
      yield* call
      assert.strictEqual(encoded, 2)
    })
  )

  it("puts null for an absent argument before one that is given", () => {
    const between = MethodGroup.make(
      Method.make("m", {
        params: [Method.param("a", Tag, { optional: true }), Method.param("b", Tag)],
        result: Schema.Null
      })
    )
    expectTypeOf<Parameters<JsonRpcClient.JsonRpcClient<typeof between>["m"]>>().toEqualTypeOf<
      [argument: "latest" | "earliest" | undefined, argument: "latest" | "earliest"]
    >()
    const calls: Array<Transport.WireCall> = []
    const transport = Transport.Transport.of({
      call: (call) => Effect.sync(() => (calls.push(call), null)),
      callAll: () => Effect.succeed([])
    })
    const client = Effect.runSync(Effect.provideService(JsonRpcClient.make(between), Transport.Transport, transport))
    Effect.runSync(client.m(undefined, "latest"))
    assert.deepStrictEqual(calls, [{ method: "m", params: [null, "latest"] }])
  })
})

describe("JsonRpcClient.all", () => {
  const numbers = MethodGroup.make(
    Method.make("next", { params: [Method.param("n", Schema.NumberFromString)], result: Schema.NumberFromString }),
    Method.make("name", { params: [], result: Schema.String })
  )
  const clientOver = (transport: Transport.Transport["Service"]) =>
    Effect.provideService(JsonRpcClient.make(numbers), Transport.Transport, transport)

  const node = () =>
    Scripted.make(({ method, params: [n] }) => {
      if (method === "name") return Effect.succeed("node")
      return n === "13" ? Effect.fail(Scripted.reverted()) : Effect.succeed(n === "0" ? 1 : `${Number(n) + 1}`)
    })
  const sizes = ({ packets }: Scripted.Scripted) => packets.map(({ calls, together }) => (together ? calls.length : 1))

  it.effect("sends calls of one client as one packet, and gives their results in order, typed", () =>
    Effect.gen(function* () {
      const scripted = node()
      const { name, next } = yield* clientOver(scripted.transport)
      const results = yield* JsonRpcClient.all([next(1), name(), next(2)])
      expectTypeOf(results).toEqualTypeOf<[number, string, number]>()
      assert.deepStrictEqual(results, [2, "node", 3])
      assert.deepStrictEqual(sizes(scripted), [3])
      assert.deepStrictEqual(yield* JsonRpcClient.all([4, 5].map((n) => next(n))), [5, 6])
      assert.deepStrictEqual(sizes(scripted), [3, 2])
    })
  )

  it.effect("sends nothing for no calls", () =>
    Effect.gen(function* () {
      const scripted = node()
      assert.deepStrictEqual(yield* JsonRpcClient.all([]), [])
      assert.deepStrictEqual(scripted.packets, [])
    })
  )

  it.effect("sends the calls again each time it is run", () =>
    Effect.gen(function* () {
      const scripted = node()
      const { next } = yield* clientOver(scripted.transport)
      const both = JsonRpcClient.all([next(1), next(2)])
      assert.deepStrictEqual(
        [yield* both, yield* both],
        [
          [2, 3],
          [2, 3]
        ]
      )
      assert.deepStrictEqual(sizes(scripted), [2, 2])
    })
  )

  it.effect("fails with the error of the first call of the list that failed", () =>
    Effect.gen(function* () {
      const { next } = yield* clientOver(node().transport)
      const error = (...numbers: ReadonlyArray<number>) =>
        Effect.map(Effect.flip(JsonRpcClient.all(numbers.map((n) => next(n)))), ({ message }) => message)
      assert.strictEqual(yield* error(1, 13, 0), "next: execution reverted (code 3)")
      assert.include(yield* error(1, 0, 13), "next: result:")
    })
  )

  it.effect("sends nothing if an argument is invalid", () =>
    Effect.gen(function* () {
      const scripted = node()
      const { next } = yield* clientOver(scripted.transport)
      const error = yield* Effect.flip(JsonRpcClient.all([next(1), next("2" as never)]))
      assert.strictEqual(error.message, "next: params.n: Expected number")
      assert.deepStrictEqual(scripted.packets, [])
    })
  )

  it.effect("fails a call for which the transport gives no outcome", () =>
    Effect.gen(function* () {
      const { next } = yield* clientOver({ call: () => Effect.never, callAll: () => Effect.succeed([]) })
      const error = yield* Effect.flip(JsonRpcClient.all([next(1)]))
      assert.strictEqual(error.reason._tag, "ProtocolError")
    })
  )

  it.effect("runs other effects, and calls of other clients, at the same time", () =>
    Effect.gen(function* () {
      const [first, second] = [node(), node()]
      const one = yield* clientOver(first.transport)
      const two = yield* clientOver(second.transport)
      const gate = yield* Deferred.make<number>()
      const fiber = yield* Effect.forkChild(
        JsonRpcClient.all([
          Deferred.await(gate),
          one.next(1),
          two.next(2),
          Effect.map(one.next(3), (n) => -n),
          one.next(4)
        ]),
        { startImmediately: true }
      )
      assert.deepStrictEqual([sizes(first), sizes(second)], [[2, 1], [1]])
      yield* Deferred.succeed(gate, 0)
      assert.deepStrictEqual(yield* Fiber.join(fiber), [0, 2, 3, -4, 5])
    })
  )

  it.effect("interrupts the packet when it is interrupted", () =>
    Effect.gen(function* () {
      const scripted = Scripted.make(() => Effect.never)
      const { next } = yield* clientOver(scripted.transport)
      const fiber = yield* Effect.forkChild(JsonRpcClient.all([next(1), next(2)]), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(scripted.count, { inFlight: 0, interrupted: 1 })
    })
  )
})
