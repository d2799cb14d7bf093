import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { JsonRpcClient, type JsonRpcError, Method, Subscription, Subscriptions } from "@plumbline/jsonrpc-core"
import { Effect, Schema, SchemaGetter, Stream } from "effect"

const logs = Subscription.make("eth", "logs", {
  params: [Method.param("from", Schema.NumberFromString), Method.param("topic", Schema.String, { optional: true })],
  item: Schema.Struct({ data: Schema.Array(Schema.NumberFromString) })
})

/** Makes a client that receives these events, and records its requests. */
const clientOf = (events: ReadonlyArray<Subscription.SubscriptionEvent<unknown>>) => {
  const requests: Array<Subscriptions.SubscriptionRequest> = []
  const service = Subscriptions.Subscriptions.of({
    subscribe: (request) => {
      requests.push(request)
      return Stream.fromIterable(events)
    }
  })
  return Effect.map(
    Effect.provideService(JsonRpcClient.subscribe(logs), Subscriptions.Subscriptions, service),
    (subscribe) => ({ requests, subscribe })
  )
}

const item = (...data: ReadonlyArray<unknown>): Subscription.SubscriptionEvent<unknown> => ({
  _tag: "Item",
  value: { data }
})

describe("JsonRpcClient.subscribe", () => {
  it("gives a typed function", () => {
    type Item = { readonly data: ReadonlyArray<number> }
    expectTypeOf(JsonRpcClient.subscribe(logs)).toEqualTypeOf<
      Effect.Effect<
        (
          ...args: [argument: number, argument?: string | undefined]
        ) => Stream.Stream<Subscription.SubscriptionEvent<Item>, JsonRpcError.JsonRpcError>,
        never,
        Subscriptions.Subscriptions
      >
    >()
  })

  it.effect("encodes arguments, decodes items, and passes gaps on", () =>
    Effect.gen(function* () {
      const reconnected = { _tag: "Gap", cause: "reconnected" } as const
      const overflow = { _tag: "Gap", cause: "overflow", missed: 3 } as const
      const { requests, subscribe } = yield* clientOf([item("1", "2"), reconnected, item(), overflow])
      assert.deepStrictEqual(yield* Stream.runCollect(subscribe(7, "a")), [
        { _tag: "Item", value: { data: [1, 2] } },
        reconnected,
        { _tag: "Item", value: { data: [] } },
        overflow
      ])
      yield* Stream.runDrain(subscribe(8))
      assert.deepStrictEqual(requests, [
        { wire: logs.wire, params: ["7", "a"] },
        { wire: logs.wire, params: ["8"] }
      ])
    })
  )

  it.effect("fails at an item that is none, after those before it, and says where it is wrong, not what", () =>
    Effect.gen(function* () {
      const { subscribe } = yield* clientOf([item("1"), item("2", { secret: "hunter2" }), item("3")])
      const seen: Array<unknown> = []
      const error = yield* Effect.flip(
        Stream.runForEach(subscribe(7), (event) => Effect.sync(() => void seen.push(event)))
      )
      assert.deepStrictEqual(seen, [{ _tag: "Item", value: { data: [1] } }])
      assert(error.reason._tag === "DecodeError")
      assert.deepStrictEqual(error.reason.path, ["data", 1])
      assert.strictEqual(error.message, "eth_subscription: result.data[1]: Expected string")
      assert.notInclude(JSON.stringify(error), "hunter2")
    })
  )

  it.effect("refuses arguments that are not the subscription's before they travel", () =>
    Effect.gen(function* () {
      const { requests, subscribe } = yield* clientOf([])
      // A program without types can pass any arguments.
      const untyped = subscribe as (...args: ReadonlyArray<unknown>) => ReturnType<typeof subscribe>
      for (const [args, path] of [
        [["hunter2"], ["from"]],
        [[], ["from"]],
        [[1, 2], ["topic"]],
        [[1, "a", "hunter2"], []]
      ] as const) {
        const error = yield* Effect.flip(Stream.runDrain(untyped(...args)))
        assert(error.reason._tag === "EncodeError")
        assert.strictEqual(error.method, "eth_subscribe")
        assert.deepStrictEqual(error.reason.path, path)
        assert.notInclude(JSON.stringify(error), "hunter2")
      }
      assert.deepStrictEqual(requests, [])
    })
  )

  it.effect("encodes again each time the stream is run", () =>
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
      const counted = Subscription.make("eth", "counted", {
        params: [Method.param("text", Counted)],
        item: Schema.Unknown
      })
      const service = Subscriptions.Subscriptions.of({ subscribe: () => Stream.empty })
      const subscribe = yield* Effect.provideService(
        JsonRpcClient.subscribe(counted),
        Subscriptions.Subscriptions,
        service
      )
      const stream = subscribe("a")
      assert.strictEqual(encoded, 0)
      yield* Stream.runDrain(stream)
      yield* Stream.runDrain(stream)
      assert.strictEqual(encoded, 2)
    })
  )
})
