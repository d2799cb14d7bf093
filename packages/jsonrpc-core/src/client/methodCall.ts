/** Calls of methods as effects that can also be sent together. */
import * as Effect from "effect/Effect"
import * as Effectable from "effect/Effectable"
import * as Result from "effect/Result"
import type * as SchemaIssue from "effect/SchemaIssue"

import { DecodeError, EncodeError, JsonRpcError, ProtocolError, type Reason } from "../error/JsonRpcError.ts"
import type * as Method from "../method/Method.ts"
import * as MethodCodecs from "../method/methodCodecs.ts"
import * as CallSpan from "../transport/callSpan.ts"
import * as Traceparent from "../transport/Traceparent.ts"
import type { WireCall, Transport } from "../transport/Transport.ts"

/** A method over a transport. */
export interface BoundMethod {
  readonly transport: Transport["Service"]
  readonly method: Method.Any
  readonly codec: MethodCodecs.MethodCodec
}

export const over = (transport: Transport["Service"], method: Method.Any): BoundMethod => ({
  transport,
  method,
  codec: MethodCodecs.of(method)
})

/**
 * A call with its arguments. As an effect it encodes them, sends the call, and decodes the result.
 *
 * It is a class of effects and not `Effect.suspend`, so that {@link all} can take the call out of the effect.
 */
export class MethodCall extends Effectable.Class<unknown, JsonRpcError> {
  readonly over: BoundMethod
  readonly args: ReadonlyArray<unknown>

  constructor(over: BoundMethod, args: ReadonlyArray<unknown>) {
    super()
    this.over = over
    this.args = args
  }

  override asEffect(): Effect.Effect<unknown, JsonRpcError> {
    const { method, transport } = this.over
    const call = encode(this)
    if (Result.isFailure(call)) return Effect.fail(call.failure)
    const sent = call.success
    const work = Effect.flatMap(transport.call(sent), (result) =>
      Effect.fromResult(decodeResult(this.over, sent, result))
    )
    return Effect.withFiber((fiber) =>
      Traceparent.isTraced(fiber)
        ? CallSpan.inSpan(method.name, attributesOf(method), work, CallSpan.concludeCall)
        : work
    )
  }
}

/** Sends calls over one transport as one packet, and returns their results in order. */
export const all = (calls: ReadonlyArray<MethodCall>): Effect.Effect<Array<unknown>, JsonRpcError> =>
  Effect.suspend(() => {
    const first = calls[0]
    if (first === undefined) return Effect.succeed([])
    const sent: Array<WireCall> = []
    for (const each of calls) {
      const call = encode(each)
      if (Result.isFailure(call)) return Effect.fail(call.failure)
      sent.push(call.success)
    }
    const packet = first.over.transport.callAll(sent)
    const traced = Effect.withFiber((fiber) =>
      Traceparent.isTraced(fiber)
        ? CallSpan.inSpan(
            CallSpan.SYSTEM,
            { ...COMMON, "jsonrpc.batch.size": sent.length },
            packet,
            CallSpan.concludePacket
          )
        : packet
    )
    return Effect.flatMap(traced, (outcomes) => {
      const results: Array<unknown> = []
      for (let index = 0; index < calls.length; index++) {
        const outcome = outcomes[index]
        const result =
          outcome === undefined || Result.isSuccess(outcome)
            ? decodeResult(calls[index]!.over, sent[index]!, outcome?.success)
            : outcome
        if (Result.isFailure(result)) return Effect.fail(result.failure)
        results.push(result.success)
      }
      return Effect.succeed(results)
    })
  })

const COMMON = { "rpc.system.name": CallSpan.SYSTEM, ...CallSpan.VERSION }

const attributesOf = ({ name }: Method.Any) => ({ ...COMMON, "rpc.method": name })

const encode = ({ args, over: { codec, method } }: MethodCall): Result.Result<WireCall, JsonRpcError> => {
  const params = encodeArgs(codec, args)
  return Result.isSuccess(params) ? Result.succeed(toCall(method, params.success)) : failure(method, params.failure)
}

const toCall = (method: Method.Any, params: ReadonlyArray<unknown>): WireCall =>
  method.idempotent ? { method: method.name, params } : { method: method.name, params, idempotent: false }

const decodeResult = (
  { codec, method }: BoundMethod,
  { params }: WireCall,
  result: unknown
): Result.Result<unknown, JsonRpcError> => {
  if (result === undefined) {
    return failure(method, new ProtocolError({ detail: "the answer has no result and no error" }))
  }
  const decoded = codec.decodeResult(method.complete === undefined ? result : method.complete(params, result))
  return Result.isSuccess(decoded)
    ? Result.succeed(decoded.success)
    : failure(method, new DecodeError(MethodCodecs.firstIssue(decoded.failure)))
}

const failure = (method: Method.Any, reason: Reason): Result.Result<never, JsonRpcError> =>
  Result.fail(new JsonRpcError({ method: method.name, reason }))

/** Returns the wire parameters. An absent argument is omitted at the end of the list and is `null` elsewhere. */
export const encodeArgs = (
  codec: MethodCodecs.MethodCodec,
  args: ReadonlyArray<unknown>
): Result.Result<ReadonlyArray<unknown>, EncodeError> => {
  if (args.length > codec.params.length) {
    return Result.fail(new EncodeError({ path: [], detail: `too many arguments, want at most ${codec.params.length}` }))
  }
  const params: Array<unknown> = []
  let length = 0
  // A plain loop: an iterator of entries costs as much as encoding an argument.
  for (let index = 0; index < codec.params.length; index++) {
    const param = codec.params[index]!
    const arg = args[index]
    if (arg === undefined && param.optional) {
      params.push(null)
      continue
    }
    const encoded = param.encode(arg)
    if (Result.isFailure(encoded)) {
      return Result.fail(encodeError(param.name, encoded.failure))
    }
    const fault = param.check?.(arg)
    if (fault !== undefined) {
      return Result.fail(new EncodeError({ path: [param.name, ...fault.path], detail: fault.detail }))
    }
    params.push(encoded.success)
    length = params.length
  }
  // Setting the length of an array costs as much as encoding an argument, even if the length stays the same.
  while (params.length > length) params.pop()
  return Result.succeed(params)
}

const encodeError = (name: string, issue: SchemaIssue.Issue): EncodeError => {
  const { path, detail } = MethodCodecs.firstIssue(issue)
  return new EncodeError({ path: [name, ...path], detail })
}
