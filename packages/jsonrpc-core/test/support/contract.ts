/** A small method group and its handlers, for tests that need both ends. */
import { JsonRpcServer, ErrorObject, Method, MethodGroup } from "@plumbline/jsonrpc-core"
import { Effect, Schema } from "effect"

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
  Method.make("fail_with_bigint", { params: [], result: text }),
  Method.make("die", { params: [], result: text }),
  Method.make("bad_result", { params: [], result: Schema.NonEmptyString }),
  Method.make("hang", { params: [], result: text })
)

/** A text that must never reach a caller. */
export const SECRET = "hunter2-in-the-handler"

export const handlers: JsonRpcServer.Handlers<typeof group, never> = {
  ping: () => Effect.succeed("pong"),
  echo: (value) => Effect.succeed(value),
  subtract: (minuend, subtrahend) => Effect.succeed(minuend - subtrahend),
  sum: (a, b, c) => Effect.succeed(a + b + c),
  get_data: () => Effect.succeed(["hello", 5]),
  describe: (first, second, third) =>
    Effect.succeed([first, second ?? "nothing", third ?? "nothing"].map(String).join(", ")),
  fail: () => Effect.fail(ErrorObject.make(-32005, undefined, { see: "docs" })),
  fail_with_bigint: () => Effect.fail(ErrorObject.make(-32000, 'with "quotes"', 1n)),
  die: () => Effect.die(new Error(SECRET)),
  bad_result: () => Effect.succeed(""),
  hang: () => Effect.never
}

/** A server of the group that keeps quiet about defects. */
export const makeServer = (options?: JsonRpcServer.Options<never>) =>
  JsonRpcServer.make(group, handlers, { onDefect: () => Effect.void, ...options })
