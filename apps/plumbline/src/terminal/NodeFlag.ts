/** The flag that names the node of a failure. A client's error has no place for it, because it knows no flags. */
import type * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const flags = new WeakMap<object, string>()

/** Returns the flag of the node that gave the reason of an error. */
export const of = (reason: object): string => flags.get(reason) ?? "--url"

/** Notes the flag for each failure of the transport. */
export const noting =
  (flag: string): Transport.Middleware =>
  (transport) => ({
    call: (call) =>
      Effect.tapError(transport.call(call), ({ reason }) => Effect.sync(() => void flags.set(reason, flag))),
    callAll: (calls) =>
      Effect.map(transport.callAll(calls), (outcomes) => {
        for (const one of outcomes) if (Result.isFailure(one)) flags.set(one.failure.reason, flag)
        return outcomes
      })
  })
