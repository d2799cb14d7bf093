/** Answers JSON-RPC packets with proven answers: single calls, batches, and calls over a connection. */
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import type { ProvingNode } from "@plumbline/provider/node/ProvingNode"
import * as Refusal from "@plumbline/provider/node/Refusal"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as Aside from "./Aside.ts"
import * as Subscribing from "./Subscribing.ts"
import * as Tally from "./Tally.ts"

/** Maximum number of bytes of a request. */
export const MAX_BYTES = 2 * 1024 * 1024

/** Maximum number of calls in a batch. */
const MAX_BATCH = 100

/** Bounds of a packet. */
export const limits = { maxBytes: MAX_BYTES, maxBatch: MAX_BATCH }

/** The outcome of a call, and the unproven parts of its answer. */
export interface Told {
  readonly fate: Tally.Fate
  /** Index of the call in its packet, from 0. */
  readonly place: number
  /** The check that refuted the answer. */
  readonly check?: string | undefined
  /** The anchor of the answer, or of the refused answer, as `Plumbline-Anchor` carries it. */
  readonly anchor?: string | undefined
  /** The fields of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<Claim.Sentence>
}

/** Receives the outcome of each call of a packet. */
export class Listener extends Context.Service<Listener, (told: Told) => void>()("plumbline/proxy/Listener") {}

/** The server of the proxy's calls. Subscriptions end when the scope closes, if not before. */
export type Server = Dispatcher.Dispatcher<Listener | Scope.Scope>

/**
 * Makes the server. `reports` receives the outcomes of notifications; the listener of a packet receives the outcomes of
 * its calls.
 */
export const make = (node: ProvingNode["Service"], reports: Subscribing.Reports): Server => {
  const subscribing = Subscribing.make(node, reports)
  let isSaid = false
  /** Reports a node without proofs only once, because the report would apply to each call. */
  const sayOfProofs = (line: string): void => {
    if (isSaid) return
    isSaid = true
    reports.say(line)
  }
  return Dispatcher.make<Listener | Scope.Scope>({
    limits,
    call: (call) =>
      Effect.flatMap(Listener, (tell) => {
        const { method, params, place } = call
        const done = subscribing(call) ?? Effect.map(node.answer({ method, params }), Subscribing.answered)
        return done.pipe(
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (error.code === Refusal.UNAVAILABLE) sayOfProofs(Aside.held(error.message))
              tell({ fate: Tally.fateOf(error.code), place, ...reasonsOf(error) })
            })
          ),
          Effect.map(({ result, verdict }) => {
            const missing = verdict.claimed.find(({ reason }) => EthReason.ProofRefused.is(reason))
            if (missing !== undefined) sayOfProofs(Aside.marked(missing.reason.sentence))
            const anchor = verdict.anchor === null ? undefined : Anchor.toText(verdict.anchor)
            tell({ fate: verdict._tag, place, anchor, claimed: verdict.claimed.map(Claim.toSentence) })
            return result
          })
        )
      })
  })
}

/** Reads the reasons in the data of a refusal. */
const reasonsOf = (error: ErrorObject): Pick<Told, "anchor" | "check" | "claimed"> => {
  const claimed = Tally.memberOf(error, "claimed")
  return {
    anchor: Refusal.anchorOf(error),
    check: Tally.checkOf(error),
    claimed: Array.isArray(claimed) ? claimed.filter(isSentence) : []
  }
}

const isSentence = (value: any): value is Claim.Sentence =>
  typeof value?.field === "string" && typeof value.reason === "string"
