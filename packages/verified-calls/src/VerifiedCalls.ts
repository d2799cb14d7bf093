/**
 * Runs eth_call, eth_estimateGas, eth_createAccessList and eth_simulateV1 here, over state that is proven under one
 * verified header.
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
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import {
  CallEngine,
  type CallHint,
  type CallRun,
  type CallRunner,
  type CallRunOptions,
  type ProvenCall
} from "@plumbline/eth-methods/call/CallEngine"
import type { CallError } from "@plumbline/eth-methods/call/CallError"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as CallBounds from "./rules/CallBounds.ts"
import { beyond, unsupported } from "./rules/callFailures.ts"
import * as Hardforks from "./rules/Hardforks.ts"
import { listAccess } from "./runs/accessList.ts"
import { callOnce } from "./runs/callRun.ts"
import { estimate } from "./runs/gasEstimate.ts"
import * as Session from "./runs/runSession.ts"
import { simulate } from "./runs/simulation.ts"
import * as BlockState from "./state/blockState.ts"
import { makeCodeStore } from "./state/provenValues.ts"

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
      const store = makeCodeStore()
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

      /** Begins a request: its reads and its runs are counted together. */
      const begin = (block: Verified<Block.WithHashes>, hint: CallHint): Effect.Effect<Session.Session, CallError> =>
        Effect.map(Effect.fromResult(chainOf(options.chain, chainId)), (chain) =>
          Session.make({ block, chain, state: stateOf(block), bounds, hint })
        )

      /** Makes a method of the runner, whose work must end in time. */
      const within =
        <O extends CallOutcome.AnyOutcome, Request>(
          work: (
            session: Session.Session,
            request: Request,
            options?: CallRunOptions
          ) => Session.RunEffect<ProvenCall<O>>
        ): CallRun<O, Request> =>
        (request, block, options) =>
          Effect.timeoutOrElse(
            Effect.flatMap(begin(block, options?.hint), (session) => work(session, request, options)),
            { duration: bounds.time, orElse: () => Effect.fail(beyond("time", Duration.toMillis(bounds.time))) }
          )

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
        run: within(callOnce),
        estimateGas: within(estimate),
        createAccessList: within(listAccess),
        simulate: within(simulate)
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
 * const eth = VerdictEthClient.layerUrl("https://node.example/v3/<API_KEY>", TrustedBlock.layerNone(), {
 *   chainId: 1n
 * }).pipe(Layer.provide(VerifiedCalls.layer()))
 * Layer.isLayer(eth) // => true
 * ```
 */
export const layer = (options?: VerifiedCallsOptions): Layer.Layer<never> => Layer.succeed(CallEngine, make(options))

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
