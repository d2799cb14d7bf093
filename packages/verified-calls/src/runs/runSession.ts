/**
 * One request of a caller: all its runs and reads, which the bounds count together.
 *
 * A run that lacks a read goes on with nothing in its place, to show what else it needs, and is thrown away; what it needs
 * is proven in one round. Only a run without a missing read counts.
 */
import type * as Address from "@plumbline/codec/value/Address"
import type { CallBasis, CallHint, CallRunOptions } from "@plumbline/eth-methods/call/CallEngine"
import type { Bound, CallError } from "@plumbline/eth-methods/call/CallError"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type { Ended, Run } from "../evm/runOnce.ts"
import type { CallBounds } from "../rules/CallBounds.ts"
import * as CallEnvironment from "../rules/callEnvironment.ts"
import { beyond, unsupported } from "../rules/callFailures.ts"
import * as CallOverrides from "../rules/callOverrides.ts"
import * as Hardforks from "../rules/Hardforks.ts"
import type * as BlockState from "../state/blockState.ts"
import type { ReadFailure, Spent } from "../state/provenReads.ts"
import * as StateView from "../state/stateView.ts"

/** The block of a request, its proven state, and the rules. */
export interface SessionOptions {
  readonly block: Verified<Block.WithHashes>
  readonly chain: Hardforks.ChainForks
  readonly state: BlockState.BlockState
  readonly bounds: CallBounds
  readonly hint: CallHint
}

/** A run in which every read was proven. */
export interface WholeRun<A> {
  readonly ended: A
  readonly reads: StateView.Reads
}

/** An effect of a run. */
export type RunEffect<A> = Effect.Effect<A, ReadFailure>

export interface Session extends SessionOptions {
  /** Proves what is missing. */
  readonly acquire: (wanted: StateView.Reads) => RunEffect<void>
  /** Runs until every read of a run was proven. `once` makes one run over what is proven so far. */
  readonly settle: <A>(
    once: (view: StateView.StateView, signal: AbortSignal) => Promise<Run<A>>,
    gasOf: (ended: A) => bigint
  ) => RunEffect<WholeRun<A>>
  /** The number of times that the request waited for the node so far. */
  readonly roundTrips: () => number
}

export const make = (options: SessionOptions): Session => {
  const { bounds, hint, state } = options
  const spent: Spent = { proofBytes: 0 }
  const asked = { accounts: 0, slots: 0, blockHashes: 0, roundTrips: hint === undefined ? 0 : 1, runs: 0 }
  let gas = 0n

  const beyondBound = (): CallError | undefined => {
    const bound = COUNTED.find((name) => asked[name] > bounds[name])
    return bound === undefined ? undefined : beyond(BOUNDS[bound], bounds[bound])
  }

  const acquire = (wanted: StateView.Reads): RunEffect<void> => {
    asked.accounts += wanted.accounts.size
    asked.slots += StateView.countSlots(wanted)
    asked.blockHashes += wanted.blockHashes.size
    asked.roundTrips += 1
    const excess = beyondBound()
    return excess === undefined ? state.acquire(wanted, spent) : Effect.fail(excess)
  }

  const settle: Session["settle"] = Effect.fnUntraced(function* (once, gasOf) {
    asked.runs += 1
    const excess = beyondBound()
    if (excess !== undefined) return yield* excess
    for (;;) {
      const run = yield* Effect.promise((signal) => once(state, signal))
      if (run._tag === "Failed") return yield* run.error
      if (run._tag === "Missing") {
        yield* acquire(run.missing)
        continue
      }
      gas += gasOf(run.ended)
      if (asked.runs > 1 && gas > bounds.gasOfRuns) return yield* beyond("gas of all runs", bounds.gasOfRuns)
      return run
    }
  })

  return { ...options, acquire, settle, roundTrips: () => asked.roundTrips }
}

/** The bounds that are counted over all rounds of a request, and their names in errors. */
const BOUNDS = {
  accounts: "accounts",
  slots: "slots",
  blockHashes: "block hashes",
  roundTrips: "round trips",
  runs: "runs"
} as const satisfies Partial<Record<keyof CallBounds, Bound>>

const COUNTED = ["accounts", "slots", "blockHashes", "roundTrips", "runs"] as const

/** A call with the caller's changes to state and block, ready to run. */
export interface PreparedCall {
  readonly environment: CallEnvironment.CallEnvironment
  readonly overridden: CallBasis["overridden"]
  /** Runs the call with a gas limit and an access list. */
  readonly run: (
    fields?: Partial<Pick<CallEnvironment.CallFields, "gasLimit" | "accessList">>
  ) => RunEffect<{ readonly ended: Ended; readonly basis: CallBasis }>
}

/** Reads the fields of a call, and proves its first reads. */
export const prepare = Effect.fnUntraced(function* (
  session: Session,
  request: CallRequest.CallRequest,
  { blockOverride, stateOverride }: CallRunOptions = {}
): Effect.fn.Return<PreparedCall, ReadFailure> {
  const { block, bounds, chain, hint, state } = session
  const changes = yield* Effect.fromResult(CallOverrides.read(stateOverride, bounds))
  const overridden = CallOverrides.overridden(changes, blockOverride)
  const blockEnvironment = yield* Effect.fromResult(CallEnvironment.ofBlock(block.value, chain, blockOverride))
  const called = yield* Effect.fromResult(CallEnvironment.ofCall(request, blockEnvironment, bounds))
  const environment: CallEnvironment.CallEnvironment = { ...called, changes }
  const { to } = environment.call
  if (to === undefined || state.account(to) === undefined) {
    const first = hinted(environment, hint)
    if (!StateView.isNone(first)) yield* session.acquire(first)
  }
  // an overridden number changes which block a number names, so only the hashes of real blocks are given
  const end = blockOverride?.number === undefined ? undefined : block.value.number!

  const run: PreparedCall["run"] = (fields = {}) => {
    const at = { ...environment, call: { ...environment.call, ...fields } }
    return Effect.map(
      session.settle(
        async (view, signal) => {
          // the machine is loaded by the first run; if that fails, the next one tries again
          const { runOnce } = await import("../evm/runOnce.ts")
          return runOnce(at, end === undefined ? view : withHashesBelow(view, end), signal)
        },
        ({ outcome }) => outcome.gasUsed
      ),
      ({ ended, reads }) => ({
        ended,
        basis: basisOf(session, reads, {
          hardfork: at.hardfork,
          gasLimit: at.call.gasLimit,
          gasUsed: ended.outcome.gasUsed,
          overridden
        })
      })
    )
  }
  return { environment, overridden, run }
})

/** Returns the basis of a run. */
export const basisOf = (
  { block, chain, roundTrips, state }: Session,
  reads: StateView.Reads,
  rest: Pick<CallBasis, "hardfork" | "gasLimit" | "gasUsed" | "overridden">
): CallBasis => ({
  block: block.value.hash!,
  ...Hardforks.rulesAt(chain, { number: block.value.number!, timestamp: block.value.timestamp }),
  ...rest,
  accounts: Array.from(reads.accounts, ([address, slots]) => {
    const { codeHash, exists } = state.account(address)!
    return {
      address: address as Address.Address,
      exists,
      slots: Array.from(slots, (slot) => slot as StorageKey.StorageKey),
      code: reads.codes.has(address) ? codeHash : undefined
    }
  }),
  blockHashes: [...reads.blockHashes],
  roundTrips: roundTrips()
})

/** Returns the first reads of a call: its sender if it matters, its receiver, and what the node's access list names. */
const hinted = ({ call, changes = [] }: CallEnvironment.CallEnvironment, hint: CallHint): StateView.Reads => {
  const { from, to } = call
  const reads = StateView.noReads()
  const overridden = new Map(changes.map((change) => [change.address, change]))
  /** Adds what the caller does not override of an account. */
  const add = (address: string, keys: ReadonlyArray<string> = [], withCode = false): void => {
    const change = overridden.get(address)
    const left = change === undefined ? keys : change.isWhole ? [] : keys.filter((key) => !change.slots.has(key))
    if (change === undefined || !CallOverrides.isGiven(change)) StateView.addAccount(reads, address)
    for (const key of left) StateView.addAccount(reads, address, key)
    if (withCode && change?.code === undefined && !PRECOMPILE.test(address)) reads.codes.add(address)
  }
  if (CallEnvironment.usesSender(call)) add(from)
  if (to !== undefined) add(to, [], true)
  let slots = 0
  for (const { address, storageKeys } of hint?.accessList.slice(0, HINTED.accounts) ?? []) {
    const keys = storageKeys.slice(0, HINTED.slots - slots).map((key) => key.toLowerCase())
    slots += keys.length
    add(address.toLowerCase(), keys, true)
  }
  return reads
}

/** The maximum number of accounts and slots that are taken from a hint. */
const HINTED = { accounts: 256, slots: 2048 }

/** The addresses of precompiled contracts, which have no code, and a few more. */
const PRECOMPILE = /^0x0{37}[0-9a-f]{3}$/u

/** Limits the block hashes of a hypothetical run to those of real blocks. A run that asks for another one ends. */
const withHashesBelow = (view: StateView.StateView, end: bigint): StateView.StateView => ({
  ...view,
  blockHash: (number) => {
    if (number < end) return view.blockHash(number)
    throw unsupported(`the hash of block ${number} under an overridden number`)
  }
})
