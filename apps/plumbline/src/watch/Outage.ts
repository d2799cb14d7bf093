/**
 * Tells on standard error when a watch cannot go on, or one of its nodes fails, and when it goes on again. Each state is
 * told once.
 */
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import type { ChainWatchError } from "@plumbline/eth-methods/verified/ChainWatch"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RemoteKind } from "@plumbline/jsonrpc-core/error/RemoteKind"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

import * as TerminalText from "../terminal/TerminalText.ts"

type NodeFailure = JsonRpcError | UnprovenError

export class Outage {
  readonly #isOfSeveral: boolean
  /** The last failure of each of several nodes, until it answers. */
  readonly #failures = new Map<string, NodeFailure>()
  /** The nodes whose failure was told. */
  readonly #told = new Set<string>()
  #hasAnswered = false
  #isSilent = false
  #waitsFor: string | undefined

  /** With several nodes, each failure is told with the name of its node. */
  constructor({ isOfSeveral }: { readonly isOfSeveral: boolean }) {
    this.#isOfSeveral = isOfSeveral
  }

  /**
   * True for an error after which the node is asked again: a `retryable` one, and once the node has answered, any that
   * does not say that the node will never answer. Before that, it is more likely to be a wrong URL. Of several nodes, it
   * is enough that one may answer.
   */
  readonly isPassingError = (error: JsonRpcError): boolean =>
    [error, ...this.#failures.values()].some(
      (one) => one._tag === "JsonRpcError" && (one.retryable || (this.#hasAnswered && !isRefusal(one)))
    )

  /** Notes that one of several nodes failed, and tells it when the failure begins. */
  readonly nodeFailed = (name: string, error: NodeFailure): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!this.#isOfSeveral) return Effect.void
      this.#failures.set(name, error)
      if (this.#told.has(name) || !isOfNode(error)) return Effect.void
      this.#told.add(name)
      return say(`${name} fails: ${error.message}`)
    })

  /** Notes that one of several nodes answered, and tells it after a failure that was told. */
  readonly nodeAnswered = (name: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      this.#failures.delete(name)
      return this.#told.delete(name) ? say(`${name} answers again`) : Effect.void
    })

  /** Tells a lie of one of several nodes. The name is undefined if the source of trust found the lie. */
  readonly nodeLied = (name: string | undefined, { check }: RefutedError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (!this.#isOfSeveral) return Effect.void
      if (name === undefined) {
        return say(`${check}: a node of the chain or of its trust lies. The next node of --url is asked`)
      }
      this.#failures.delete(name)
      return say(`${check}: ${name} lies, and is asked last for a time`)
    })

  /** Tells why a read has no answer, or is not proven yet. */
  readonly waits = (error: ChainWatchError): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (error._tag === "JsonRpcError") return this.#failed(error)
      if (error._tag !== "UnprovenError" || (this.#isOfSeveral && isOfNode(error))) return Effect.void
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
    return say(this.#isOfSeveral ? "the watch goes on" : "the node answers again")
  })

  #failed(error: JsonRpcError): Effect.Effect<void> {
    // a chain that moves during a read is no outage
    if (this.#isSilent || error.reason._tag === "MovedError") return Effect.void
    this.#isSilent = true
    // each of several nodes was named with its failure
    return say(
      this.#isOfSeveral
        ? "no node of --url answers. Asking again"
        : `the node does not answer: ${error.message}. Asking again`
    )
  }
}

/** False for a chain that moves during a read, and for a trust that waits for its next head: every node fails so. */
const isOfNode = (error: NodeFailure): boolean =>
  error._tag === "JsonRpcError"
    ? error.reason._tag !== "MovedError"
    : !error.claims.some(({ reason }) => isPassing(reason))

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
