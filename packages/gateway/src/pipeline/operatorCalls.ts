/**
 * Runs an operator's JSON-RPC calls outside the pipeline. Only calls that change nothing on the chain are run. They
 * belong to no project, so they are neither metered nor limited here. The caller of this module limits their number.
 */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"

import * as Redaction from "../errors/Redaction.ts"
import type { Network } from "../networks/Network.ts"
import { UpstreamError } from "../networks/UpstreamError.ts"
import * as CallCheck from "./CallCheck.ts"
import * as NodeFaults from "./nodeFaults.ts"
import type { CurrentConfig } from "./runtimeConfig.ts"

/**
 * Returns the answer to a packet of calls: empty if no call expects an answer, undefined if no network has this name.
 */
export type OperatorCalls = (network: string, packet: Uint8Array) => Effect.Effect<Uint8Array | undefined>

export const make =
  (live: CurrentConfig): OperatorCalls =>
  (name, packet) =>
    Effect.suspend(() => {
      const { byName, users } = live.current
      const network = byName.get(name)
      if (network === undefined) return Effect.undefined
      // A reload waits until this token is removed before it closes the nodes.
      const token = {}
      users.add(token)
      return dispatcherOf(network)
        .handle(packet)
        .pipe(
          Effect.map((answer) => answer ?? new Uint8Array()),
          Effect.ensuring(Effect.sync(() => users.delete(token)))
        )
    })

/** Maximum number of calls in a packet. */
export const MAX_CALLS = 100

const dispatchers = new WeakMap<Network, Dispatcher.Dispatcher<never>>()

const dispatcherOf = (network: Network): Dispatcher.Dispatcher<never> => {
  let dispatcher = dispatchers.get(network)
  if (dispatcher === undefined) {
    dispatcher = Dispatcher.make({
      limits: { maxBatch: MAX_CALLS, concurrency: 8, maxAnswerBytes: 16 * 1024 * 1024, timeout: "25 seconds" },
      call: (call) => callOf(network, call),
      onDefect: (cause, { method }) =>
        Effect.annotateLogs(Effect.logError("call died", Redaction.text(Cause.pretty(cause))), {
          network: network.name,
          method
        })
    })
    dispatchers.set(network, dispatcher)
  }
  return dispatcher
}

const callOf = (
  network: Network,
  call: Dispatcher.DispatchedCall
): Effect.Effect<Uint8Array, ErrorObject.ErrorObject> => {
  const { methods, upstream } = network
  const checked = CallCheck.check(methods, call)
  if (Result.isFailure(checked)) return Exit.fail(checked.failure)
  if (methods.get(call.method)?.idempotent !== true) return notRead
  return Effect.mapError(upstream.call(call.method, checked.success), (error) =>
    error instanceof UpstreamError ? NodeFaults.errorOf(call.method, error) : error
  )
}

const notRead = Exit.fail(ErrorObject.make(ErrorCode.METHOD_NOT_FOUND, "only methods that read can be called here"))
