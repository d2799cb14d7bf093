/**
 * The chain of a command, and the engine that runs calls by its rules. A node has no word in either, because the rules
 * can change the outcome of a call.
 */
import type { CallEngine } from "@plumbline/eth-methods/call/CallEngine"
import * as Hardforks from "@plumbline/verified-calls/rules/Hardforks"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import * as BeaconSettings from "../beacon/BeaconSettings.ts"
import * as DataFolder from "../home/DataFolder.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as CallRulesFlags from "./CallRulesFlags.ts"

export interface CallRules {
  /** The chain; undefined if nothing but the node names it. */
  readonly chainId: bigint | undefined
  /** The engine. It runs no call of a chain that is unknown. Its virtual machine is loaded by the first call. */
  readonly calls: CallEngine
  readonly isKnown: boolean
}

/** The flags that decide the rules. */
type RulesFlags = CallRulesFlags.CallRulesFlags & ChainFlags & { readonly rollup?: Option.Option<string> }

/**
 * Returns the rules. The chain is that of the flags, of the light client's network (`followed`), or of the service. The
 * rules are those of `--hardfork`, of a known chain, of the rollup of `--rollup`, or of one of the service's own chains.
 */
export const resolve = Effect.fnUntraced(function* (flags: RulesFlags, followed: bigint | undefined) {
  const named = yield* Effect.fromResult(CallRulesFlags.chainOf(flags))
  if (named !== undefined && followed !== undefined && named !== followed) {
    return yield* new UsageError({ problem: `--chain-id is ${named}, but the trusted chain is ${followed}` })
  }
  const own = yield* ChainNode.chainId(flags)
  if (named !== undefined && own !== undefined && named !== own) {
    return yield* new UsageError({ problem: `--chain-id is ${named}, but the service's network is of chain ${own}` })
  }
  const chainId = named ?? followed ?? own
  const chain = yield* rulesOf(flags, chainId)
  return { chainId, calls: VerifiedCalls.make({ chain }), isKnown: chain !== undefined } satisfies CallRules
})

/** Returns the rules, and fails if they are not known. */
export const known = Effect.fnUntraced(function* (flags: RulesFlags, followed: bigint | undefined) {
  const rules = yield* resolve(flags, followed)
  const { chainId } = rules
  if (chainId === undefined) {
    return yield* new UsageError({ problem: "the rules of a call depend on its chain: name it with --chain-id" })
  }
  return rules.isKnown ? rules : yield* unknown(chainId)
})

/**
 * Returns the rules that the reader of a bundle knows: those of the chain in the flags, with its hardfork or its table;
 * undefined if the flags name no chain.
 */
export const ofReader = Effect.fnUntraced(function* (flags: CallRulesFlags.CallRulesFlags) {
  const chainId = yield* Effect.fromResult(CallRulesFlags.chainOf(flags))
  const given = yield* named(flags, chainId)
  const known = chainId === undefined ? undefined : (Hardforks.of(chainId) ?? (yield* ofRollup(chainId)))
  const chain = given ?? known
  return chainId === undefined || chain !== undefined ? chain : yield* unknown(chainId)
})

const unknown = (chainId: bigint): UsageError =>
  new UsageError({ problem: `the rules of chain ${chainId} are not known: name them with --hardfork` })

/** Returns the rules of `--hardfork`; undefined without it. */
const named = Effect.fnUntraced(function* (
  { hardfork: given }: CallRulesFlags.CallRulesFlags,
  chainId: bigint | undefined
): Effect.fn.Return<Hardforks.ChainForks | undefined, UsageError> {
  if (Option.isNone(given)) return undefined
  const hardfork = Hardforks.names.find((name) => name === given.value)
  if (hardfork === undefined) {
    return yield* new UsageError({ problem: `--hardfork must be one of ${Hardforks.names.join(", ")}` })
  }
  if (chainId === undefined) return yield* new UsageError({ problem: "--hardfork needs --chain-id" })
  return Hardforks.always(chainId, hardfork)
})

/** Returns the rules of a rollup: of the flag's chain, which can be a file, or of a chain of the public registry. */
const ofRollup = Effect.fnUntraced(function* (chainId: bigint, rollup: Option.Option<string> = Option.none()) {
  const OpStackChains = yield* Effect.promise(() => import("@plumbline/op-stack/chain/OpStackChains"))
  if (Option.isNone(rollup)) return OpStackChains.evmForks(chainId)
  const RollupChain = yield* Effect.promise(() => import("../rollup/RollupChain.ts"))
  const chain = yield* RollupChain.named(rollup.value)
  return chain.chainId === chainId ? RollupChain.rulesOf(chain) : undefined
})

const rulesOf = Effect.fnUntraced(function* (flags: RulesFlags, chainId: bigint | undefined) {
  const given = yield* named(flags, chainId)
  if (given !== undefined) return given
  const known = chainId === undefined ? undefined : (Hardforks.of(chainId) ?? (yield* ofRollup(chainId, flags.rollup)))
  if (chainId === undefined || known !== undefined || Option.isSome(flags.url)) return known
  const History = yield* Effect.promise(() => import("./HistoryRules.ts"))
  if (chainId === History.chainId) return History.forks()
  const folder = yield* DataFolder.resolve(flags.data)
  const beacon = yield* BeaconSettings.ofService(folder, Option.getOrUndefined(flags.network))
  if (beacon === undefined) return undefined
  // the service's beacon chain follows no other chain than the embedded one
  const { defaults } = yield* Effect.promise(() => import("@plumbline/devnet/anvil/Anvil"))
  return Hardforks.always(chainId, defaults.hardfork)
})
