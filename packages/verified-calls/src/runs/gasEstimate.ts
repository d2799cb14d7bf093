/**
 * Searches an amount of gas with which a call succeeds, by runs of it over proven state.
 *
 * The search is that of geth (`eth/gasestimator`): it begins with all gas that the call can have, then tries what that run
 * used with the refund, the stipend and a 64th, and then halves the range until it is narrower than 1.5 %. Unlike geth, the
 * lower end of the result was run as well, or is below the cost of a transaction without code.
 */
import type { CallBasis, CallRunOptions, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import type { EstimateOutcome, Halted } from "@plumbline/eth-methods/call/CallOutcome"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as Effect from "effect/Effect"

import type { CallEnvironment } from "../rules/callEnvironment.ts"
import { isSince } from "../rules/Hardforks.ts"
import * as TransactionGas from "../rules/transactionGas.ts"
import type { ReadFailure } from "../state/provenReads.ts"
import * as StateView from "../state/stateView.ts"
import * as Session from "./runSession.ts"

/** Estimates the gas of a call. */
export const estimate = Effect.fnUntraced(function* (
  session: Session.Session,
  request: CallRequest.CallRequest,
  options?: CallRunOptions
): Effect.fn.Return<ProvenCall<EstimateOutcome>, ReadFailure> {
  const prepared = yield* Session.prepare(session, request, options)
  const { environment } = prepared
  const least = TransactionGas.leastGas(environment.call, environment.hardfork)
  const most = yield* highest(session, request, environment)
  const runWith = (gasLimit: bigint) => prepared.run({ gasLimit })
  const first = yield* runWith(most)
  const { outcome, peak } = first.ended
  if (outcome._tag === "Reverted") return { outcome, basis: first.basis }
  if (outcome._tag === "Halted") {
    const isGas = outcome.halt === "out of gas" || (first.ended.left === undefined && most < least)
    const halted: Halted = isGas ? { ...outcome, halt: `gas required exceeds allowance (${most})` } : outcome
    return { outcome: halted, basis: first.basis }
  }

  const range: Range = { tooLow: least - 1n, low: larger(least, outcome.gasUsed) - 1n, high: most, basis: first.basis }
  // a call without code needs no more than its fixed cost
  const guess = peak <= least ? least : ((peak + STIPEND) * 64n) / 63n
  for (let next = guess < most ? guess : nextOf(range); next !== undefined; next = nextOf(range)) {
    const { basis, ended } = yield* runWith(next)
    if (ended.outcome._tag === "Returned") {
      range.high = next
      range.basis = basis
      // the first run only suggests that less is too low: code can see how much it has
      if (next <= range.low) range.low = range.tooLow
    } else {
      range.tooLow = larger(range.tooLow, next)
      range.low = larger(range.low, next)
    }
  }
  return { outcome: { _tag: "Estimated", gas: range.high, tooLow: range.tooLow }, basis: range.basis }
})

/** The range of the search. */
interface Range {
  /** The highest gas that is known to be too low. */
  tooLow: bigint
  /** The gas below which the search does not look unless it must: what the first run used, or what is too low. */
  low: bigint
  /** The lowest gas with which the call succeeded, and the basis of that run. */
  high: bigint
  basis: CallBasis
}

/** Returns the gas of the next run; undefined if the range is narrow enough, and its lower end is known to be too low. */
const nextOf = ({ high, low, tooLow }: Range): bigint | undefined => {
  if (low + 1n < high && (high - low) * TOLERANCE >= high) {
    const middle = (low + high) / 2n
    return middle > low * 2n ? low * 2n : middle
  }
  return tooLow < low ? low : undefined
}

/** Returns the most gas that the call can have: its own limit or the block's, and what its sender can pay. */
const highest = Effect.fnUntraced(function* (
  session: Session.Session,
  request: CallRequest.CallRequest,
  { block, call, changes = [], hardfork }: CallEnvironment
): Effect.fn.Return<bigint, ReadFailure> {
  const { bounds, state } = session
  let most = request.gas !== undefined && request.gas >= PLAIN ? request.gas : block.gasLimit
  if (isSince(hardfork, "osaka")) most = smaller(most, TransactionGas.MAX_TRANSACTION_GAS)
  most = smaller(most, bounds.gas)
  if (call.feeCap === 0n) return most
  let balance = changes.find(({ address }) => address === call.from)?.balance
  if (balance === undefined) {
    const wanted = StateView.noReads()
    StateView.addAccount(wanted, call.from)
    // another call that is reading the account may fail, and then this one reads it itself
    while (state.account(call.from) === undefined) yield* session.acquire(wanted)
    balance = state.account(call.from)!.balance
  }
  const blobs = TransactionGas.BLOB_GAS * BigInt(call.blobVersionedHashes.length) * call.blobFeeCap
  const left = balance - call.value - blobs
  // without funds, the first run says so
  return left <= 0n ? most : smaller(most, left / call.feeCap)
})

/** The range of the search in which the result may lie above the lowest gas: a part of 1/67, below 1.5 %. */
const TOLERANCE = 67n

/** Gas of a transaction without data or code (Yellow Paper, section 6.2). */
const PLAIN = 21_000n

/** Gas that a called contract gets beside what it is given, if it gets ether (Yellow Paper, appendix G). */
const STIPEND = 2300n

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)
