/** Tells on standard error when a watch cannot go on, and when it goes on again. Each state is told once. */
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import type { ChainWatchError } from "@plumbline/eth-methods/verified/ChainWatch"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RemoteKind } from "@plumbline/jsonrpc-core/error/RemoteKind"
import type { Reason } from "@plumbline/verdict/Reason"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

import * as TerminalText from "../terminal/TerminalText.ts"

export class Outage {
  #hasAnswered = false
  #isSilent = false
  #waitsFor: string | undefined

  /**
   * True for an error after which the node is asked again: a `retryable` one, and once the node has answered, any that
   * does not say that the node will never answer. Before that, it is more likely to be a wrong URL.
   */
  readonly isPassingError = (error: JsonRpcError): boolean =>
    error.retryable || (this.#hasAnswered && !isRefusal(error))

  /** Tells why a read has no answer, or is not proven yet. */
  readonly waits = (error: ChainWatchError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (error._tag === "JsonRpcError") return this.#failed(error)
      if (error._tag !== "UnprovenError") return Effect.void
      const kinds = error.claims.map(({ reason }) => reason._tag).join()
      if (this.#waitsFor === kinds) return Effect.void
      this.#waitsFor = kinds
      return say(`waits: ${error.message}`)
    })

  /** Notes that a read succeeded, and tells it after an outage. */
  readonly answered: Effect.Effect<void> = Effect.suspend(() => {
    this.#hasAnswered = true
    this.#waitsFor = undefined
    if (!this.#isSilent) return Effect.void
    this.#isSilent = false
    return say("the node answers again")
  })

  #failed(error: JsonRpcError): Effect.Effect<void> {
    // a chain that moves during a read is no outage
    if (this.#isSilent || error.reason._tag === "MovedError") return Effect.void
    this.#isSilent = true
    return say(`the node does not answer: ${error.message}. Asking again`)
  }
}

/** True if the node refuses the caller or has no such method, or if the mistake is the question's. */
const isRefusal = ({ reason }: JsonRpcError): boolean => {
  switch (reason._tag) {
    case "TransportError":
      return isForbidden(reason.status) || reason.tooLarge === true
    case "RemoteError":
      return isForbidden(reason.status) || REFUSALS.has(reason.kind)
    default:
      return reason._tag === "EncodeError" || reason._tag === "OptionsError"
  }
}

const REFUSALS: ReadonlySet<RemoteKind> = new Set(["unauthorized", "methodNotFound"])

const isForbidden = (status: number | undefined): boolean => status === 401 || status === 403

/** Prints a line for the operator. */
export const say = (line: string): Effect.Effect<void> =>
  Console.error(TerminalText.printable(TerminalText.withoutKeys(line)))

/** True for a reason that the light client's next head may remove. */
export const isPassing = (reason: Reason): boolean => PASSING.some((kind) => kind.is(reason))

const PASSING = [LightClientReason.StaleHead, LightClientReason.ThinHead, LightClientReason.NewerThanHead] as const
