/**
 * Questions to Ethereum: every reading command asks a proving client of the node that the command's flags name.
 */
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type * as Evidence from "@plumbline/verdict/Evidence"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import * as BeaconSettings from "../beacon/BeaconSettings.ts"
import * as ChainNode from "../node/ChainNode.ts"
import * as RollupFlags from "../rollup/RollupFlags.ts"
import * as LaterForksFile from "../rules/LaterForksFile.ts"
import type { Style } from "../terminal/Style.ts"
import type { TargetBasis } from "./BlockTarget.ts"
import * as Print from "./Print.ts"
import * as ReadAnswer from "./ReadAnswer.ts"
import * as ReaderTrust from "./ReaderTrust.ts"
import type { ReadFlags } from "./ReadFlags.ts"

/** A question to a node, and how its answer is shown. */
export interface ChainQuestion<A, E, E2 = never, R = never> {
  /** The hash that proves the answer. */
  readonly basis: TargetBasis
  readonly ask: Effect.Effect<Verdict<A | null>, E, VerdictEthClient.VerdictEthClient>
  /** Converts the value to its wire form. */
  readonly encode: (value: A) => unknown
  /** Returns the value as lines of text. `claimed` has the fields that are not proven. */
  readonly view: (value: A, claimed: ReadonlySet<string>, style: Style) => ReadonlyArray<string>
  /** Returns the block that the value is about, if the value itself does not name it. */
  readonly block?: (value: A) => ReadAnswer.BlockId | null
  /** Further members of the JSON object. */
  readonly beside?: (value: A) => Readonly<Record<string, unknown>>
  /** Orders the evidence for the list (default: the verdict's order). */
  readonly order?: (proven: ReadonlyArray<Evidence.Evidence>) => ReadonlyArray<Evidence.Evidence>
  /** The sentence for a null, such as `No such block`. */
  readonly absent: string
  /** True if the answer has many senders to recover, so that a fast engine is worth its start (default: false). */
  readonly hasManySenders?: boolean
  /** The rules of the question's calls. They get the chain of the light client's network, if there is one. */
  readonly rules?: ((followed: bigint | undefined) => Effect.Effect<ChainRules, E2, R>) | undefined
}

/** The chain that a question is about, and the engine that runs calls of this chain. */
export interface ChainRules {
  readonly chainId: bigint | undefined
  readonly calls: CallEngine
}

/** Asks, and prints the answer. Ends with `PrintedError` and code 2 when the answer is refuted. */
export const answer = Effect.fnUntraced(function* <A, E, E2 = never, R = never>(
  flags: ReadFlags,
  question: ChainQuestion<A, E, E2, R>
) {
  const { basis, hasManySenders = false, rules } = question
  const eth = yield* client(flags, basis, { hasManySenders, rules })
  const ask = Effect.map(question.ask, (verdict) => shownOf(verdict, question))
  yield* Print.answer(flags, { ask: Effect.provide(ask, eth), refusal: (error) => refusal(error, basis) })
})

/**
 * Provides the proving client of the node that the flags name, with the trusted block.
 *
 * A question that names the hashes of all its blocks needs no light client, because those hashes prove the answer. The
 * light client's network, or else the service, tells the chain. So an answer in the form of another chain is refuted.
 */
export const client = Effect.fnUntraced(function* <E2 = never, R = never>(
  flags: ReadFlags,
  { anchor, hasOther = false, trust }: TargetBasis,
  { hasManySenders = false, rules }: Partial<Pick<ChainQuestion<never, never, E2, R>, "hasManySenders" | "rules">> = {}
) {
  const transport = yield* ChainNode.transport(flags)
  const forks = yield* LaterForksFile.ofFlag(flags.forks)
  const isByHash = trust === undefined && anchor?._tag === "Block" && !hasOther
  // a light client of the environment may be of another chain than a node that is asked by hash
  const isTrustAsked = BeaconSettings.isAsked(flags) || RollupFlags.isAsked(flags)
  const following = isByHash && !isTrustAsked ? undefined : yield* ReaderTrust.layer(trust, flags, { forks })
  const trusted = isByHash ? TrustedBlock.layerNone() : following!.layer
  const recovery = hasManySenders ? fastRecovery : Layer.empty
  const chain: Partial<ChainRules> =
    rules === undefined
      ? { chainId: following?.chainId ?? (yield* ChainNode.chainId(flags)) }
      : yield* rules(following?.chainId)
  return VerdictEthClient.layer({ ...chain, forks }).pipe(Layer.provide([trusted, recovery]), Layer.provide(transport))
})

/** Starting the fast engine takes longer than recovering a few senders with the plain engine. */
const fastRecovery = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@plumbline/secp256k1/FastRecovery")),
    ({ layer }) => layer()
  )
)

/** Returns the answer for a failed check; undefined for any other error. */
const refusal = (error: unknown, { anchor }: TargetBasis): { readonly reply: ReadAnswer.RefusedAnswer } | undefined =>
  error instanceof RefutedError ? { reply: ReadAnswer.refused(error, anchor) } : undefined

const shownOf = <A>(
  verdict: Verdict<A | null>,
  question: Omit<ChainQuestion<A, unknown>, "ask" | "rules">
): Print.PrintableAnswer => {
  const { absent, beside, block, encode, order, view } = question
  const { value } = verdict
  if (value === null) return { reply: ReadAnswer.accepted(verdict, () => null), view: (style) => [style.title(absent)] }
  const claimed = new Set(verdict.claimed.map(({ field }) => field))
  const reply = ReadAnswer.accepted(verdict, () => encode(value), block?.(value))
  return {
    reply: order === undefined ? reply : { ...reply, proven: order(reply.proven) },
    beside: beside?.(value) ?? {},
    view: (style) => view(value, claimed, style)
  }
}
