/**
 * A typed client of a method group: domain values in, domain values out.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"

import * as Codecs from "./internal/codecs.ts"
import { DecodeError, EncodeError, JsonRpcError, ProtocolError } from "./JsonRpcError.ts"
import type * as Method from "./Method.ts"
import type * as MethodGroup from "./MethodGroup.ts"
import { Transport } from "./Transport.ts"

/** One function per method. Optional trailing parameters may be left out. */
export type Client<G extends MethodGroup.Any> = {
  readonly [N in keyof G["methods"]]: (
    ...args: Method.Args<G["methods"][N]>
  ) => Effect.Effect<Method.Result<G["methods"][N]>, JsonRpcError>
}

/**
 * A client of a group over the transport in the context.
 *
 * Arguments are encoded with their schemas (`EncodeError`), results decoded with theirs (`DecodeError`, with the path to
 * what is wrong). A result of `null` is a value like any other: whether it is one of the method's, its schema says.
 *
 * ```ts import.meta.vitest
 * import { JsonRpcClient, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(
 *   Method.make("next", {
 *     params: [Method.param("number", Schema.NumberFromString)],
 *     result: Schema.NullOr(Schema.NumberFromString)
 *   })
 * )
 * const transport = Transport.Transport.of({
 *   call: ({ params }) => Effect.succeed(params[0] === "9" ? null : `${Number(params[0]) + 1}`),
 *   callAll: () => Effect.succeed([])
 * })
 * const client = await Effect.runPromise(
 *   Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
 * )
 * await Effect.runPromise(client.next(7)) // => 8
 * await Effect.runPromise(client.next(9)) // => null
 * ```
 */
export const make = <G extends MethodGroup.Any>(group: G): Effect.Effect<Client<G>, never, Transport> =>
  Effect.map(Transport, (transport) => {
    const client: Record<string, CallFunction> = Object.create(null)
    for (const method of Object.values(group.methods)) {
      client[method.name] = makeCall(transport, method)
    }
    return client as Client<G>
  })

type CallFunction = (...args: ReadonlyArray<unknown>) => Effect.Effect<any, JsonRpcError>

const makeCall = (transport: Transport["Service"], method: Method.Any): CallFunction => {
  const codec = Codecs.of(method)
  const fail = (reason: JsonRpcError["reason"]): Effect.Effect<never, JsonRpcError> =>
    Effect.fail(new JsonRpcError({ method: method.name, reason }))

  const decode = (result: unknown): Effect.Effect<unknown, JsonRpcError> => {
    if (result === undefined) {
      return fail(new ProtocolError({ detail: "the answer has no result and no error" }))
    }
    const decoded = codec.decodeResult(result)
    return Result.isSuccess(decoded)
      ? Effect.succeed(decoded.success)
      : fail(new DecodeError(Codecs.firstIssue(decoded.failure)))
  }

  return (...args) =>
    Effect.suspend(() => {
      const params = encodeArgs(codec, args)
      return Result.isSuccess(params)
        ? Effect.flatMap(transport.call({ method: method.name, params: params.success }), decode)
        : fail(params.failure)
    })
}

/** Wire parameters. An absent argument is left out at the end, and `null` in between. */
const encodeArgs = (
  codec: Codecs.MethodCodec,
  args: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, EncodeError> => {
  if (args.length > codec.params.length) {
    return Result.fail(new EncodeError({ path: [], detail: `too many arguments, want at most ${codec.params.length}` }))
  }
  const params: Array<unknown> = []
  let length = 0
  for (const [index, param] of codec.params.entries()) {
    const arg = args[index]
    if (arg === undefined && param.optional) {
      params.push(null)
      continue
    }
    const encoded = param.encode(arg)
    if (Result.isFailure(encoded)) {
      return Result.fail(encodeError(param.name, encoded.failure))
    }
    params.push(encoded.success)
    length = params.length
  }
  params.length = length
  return Result.succeed(params)
}

const encodeError = (name: string, issue: SchemaIssue.Issue): EncodeError => {
  const { path, detail } = Codecs.firstIssue(issue)
  return new EncodeError({ path: [name, ...path], detail })
}
