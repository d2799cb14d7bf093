/** Tells on standard error when a watch cannot go on, and when it goes on again. Each state is told once. */
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import type { ChainWatchError } from "@plumbline/eth-methods/verified/ChainWatch"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import type { Reason } from "@plumbline/verdict/Reason"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as TerminalText from "../terminal/TerminalText.ts"

export class Outage {
  #isSilent = false
  #waitsFor: string | undefined

  /** Tells when the node stops answering, and when it answers again. Stands before the retries of each call. */
  readonly middleware: Transport.Middleware = ({ call, callAll }) => ({
    call: (asked) =>
      Effect.tap(
        Effect.tapError(call(asked), (error) => this.#failed(error)),
        () => this.#answered()
      ),
    callAll: (asked) =>
      Effect.tap(callAll(asked), (outcomes) => {
        const failed = outcomes.find(Result.isFailure)
        return failed === undefined ? this.#answered() : this.#failed(failed.failure)
      })
  })

  /** Tells why a read is not proven yet. A node that does not answer is told by `middleware`. */
  readonly waits = (error: ChainWatchError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (error._tag !== "UnprovenError") return Effect.void
      const kinds = error.claims.map(({ reason }) => reason._tag).join()
      if (this.#waitsFor === kinds) return Effect.void
      this.#waitsFor = kinds
      return say(`waits: ${error.message}`)
    })

  /** Notes that the watch went on. */
  goesOn(): void {
    this.#waitsFor = undefined
  }

  #failed({ reason, retryable }: JsonRpcError): Effect.Effect<void> {
    if (this.#isSilent || !retryable) return Effect.void
    this.#isSilent = true
    return say(`the node does not answer: ${reason.message}. Asking again`)
  }

  #answered(): Effect.Effect<void> {
    if (!this.#isSilent) return Effect.void
    this.#isSilent = false
    return say("the node answers again")
  }
}

/** Prints a line for the operator. */
export const say = (line: string): Effect.Effect<void> =>
  Console.error(TerminalText.printable(TerminalText.withoutKeys(line)))

/** True for a reason that the light client's next head may remove. */
export const isPassing = (reason: Reason): boolean => PASSING.some((kind) => kind.is(reason))

const PASSING = [LightClientReason.StaleHead, LightClientReason.ThinHead, LightClientReason.NewerThanHead] as const
