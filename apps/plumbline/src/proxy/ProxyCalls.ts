/** Answers JSON-RPC packets with proven answers: single calls, batches, and calls over a connection. */
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Dispatcher from "@plumbline/jsonrpc-core/server/Dispatcher"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import type { ProvingNode } from "@plumbline/provider/node/ProvingNode"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import * as AnswerTally from "./AnswerTally.ts"
import * as OperatorLines from "./OperatorLines.ts"
import * as ProxySubscriptions from "./ProxySubscriptions.ts"

/** Maximum number of bytes of a request. */
export const MAX_BYTES = 2 * 1024 * 1024

const MAX_BATCH = 100

export const limits = { maxBytes: MAX_BYTES, maxBatch: MAX_BATCH }

/** The outcome of a call, and the unproven parts of its answer. */
export interface CallVerdict {
  readonly fate: AnswerTally.AnswerFate
  /** Index of the call in its packet, from 0. */
  readonly place: number
  /** The check that refuted the answer. */
  readonly check?: string | undefined
  /** The anchor of the answer, or of the refused answer, as `Plumbline-Anchor` carries it. */
  readonly anchor?: string | undefined
  /** The fields of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<Claim.ClaimSentence>
}

/** Receives the outcome of each call of a packet. */
export class CallListener extends Context.Service<CallListener, (told: CallVerdict) => void>()(
  "plumbline/proxy/Listener"
) {}

/** The server of the proxy's calls. Subscriptions end when the scope closes, if not before. */
export type ProxyCalls = Dispatcher.Dispatcher<CallListener | Scope.Scope>

/**
 * Makes the server. `reports` receives the outcomes of notifications; the listener of a packet receives the outcomes of
 * its calls.
 */
export const make = (node: ProvingNode["Service"], reports: ProxySubscriptions.SubscriptionReports): ProxyCalls => {
  const subscribing = ProxySubscriptions.make(node, reports)
  let isSaid = false
  /** Reports a node without proofs only once, because the report would apply to each call. */
  const sayOfProofs = (line: string): void => {
    if (isSaid) return
    isSaid = true
    reports.say(line)
  }
  return Dispatcher.make<CallListener | Scope.Scope>({
    limits,
    call: (call) =>
      Effect.flatMap(CallListener, (tell) => {
        const { method, params, place } = call
        const done = subscribing(call) ?? Effect.map(node.answer({ method, params }), ProxySubscriptions.answered)
        return done.pipe(
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (error.code === ProviderRefusal.UNAVAILABLE) sayOfProofs(OperatorLines.held(error.message))
              const verdict = ProviderRefusal.verdictOf(error)
              tell({
                place,
                ...(verdict === undefined
                  ? { fate: AnswerTally.fateOf(error.code), ...reasonsOf(error) }
                  : fateOf(verdict))
              })
            })
          ),
          Effect.map(({ result, verdict }) => {
            const missing = verdict.claimed.find(({ reason }) => EthReason.ProofRefused.is(reason))
            if (missing !== undefined) sayOfProofs(OperatorLines.marked(missing.reason.sentence))
            tell({ place, ...fateOf(verdict) })
            return result
          })
        )
      })
  })
}

/** Returns the outcome of an answer with a verdict. A proven revert has one too. */
const fateOf = ({ _tag, anchor, claimed }: Verdict<unknown>): Pick<CallVerdict, "anchor" | "claimed" | "fate"> => ({
  fate: _tag,
  anchor: anchor === null ? undefined : Anchor.toText(anchor),
  claimed: claimed.map(Claim.toSentence)
})

/** Reads the reasons in the data of a refusal. */
const reasonsOf = (error: ErrorObject): Pick<CallVerdict, "anchor" | "check" | "claimed"> => {
  const claimed = AnswerTally.memberOf(error, "claimed")
  return {
    anchor: ProviderRefusal.anchorOf(error),
    check: AnswerTally.checkOf(error),
    claimed: Array.isArray(claimed) ? claimed.filter(isSentence) : []
  }
}

const isSentence = (value: any): value is Claim.ClaimSentence =>
  typeof value?.field === "string" && typeof value.reason === "string"
