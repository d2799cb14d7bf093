/** Answers about bundles: what is printed, and what a refused file looks like. */
import type * as Hash32 from "@plumbline/codec/Hash32"
import { Refuted } from "@plumbline/eth-methods/Refuted"
import * as Cid from "@plumbline/ipfs-client/Cid"
import { Refuted as RefutedBlock } from "@plumbline/ipfs-client/Refuted"
import { BundleError } from "@plumbline/proof-bundle/BundleError"
import * as ProofBundle from "@plumbline/proof-bundle/ProofBundle"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"

import * as Answer from "../Answer.ts"
import { Printed } from "../terminal/ExitCode.ts"
import * as AnswerView from "../view/AnswerView.ts"
import * as Style from "../view/Style.ts"
import * as Text from "../view/Text.ts"

/** An answer that holds. */
export interface Shown {
  readonly reply: Answer.Accepted
  /** Further members of the JSON object. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** The lines for people. */
  readonly view: (style: Style.Style) => ReadonlyArray<string>
}

/** What is asked, and about what. */
export interface Question<E, R> {
  readonly ask: Effect.Effect<Shown, E | Refusal, R>
  /** The hash that the question names, for an answer that is refuted. */
  readonly anchor: Answer.Anchor | null
  /** What is not true when it is refuted, if it is not a block that a node of IPFS gave. */
  readonly subject: "the node's answer" | "the bundle"
}

/**
 * Prints the answer, for people on standard error where standard output has the content. Ends with `Printed` and code 2
 * when it is refuted.
 */
export const answer = Effect.fnUntraced(function* <E, R>(
  flags: { readonly json: boolean },
  { anchor, ask, subject }: Question<E, R>,
  output: "stdout" | "stderr" = "stdout"
) {
  const { about, beside, reply, view } = yield* ask.pipe(
    Effect.map((shown) => ({ about: subject, ...shown })),
    Effect.catchIf(isRefuted, (error) =>
      Effect.succeed({
        about: error instanceof RefutedBlock ? "the node's answer" : subject,
        reply: Answer.refused(checkOf(error), anchor),
        beside: {},
        view: () => []
      })
    )
  )
  if (flags.json) yield* Console.log(Text.json({ ...reply, ...beside }))
  else {
    const style = yield* output === "stderr" ? Style.ofErrors : Style.current
    const shown = view(style)
    const lines = [...shown, ...(shown.length === 0 ? [] : [""]), ...AnswerView.verdict(reply, style, about)]
    yield* (output === "stderr" ? Console.error : Console.log)(lines.join("\n"))
  }
  const exitCode = Answer.exitCode(reply)
  if (exitCode !== 0) return yield* new Printed({ exitCode })
})

/** A block as the anchor of an answer. */
export const anchorOf = (hash: Hash32.Hash32): Answer.Anchor => ({ kind: "block", hash })

/** What a bundle is, in JSON. */
export const summary = (bundle: ProofBundle.ProofBundle): Readonly<Record<string, unknown>> => ({
  root: Cid.format(bundle.root),
  blocks: bundle.blocks.length,
  bytes: ProofBundle.encode(bundle).length,
  accounts: bundle.accounts,
  parts: ProofBundle.parts(bundle)
})

type Refusal = Refuted | RefutedBlock | BundleError

const isRefuted = (error: unknown): error is Refusal =>
  error instanceof Refuted ||
  error instanceof RefutedBlock ||
  // what is beyond a bound was not looked at
  (error instanceof BundleError && error.reason !== "TooLarge")

/** Bytes that are no bundle of the trusted block are as little its proof as those with another hash. */
const checkOf = (error: Refusal) =>
  error instanceof BundleError
    ? { check: "bundle", expected: "a proof bundle", got: `${error.detail}, at byte ${error.offset}` }
    : error
