/** A reader: a way by which a program reads a node, with the verdicts that it gets. The readers of the library are here. */
import { EthClient, ProvenEthClient, TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import type { Claim, Verdict } from "@plumbline/verdict"
import { Cause, Effect, Exit, type Layer } from "effect"

import { type Node, transportTo } from "./node.ts"
import type { Question } from "./questions.ts"

/** The outcome of one question. */
export type Outcome =
  /** An answer that passes as proven, except for the claimed paths. */
  | { readonly _tag: "Accepted"; readonly value: unknown; readonly claimed: ReadonlyArray<string> }
  | { readonly _tag: "Refuted" | "Claimed" | "Malformed" | "Moved" | "Failed" }
  /** An outcome that no node may cause, such as a defect, or a claim without a reason. */
  | { readonly _tag: "Broken"; readonly detail: string }

/** A way to a node. */
export interface Reader {
  readonly name: string
  /** True if answers have no room for claims. */
  readonly isBare?: true
  /** True if the reader keeps answers. Then it is asked twice, and once more after the node has become honest. */
  readonly keeps?: true
  /** False for a question that the reader cannot be asked. Default: true. */
  readonly takes?: (question: Question) => boolean
  readonly open: (node: Node, trust: Layer.Layer<TrustedBlock.TrustedBlock>) => Promise<Opened>
}

/** A reader before one node. */
export interface Opened {
  readonly ask: (question: Question) => Promise<Outcome>
  readonly close: () => PromiseLike<void>
}

/** A claimed field, in any form, with the sentence of its reason. */
interface Claimed {
  readonly field: string
  readonly reason: string
}

/** Returns the outcome of an answer, or of a refusal, that is only claimed. It must say why. */
export const claimed = (claims: ReadonlyArray<Claimed>): Outcome =>
  claims.length > 0 && claims.every(({ field, reason }) => field !== "" && reason !== "")
    ? { _tag: "Claimed" }
    : { _tag: "Broken", detail: `claimed without a reason: ${JSON.stringify(claims)}` }

/** Returns the outcome of an answer with this word. */
export const answered = (word: string | null, value: unknown, claims: ReadonlyArray<Claimed>): Outcome => {
  if (word === "CLAIMED") return claimed(claims)
  return word === "VERIFIED"
    ? { _tag: "Accepted", value, claimed: claims.map(({ field }) => field) }
    : { _tag: "Broken", detail: `no verdict: ${word}` }
}

/** Returns a claim with its reason in words. */
export const worded = ({ field, reason }: Claim.Claim): Claimed => ({ field, reason: reason.sentence })

const outcomeOf = (exit: Exit.Exit<unknown, unknown>, isBare: boolean): Outcome => {
  if (Exit.isSuccess(exit)) {
    if (isBare) return { _tag: "Accepted", value: exit.value, claimed: [] }
    const { _tag, claimed, value } = exit.value as Verdict.Verdict<unknown>
    return answered(_tag, value, claimed.map(worded))
  }
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed === undefined) return { _tag: "Broken", detail: Cause.pretty(exit.cause) }
  const error = failed.error as ProvenEthClient.ProvenReadFailure
  switch (error._tag) {
    case "RefutedError":
      return { _tag: "Refuted" }
    case "UnprovenError":
      return claimed(error.claims.map(worded))
    default:
      return {
        _tag:
          error.reason._tag === "DecodeError" ? "Malformed" : error.reason._tag === "MovedError" ? "Moved" : "Failed"
      }
  }
}

/** Asks each question through a new client. */
const library = (name: string, isBare: boolean): Reader => ({
  name,
  ...(isBare ? { isBare } : {}),
  open: async (node, trust) => ({
    ask: async (question) => {
      const asking = Effect.gen(function* () {
        const trusted = yield* TrustedBlock.TrustedBlock
        const eth = yield* Effect.provideService(EthClient.make, Transport.Transport, transportTo(node))
        return yield* question.ask(isBare ? ProvenEthClient.make(eth, trusted) : VerdictEthClient.make(eth, trusted))
      })
      return outcomeOf(await Effect.runPromiseExit(Effect.provide(asking, trust)), isBare)
    },
    close: async () => undefined
  })
})

/** The clients of the library: one returns verdicts, the other plain values that are proven. */
export const ofLibrary: ReadonlyArray<Reader> = [library("verdict", false), library("proven", true)]
