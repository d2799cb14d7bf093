/** Reads ENS names by calls that are run here. Loaded when a command is given a name. */
import * as Ens from "@plumbline/ens/resolve/Ens"
import * as EnsChain from "@plumbline/ens/resolve/EnsChain"
import * as EnsEvidence from "@plumbline/ens/resolve/EnsEvidence"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as AccountReference from "../answer/AccountReference.ts"
import type { ChainRules } from "../answer/ChainReading.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import * as CallRules from "../rules/CallRules.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { EnsFlags } from "./EnsFlags.ts"
import { NoRecordError } from "./NoRecordError.ts"

/** Reads names with one command's flags. `rules` must be asked for first, because the chain follows from them. */
export interface NameReading {
  /** Returns the rules of the calls, for `ChainReading`. */
  readonly rules: (followed: bigint | undefined) => ReturnType<typeof CallRules.known>
  /** Returns a client for names over a client for calls. */
  readonly over: (eth: Pick<Client, "call">) => Result.Result<Ens.Client, UsageError>
}

export const make = (flags: EnsFlags & ChainFlags): NameReading => {
  let known: ChainRules | undefined
  return {
    rules: (followed) => Effect.tap(CallRules.known(flags, followed), (rules) => Effect.sync(() => (known = rules))),
    over: (eth) =>
      Result.gen(function* () {
        const chain = yield* chainOf(flags, known?.chainId)
        const { timeout } = yield* RetryPolicy.of(flags)
        return Ens.make(eth, { chain, ccip: flags.ccip ? { timeout } : undefined })
      })
  }
}

const chainOf = (flags: EnsFlags, chainId = 0n): Result.Result<EnsChain.EnsChain, UsageError> => {
  if (Option.isSome(flags.ens)) {
    return Result.map(AccountReference.address(flags.ens.value, "--ens"), (universalResolver) => ({
      chainId,
      universalResolver
    }))
  }
  const chain = EnsChain.of(chainId)
  return chain === undefined
    ? Result.fail(new UsageError({ problem: `ENS is not known on chain ${chainId}: name its contract with --ens` }))
    : Result.succeed(chain)
}

/** Returns the error for a record that a name does not have. */
export const noRecord = (
  name: string,
  record: NoRecordError["record"],
  verdict: Verdict.Verdict<unknown>
): NoRecordError =>
  new NoRecordError({
    name,
    record,
    proof: verdict._tag,
    detail: verdict.proven.find((shown) => EnsEvidence.Resolution.is(shown))?.sentence ?? "no evidence"
  })
