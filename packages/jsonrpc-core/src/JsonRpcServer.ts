/**
 * A server of a method group: handlers take and give domain values, the wire is checked for them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"

import * as Dispatcher from "./Dispatcher.ts"
import * as ErrorObject from "./ErrorObject.ts"
import * as Codecs from "./internal/codecs.ts"
import type * as Method from "./Method.ts"
import type * as MethodGroup from "./MethodGroup.ts"

/** One handler per method of a group. It fails with the error object to answer. */
export type Handlers<G extends MethodGroup.Any, R> = {
  readonly [N in keyof G["methods"]]: (
    ...args: Method.Args<G["methods"][N]>
  ) => Effect.Effect<Method.Result<G["methods"][N]>, ErrorObject.ErrorObject, R>
}

/** Bounds, and the hook for defects. */
export type Options<RD> = Pick<Dispatcher.Options<never, RD>, "limits" | "onDefect">

/** What the handlers of a table need. */
export type Services<H> = H[keyof H] extends (...args: any) => Effect.Effect<any, any, infer R> ? R : never

/**
 * A dispatcher over typed handlers.
 *
 * An unknown method is answered with -32601, bad parameters with -32602 (see `checkParams`). A result that its schema
 * cannot encode is a mistake of the handler: -32603, and the hook for defects hears of it.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("subtract", {
 *     params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
 *     result: Schema.Number
 *   })
 * )
 * const server = JsonRpcServer.make(group, { subtract: (a, b) => Effect.succeed(a - b) })
 * const answer = await Effect.runPromise(server.handle('{"jsonrpc":"2.0","id":1,"method":"subtract","params":[42,23]}'))
 * new TextDecoder().decode(answer) // => '{"jsonrpc":"2.0","id":1,"result":19}'
 * ```
 */
export const make = <G extends MethodGroup.Any, const H extends Handlers<G, any>, RD = never>(
  group: G,
  handlers: H,
  options?: Options<RD>
): Dispatcher.Dispatcher<Services<H> | RD> =>
  Dispatcher.make<Services<H>, RD>({
    limits: options?.limits,
    onDefect: options?.onDefect,
    call: ({ method: name, params }) => {
      const method = group.get(name)
      if (method === undefined) {
        return Effect.fail(ErrorObject.methodNotFound(name))
      }
      const args = decodeParams(method, params)
      if (Result.isFailure(args)) {
        return Effect.fail(args.failure)
      }
      const handler: AnyHandler<Services<H>> = handlers[name]!
      return Effect.map(handler(...args.success), (result) => encodeResult(method, result))
    }
  })

/**
 * Checks the parameters of a call and gives them in canonical form: positional, decoded and encoded again, without
 * trailing arguments that are absent.
 *
 * Parameters come by position or by name, as JSON values; `undefined` and `null` are no parameters. `null` for an
 * optional parameter means that it is absent, unless its schema takes `null`. The error is -32602, in geth's words; it
 * never holds the value that was wrong.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcServer, Method } from "@plumbline/jsonrpc-core"
 * import { Result, Schema } from "effect"
 *
 * const method = Method.make("subtract", {
 *   params: [Method.param("minuend", Schema.Number), Method.param("subtrahend", Schema.Number)],
 *   result: Schema.Number
 * })
 * JsonRpcServer.checkParams(method, { subtrahend: 23, minuend: 42 }) // => Result.succeed([42, 23])
 * const wrong = JsonRpcServer.checkParams(method, [42])
 * wrong // => Result.fail({ code: -32602, message: "missing value for required argument 1" })
 * ```
 */
export const checkParams = (
  method: Method.Any,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> =>
  Result.flatMap(decodeParams(method, params), (args) => {
    const { params: codecs } = Codecs.of(method)
    const wire: Array<unknown> = []
    for (let index = 0; index < args.length; index++) {
      if (args[index] === undefined) {
        wire.push(null)
        continue
      }
      const encoded = codecs[index]!.encode(args[index])
      if (Result.isFailure(encoded)) {
        return Result.fail(invalidArgument(index, encoded.failure))
      }
      wire.push(encoded.success)
    }
    return Result.succeed(wire)
  })

type AnyHandler<R> = (...args: ReadonlyArray<any>) => Effect.Effect<unknown, ErrorObject.ErrorObject, R>

const encoder = /* @__PURE__ */ new TextEncoder()

const encodeResult = (method: Method.Any, result: unknown): Uint8Array => {
  const encoded = Codecs.of(method).encodeResult(result)
  if (Result.isFailure(encoded)) {
    const { path, detail } = Codecs.firstIssue(encoded.failure)
    throw new Error(`the handler of ${method.name} gave a result that is not its schema's: ${path.join(".")} ${detail}`)
  }
  return encoder.encode(JSON.stringify(encoded.success) ?? "null")
}

/** The arguments as domain values; `undefined` stands for an optional one that is absent. */
const decodeParams = (
  method: Method.Any,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  const codec = Codecs.of(method)
  const positional = toPositional(codec, params)
  if (Result.isFailure(positional)) {
    return Result.fail(positional.failure)
  }
  const values = positional.success
  if (values.length > codec.params.length) {
    return Result.fail(ErrorObject.invalidParams(`too many arguments, want at most ${codec.params.length}`))
  }
  const args: Array<unknown> = []
  let length = 0
  for (const [index, param] of codec.params.entries()) {
    const value = values[index]
    const decoded = value === undefined ? undefined : param.decode(value)
    if (decoded !== undefined && Result.isSuccess(decoded)) {
      args.push(decoded.success)
      length = args.length
    } else if (decoded !== undefined && value !== null) {
      return Result.fail(invalidArgument(index, decoded.failure))
    } else if (param.optional) {
      args.push(undefined)
    } else {
      return Result.fail(ErrorObject.invalidParams(`missing value for required argument ${index}`))
    }
  }
  args.length = length
  return Result.succeed(args)
}

const toPositional = (
  codec: Codecs.MethodCodec,
  params: unknown
): Result.Result<ReadonlyArray<unknown>, ErrorObject.ErrorObject> => {
  if (params === undefined || params === null) {
    return Result.succeed([])
  }
  if (Array.isArray(params)) {
    return Result.succeed(params)
  }
  if (typeof params !== "object") {
    return Result.fail(ErrorObject.invalidParams("non-array args"))
  }
  const byName = new Map<string, unknown>(Object.entries(params))
  for (const name of byName.keys()) {
    if (!codec.names.has(name)) {
      const known = [...codec.names].join(", ")
      return Result.fail(ErrorObject.invalidParams(`unknown parameter name, want ${known === "" ? "none" : known}`))
    }
  }
  return Result.succeed(codec.params.map((param) => byName.get(param.name)))
}

const invalidArgument = (index: number, issue: SchemaIssue.Issue): ErrorObject.ErrorObject => {
  const { path, detail } = Codecs.firstIssue(issue)
  const where = path.length === 0 ? "" : `${path.join(".")}: `
  return ErrorObject.invalidParams(`invalid argument ${index}: ${where}${detail}`)
}
