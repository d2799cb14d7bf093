/** Runs the call that a bundle keeps again, offline, over the state that the bundle proves. */
import type { CallEngine, CallRules } from "@plumbline/eth-methods/call/CallEngine"
import { CallError } from "@plumbline/eth-methods/call/CallError"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as BundleReason from "../bundle/BundleReason.ts"
import type { ProofBundle } from "../bundle/ProofBundle.ts"
import * as BundleClient from "./BundleClient.ts"
import * as NotInBundleError from "./NotInBundleError.ts"

/** The engine of a replay, and the rules that the reader knows. */
export interface ReplayOptions {
  /** Returns an engine that runs calls by these rules, which a bundle names; undefined if it has none. */
  readonly engine: (rules: CallRules) => CallEngine | undefined
  /**
   * The rules of the bundle's block, as the reader knows them without the bundle. Default: none. The outcome is VERIFIED
   * only if the bundle names the same rules.
   */
  readonly known?: CallRules | undefined
}

/**
 * Runs the call of a bundle by the rules that the bundle names.
 *
 * The verdict is VERIFIED from the bundle's block if the reader knows the same rules, and CLAIMED otherwise. The bundle
 * must hold everything that the run reads: a missing slot is never read as zero.
 *
 * Fails with `NotInBundleError` if the bundle keeps no call, or lacks a part of the state that the run reads; with
 * `UnprovenError` if the engine does not run the call; and with `RefutedError` if the bundle's state contradicts its block.
 *
 * ```ts import.meta.vitest
 * import type { ProofBundle } from "@plumbline/proof-bundle"
 * import { CallReplay } from "@plumbline/proof-bundle"
 * import { Effect } from "effect"
 *
 * const replay = (bundle: ProofBundle.ProofBundle) => CallReplay.run(bundle, { engine: () => undefined })
 * const failed = await Effect.runPromise(Effect.flip(replay({ call: undefined } as ProofBundle.ProofBundle)))
 * failed.message // => "the bundle does not hold a call: it has no block with one"
 * ```
 */
export const run = Effect.fnUntraced(function* (
  bundle: ProofBundle,
  { engine, known }: ReplayOptions
): Effect.fn.Return<
  Verdict.Verdict<CallOutcome>,
  JsonRpcError | RefutedError | UnprovenError | NotInBundleError.NotInBundleError
> {
  const { blockHash, call } = bundle
  if (call === undefined) {
    return yield* new NotInBundleError.NotInBundleError({ wanted: "a call", missing: "block with one" })
  }
  const { request, rules } = call
  const calls = engine(rules)
  if (calls === undefined) {
    const cause = new CallError({ reason: { _tag: "Unsupported", what: `rules of the name ${rules.hardfork}` } })
    return yield* new UnprovenError({ subject: "eth_call", claims: [Claim.whole(EthReason.CallNotRun({ cause }))] })
  }
  const verdict = yield* Effect.mapError(
    BundleClient.makeVerdicts(bundle, { calls }).call(request, blockHash),
    (error) => missingIn(error) ?? error
  )
  return isSame(rules, known) ? verdict : Verdict.weaken(verdict, BundleReason.RulesOfMaker({ rules, known }))
})

const isSame = (a: CallRules, b: CallRules | undefined): boolean =>
  a.chainId === b?.chainId && a.hardfork === b.hardfork && a.blobUpdateFraction === b.blobUpdateFraction

/** Returns the error of the bundle that kept an engine from running a call. */
const missingIn = (error: unknown): NotInBundleError.NotInBundleError | undefined => {
  if (!(error instanceof UnprovenError)) return NotInBundleError.fromError(error)
  const reason = error.claims[0]?.reason
  if (reason === undefined || !EthReason.CallNotRun.is(reason)) return undefined
  const { cause } = reason
  if (cause.reason._tag !== "Unavailable") return undefined
  return cause.reason.error === undefined
    ? new NotInBundleError.NotInBundleError({
        wanted: `a ${cause.reason.what} of the call`,
        missing: "header that leads to it"
      })
    : NotInBundleError.fromError(cause.reason.error)
}
