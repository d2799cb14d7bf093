/** A small method group, its handlers and some subscriptions, for tests that need a client and a server. */
import { JsonRpcServer, ErrorObject, Method, MethodGroup, Subscription } from "@plumbline/jsonrpc-core"
import { Effect, Latch, Schema, Stream } from "effect"

const number = Schema.Number
const text = Schema.String

export const group = MethodGroup.make(
  Method.make("ping", { params: [], result: text }),
  Method.make("echo", { params: [Method.param("value", Schema.Unknown)], result: Schema.Unknown }),
  Method.make("subtract", {
    params: [Method.param("minuend", number), Method.param("subtrahend", number)],
    result: number
  }),
  Method.make("sum", {
    params: [Method.param("a", number), Method.param("b", number), Method.param("c", number)],
    result: number
  }),
  Method.make("get_data", { params: [], result: Schema.Tuple([text, number]) }),
  Method.make("describe", {
    params: [
      Method.param("first", text),
      Method.param("second", Schema.NumberFromString, { optional: true }),
      Method.param("third", Schema.NumberFromString, { optional: true })
    ],
    result: text
  }),
  Method.make("fail", { params: [], result: text }),
  Method.make("fail_with", { params: [Method.param("code", Schema.Int)], result: text }),
  Method.make("fail_with_bigint", { params: [], result: text }),
  Method.make("die", { params: [], result: text }),
  Method.make("bad_result", { params: [], result: Schema.NonEmptyString }),
  Method.make("hang", { params: [], result: text }),
  Method.make("wait", { params: [Method.param("name", text)], result: text }),
  Method.make("release", { params: [Method.param("name", text)], result: Schema.Boolean })
)

/** A text that must never reach a caller. */
export const SECRET = "hunter2-in-the-handler"

/** Makes handlers of the group. `wait` waits until `release` is called with the same name. */
export const makeHandlers = (): JsonRpcServer.Handlers<typeof group, never> => {
  const latches = new Map<string, Latch.Latch>()
  const latch = (name: string): Latch.Latch => {
    const known = latches.get(name) ?? Latch.makeUnsafe()
    latches.set(name, known)
    return known
  }
  return {
    ...stateless,
    wait: (name) => Effect.as(latch(name).await, name),
    release: (name) => latch(name).open
  }
}

const stateless: Omit<JsonRpcServer.Handlers<typeof group, never>, "wait" | "release"> = {
  ping: () => Effect.succeed("pong"),
  echo: (value) => Effect.succeed(value),
  subtract: (minuend, subtrahend) => Effect.succeed(minuend - subtrahend),
  sum: (a, b, c) => Effect.succeed(a + b + c),
  get_data: () => Effect.succeed(["hello", 5]),
  describe: (first, second, third) =>
    Effect.succeed([first, second ?? "nothing", third ?? "nothing"].map(String).join(", ")),
  fail: () => Effect.fail(ErrorObject.make(-32005, undefined, { see: "docs" })),
  fail_with: (code) => Effect.fail(ErrorObject.make(code)),
  fail_with_bigint: () => Effect.fail(ErrorObject.make(-32000, 'with "quotes"', 1n)),
  die: () => Effect.die(new Error(SECRET)),
  bad_result: () => Effect.succeed(""),
  hang: () => Effect.never
}

const none = { params: [], item: text } as const

/**
 * `numbers` counts from 1 to its argument and then stays silent; `short` ends after one item; `refused` is refused; the
 * source of `dying` dies.
 */
export const subscriptions = {
  numbers: Subscription.make("eth", "numbers", {
    params: [Method.param("to", Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })))],
    item: Schema.BigIntFromString
  }),
  silence: Subscription.make("eth", "silence", none),
  short: Subscription.make("eth", "short", none),
  refused: Subscription.make("eth", "refused", none),
  dying: Subscription.make("eth", "dying", none)
}

const sources = [
  JsonRpcServer.source(subscriptions.numbers, (to) =>
    Effect.succeed(Stream.concat(Stream.map(Stream.range(1, to), BigInt), Stream.never))
  ),
  JsonRpcServer.source(subscriptions.silence, () => Effect.succeed(Stream.never)),
  JsonRpcServer.source(subscriptions.short, () => Effect.succeed(Stream.make("all"))),
  JsonRpcServer.source(subscriptions.refused, () => Effect.fail(ErrorObject.make(-32005))),
  JsonRpcServer.source(subscriptions.dying, () => Effect.succeed(Stream.die(new Error(SECRET))))
]

/** Makes a server of the group. It logs no defects. */
export const makeServer = (options?: JsonRpcServer.JsonRpcServerOptions<never>) =>
  JsonRpcServer.make(group, makeHandlers(), { onDefect: () => Effect.void, subscriptions: sources, ...options })
