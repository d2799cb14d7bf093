/** Checks the arguments of a client's reads before they are made. */
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as EthMethod from "../methods/EthMethod.ts"
import * as EthMethods from "../methods/EthMethods.ts"

/** The method parameter that a client's read takes among its options. */
const FULL = "transactionDetails"

/** A read takes the parameters of its method, and options after them. */
type Read = (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

export const checked = <C extends object>(client: C): C => {
  const made = client as Readonly<Record<string, unknown>>
  const reads = EthMethods.reads((method) => {
    const read = made[method.read]
    return typeof read === "function" ? checkedRead(method, read as Read) : undefined
  })
  return { ...client, ...reads }
}

const checkedRead = (method: EthMethod.AnyEthMethod, read: Read): Read => {
  const isOfBlock = method.params.some(({ name }) => name === FULL)
  // nodes get storage keys with 32 bytes, and so do the checks of proofs
  const keys = method.params.findIndex(({ names }) => names === "slots" || names === "slotsByAccount")
  const check = (args: ReadonlyArray<unknown>): Result.Result<ReadonlyArray<unknown>, JsonRpcError> => {
    const wire = JsonRpcClient.encodeParams(method, isOfBlock ? [args[0], false] : EthMethod.withDefaults(method, args))
    if (keys === -1 || Result.isFailure(wire)) return Result.map(wire, () => args)
    return Result.succeed(args.map((arg, at) => (at === keys ? wire.success[at] : arg)))
  }
  return (...args) =>
    Effect.suspend(() => {
      const outcome = check(args)
      return Result.isSuccess(outcome) ? read(...outcome.success) : Effect.fail(outcome.failure)
    })
}
