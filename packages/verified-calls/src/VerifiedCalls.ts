/**
 * Runs eth_call here, over state that is proven under one verified header.
 *
 * A call's outcome follows from its fields, the block's header, and the accounts, slots and codes that it reads. Each of
 * them is proven from the header's state root or by its own hash, so the node's own answer to eth_call is not needed.
 *
 * **Details**
 *
 * The node is asked for an access list first. It is only a hint: a wrong one costs time, and never changes an outcome.
 * The call is then run over what is proven. A run that lacks a read goes on with nothing in its place, to show what else
 * it needs, and is thrown away; what it needs is proven in one round. Only a run without a missing read counts.
 */
import type * as Address from "@plumbline/codec/value/Address"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import { CallEngine, type CallHint, type CallRunner, type ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import { type Bound, CallError } from "@plumbline/eth-methods/call/CallError"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type { Run } from "./evm/runOnce.ts"
import * as CallBounds from "./rules/CallBounds.ts"
import * as CallEnvironment from "./rules/callEnvironment.ts"
import * as Hardforks from "./rules/Hardforks.ts"
import * as BlockState from "./state/blockState.ts"
import * as StateView from "./state/stateView.ts"

/** The chain, and the bounds on the work for a call. */
export interface VerifiedCallsOptions {
  /**
   * The chain and its hardforks. Default: the chain of the client's option `chainId`, if it is known here (see
   * `Hardforks.of`). Without either, no call is run: a node's own word about its chain is not enough.
   */
  readonly chain?: Hardforks.ChainForks | undefined
  /** Bounds that differ from `CallBounds.defaults`. */
  readonly bounds?: Partial<CallBounds.CallBounds> | undefined
}

/** Maximum number of blocks whose state is kept. */
const KEPT_BLOCKS = 8

/** The bytes after which a block's state is read anew by the next call, so that it stays bounded. */
const KEPT_BYTES = 32 * 1024 * 1024

/** The maximum number of accounts and slots that are taken from a hint. */
const HINTED = { accounts: 256, slots: 2048 }

/** The part of a call's time after which a hint is not waited for any more. */
const HINT_SHARE = 0.2

/**
 * Returns the engine. The virtual machine is loaded when a call is first run.
 *
 * ```ts import.meta.vitest
 * import { Hardforks, VerifiedCalls } from "@plumbline/verified-calls"
 *
 * VerifiedCalls.make({ chain: Hardforks.always(31337n, "prague") }).name // => "@ethereumjs/evm"
 * ```
 */
export const make = (options: VerifiedCallsOptions = {}): CallEngine => {
  const bounds: CallBounds.CallBounds = { ...CallBounds.defaults, ...options.bounds }
  const hintTime = Duration.times(Duration.fromInputUnsafe(bounds.time), HINT_SHARE)
  return {
    name: "@ethereumjs/evm",
    over: (node, chainId): CallRunner => {
      const store = BlockState.makeCodeStore()
      const blocks = new BoundedMap<string, BlockState.BlockState>(KEPT_BLOCKS)

      /** The state that was begun last: a tag mostly names its block. */
      let newest: BlockState.BlockState | undefined

      const stateOf = (block: Verified<Block.WithHashes>): BlockState.BlockState => {
        const hash = block.value.hash!
        const kept = blocks.use(hash)
        if (kept !== undefined && kept.bytes() < KEPT_BYTES) return kept
        const state = BlockState.make(node, block, store, bounds)
        blocks.set(hash, state)
        newest = state
        return state
      }

      const run = Effect.fnUntraced(function* (
        ...[request, block, hint]: Parameters<CallRunner["run"]>
      ): Effect.fn.Return<ProvenCall, BlockState.ReadFailure> {
        const chain = yield* Effect.fromResult(chainOf(options.chain, chainId))
        const environment = yield* Effect.fromResult(CallEnvironment.make(request, block.value, chain, bounds))
        const { call, hardfork } = environment
        const state = stateOf(block)
        const spent: BlockState.Spent = { proofBytes: 0 }
        const asked = { accounts: 0, slots: 0, blockHashes: 0, roundTrips: hint === undefined ? 0 : 1 }
        const acquire = (wanted: StateView.Reads): Effect.Effect<void, BlockState.ReadFailure> => {
          asked.accounts += wanted.accounts.size
          asked.slots += StateView.countSlots(wanted)
          asked.blockHashes += wanted.blockHashes.size
          asked.roundTrips += 1
          const bound = COUNTED.find((name) => asked[name] > bounds[name])
          return bound === undefined
            ? state.acquire(wanted, spent)
            : Effect.fail(BlockState.beyond(BOUNDS[bound], bounds[bound]))
        }

        if (call.to === undefined || state.account(call.to) === undefined) yield* acquire(hinted(call, hint))
        for (;;) {
          const run: Run = yield* runIn(environment, state)
          if (run._tag === "Unsupported") return yield* unsupported(run.what)
          if (run._tag === "Missing") {
            yield* acquire(run.missing)
            continue
          }
          if (run.returned > bounds.returnBytes) {
            return yield* BlockState.beyond("bytes of return data", bounds.returnBytes)
          }
          const { outcome, reads } = run
          return {
            outcome,
            basis: {
              block: block.value.hash!,
              hardfork,
              gasLimit: call.gasLimit,
              gasUsed: outcome.gasUsed,
              accounts: Array.from(reads.accounts, ([address, slots]) => {
                const { codeHash, exists } = state.account(address)!
                return {
                  address: address as Address.Address,
                  exists,
                  slots: slots.size,
                  code: reads.codes.has(address) ? codeHash : undefined
                }
              }),
              blockHashes: [...reads.blockHashes],
              roundTrips: asked.roundTrips
            }
          }
        }
      })

      return {
        hint: (request, at) => {
          const { to } = request
          const hash = typeof at === "object" && "blockHash" in at ? at.blockHash : undefined
          const state = hash !== undefined ? blocks.get(hash) : typeof at === "string" ? newest : undefined
          if (to != null && state?.account(to.toLowerCase()) !== undefined) return undefined
          // a run waits for its hint, which a node need not give
          return Effect.timeoutOrElse(
            Effect.catch(node.createAccessList(request, at), () => Effect.succeed<CallHint>(undefined)),
            { duration: hintTime, orElse: () => Effect.succeed<CallHint>(undefined) }
          )
        },
        run: (request, block, hint) =>
          Effect.timeoutOrElse(run(request, block, hint), {
            duration: bounds.time,
            orElse: () => Effect.fail(BlockState.beyond("time", Duration.toMillis(bounds.time)))
          })
      }
    }
  }
}

/**
 * Provides the engine to `VerdictEthClient.layer` and `ProvenEthClient.layer`.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { VerifiedCalls } from "@plumbline/verified-calls"
 * import { Layer } from "effect"
 *
 * const eth = VerdictEthClient.layerUrl("https://node.example/v3/<API_KEY>", TrustedBlock.layerNone()).pipe(
 *   Layer.provide(VerifiedCalls.layer())
 * )
 * Layer.isLayer(eth) // => true
 * ```
 */
export const layer = (options?: VerifiedCallsOptions): Layer.Layer<never> => Layer.succeed(CallEngine, make(options))

/** The bounds that are counted over all rounds of a call, and their names in errors. */
const BOUNDS = {
  accounts: "accounts",
  slots: "slots",
  blockHashes: "block hashes",
  roundTrips: "round trips"
} as const satisfies Partial<Record<keyof CallBounds.CallBounds, Bound>>

const COUNTED = ["accounts", "slots", "blockHashes", "roundTrips"] as const

/** Runs the call once. The machine is loaded by the first run; if that fails, the next one tries again. */
const runIn = (environment: CallEnvironment.CallEnvironment, view: StateView.StateView): Effect.Effect<Run> =>
  Effect.promise((signal) => import("./evm/runOnce.ts").then(({ runOnce }) => runOnce(environment, view, signal)))

const unsupported = (what: string): CallError => new CallError({ reason: { _tag: "Unsupported", what } })

/** Returns the rules of the chain that the options or the client name. */
const chainOf = (
  chain: Hardforks.ChainForks | undefined,
  chainId: bigint | undefined
): Result.Result<Hardforks.ChainForks, CallError> => {
  if (chain !== undefined) {
    return chainId === undefined || chainId === chain.chainId
      ? Result.succeed(chain)
      : Result.fail(unsupported(`the client is for chain ${chainId}, and the engine for chain ${chain.chainId}`))
  }
  if (chainId === undefined) {
    return Result.fail(
      unsupported("a chain that is not named: give the engine's option chain, or the client's chainId")
    )
  }
  const known = Hardforks.of(chainId)
  return known === undefined
    ? Result.fail(unsupported(`chain ${chainId}, whose hardforks are not known here: give the engine's option chain`))
    : Result.succeed(known)
}

/** Returns the first reads of a call: its sender if it matters, its receiver, and what the node's access list names. */
const hinted = (call: CallEnvironment.CallFields, hint: CallHint): StateView.Reads => {
  const { from, to } = call
  const reads = StateView.noReads()
  if (CallEnvironment.usesSender(call)) StateView.addAccount(reads, from)
  const add = (address: string): void => {
    StateView.addAccount(reads, address)
    if (!PRECOMPILE.test(address)) reads.codes.add(address)
  }
  if (to !== undefined) add(to)
  let slots = 0
  for (const { address, storageKeys } of hint?.accessList.slice(0, HINTED.accounts) ?? []) {
    const at = address.toLowerCase()
    add(at)
    for (const key of storageKeys) if (slots++ < HINTED.slots) StateView.addAccount(reads, at, key.toLowerCase())
  }
  return reads
}

/** The addresses of precompiled contracts, which have no code, and a few more. */
const PRECOMPILE = /^0x0{37}[0-9a-f]{3}$/u
