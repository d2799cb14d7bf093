import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { JsonRpcClient, JsonRpcError, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
import { Effect, Result, Schema, SchemaGetter } from "effect"

const Tag = Schema.Literals(["latest", "earliest"])

const group = MethodGroup.make(
  Method.make("get", {
    params: [Method.param("number", Schema.NumberFromString), Method.param("tag", Tag, { optional: true })],
    result: Schema.NullOr(Schema.Struct({ list: Schema.Array(Schema.NumberFromString) }))
  }),
  Method.make("strict", { params: [], result: Schema.String })
)

/** A client whose transport answers with the given value, and the calls that the transport received. */
const clientOf = (answer: unknown) => {
  const calls: Array<Transport.Call> = []
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
    type Client = JsonRpcClient.Client<typeof group>
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

  it.effect("says where in the result something is wrong, not what", () =>
    Effect.gen(function* () {
      const { client } = yield* clientOf({ list: ["1", { secret: "hunter2" }] })
      const error = yield* Effect.flip(client.get(1))
      assert(error.reason._tag === "DecodeError")
      assert.deepStrictEqual(error.reason.path, ["list", 1])
      assert.strictEqual(error.message, "get: DecodeError: result.list[1]: Expected string")
      assert.notInclude(JSON.stringify(error), "hunter2")
    })
  )

  it.effect("does not take null where the method does not give it", () =>
    Effect.gen(function* () {
      const { client } = yield* clientOf(null)
      const error = yield* Effect.flip(client.strict())
      assert.strictEqual(error.message, "strict: DecodeError: result: Expected string")
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
      // A program without types can call with anything.
      const get = client.get as (...args: ReadonlyArray<unknown>) => ReturnType<typeof client.get>
      const cases: ReadonlyArray<readonly [ReadonlyArray<unknown>, JsonRpcError.Path]> = [
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
    expectTypeOf<Parameters<JsonRpcClient.Client<typeof between>["m"]>>().toEqualTypeOf<
      [argument: "latest" | "earliest" | undefined, argument: "latest" | "earliest"]
    >()
    const calls: Array<Transport.Call> = []
    const transport = Transport.Transport.of({
      call: (call) => Effect.sync(() => (calls.push(call), null)),
      callAll: () => Effect.succeed([])
    })
    const client = Effect.runSync(Effect.provideService(JsonRpcClient.make(between), Transport.Transport, transport))
    Effect.runSync(client.m(undefined, "latest"))
    assert.deepStrictEqual(calls, [{ method: "m", params: [null, "latest"] }])
  })
})
