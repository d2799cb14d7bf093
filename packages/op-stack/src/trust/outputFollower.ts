/** Reads an output for each trusted block of L1: in turn, and once for each block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import type { AuthorityBlock, TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type Reason, RestsOn } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Semaphore from "effect/Semaphore"

import type * as L1Words from "./l1Words.ts"
import * as OpStackReason from "./OpStackReason.ts"
import { type NotSettled, notSettled } from "./outputBlock.ts"
import { isProven } from "./provenReason.ts"
import type { Output, OutputRead, ReadFrom } from "./settledOutput.ts"

/** A block of the rollup that L1 names, and the block of L1 from whose state it was read. */
export interface Found<State extends string> {
  readonly l1: { readonly hash: Hash32.Hash32; readonly header: Block.Block; readonly trusted: AuthorityBlock }
  readonly output: Output<State>
  readonly head: Verified<Block.Block>
}

type Stop = JsonRpcError | RefutedError | NotSettled

/** The reads of L1 and of the rollup that a follower needs. */
export interface FollowerOptions<State extends string> {
  /** The trust in L1. */
  readonly trust: TrustedBlock["Service"]
  readonly reader: Pick<VerdictEthClient.Client, "getBlockByHash">
  /** The reason if the node of L1 is of another chain. It is asked if the node does not know the trusted block. */
  readonly wrongChain: Effect.Effect<Reason | undefined>
  readonly read: (
    from: ReadFrom
  ) => Effect.Effect<OutputRead<Output<State>>, JsonRpcError | RefutedError | L1Words.Unsettled>
  readonly head: (output: Output<State>) => Effect.Effect<Verified<Block.Block>, Stop>
  /** True if the output must not go back. A claim that is not settled may fall, so that an older one counts again. */
  readonly isForward: boolean
}

/** Returns the read of the newest output. It reads L1 only if its trusted block has changed. */
export const make = <State extends string>(options: FollowerOptions<State>): Effect.Effect<Found<State>, Stop> => {
  const { head, isForward, read, reader, trust, wrongChain } = options
  let last: Found<State> | undefined
  /** The last stop that the proven contracts of a block of L1 give, so that nothing is read again for this block. */
  let stopped: { readonly hash: Hash32.Hash32; readonly stop: NotSettled } | undefined
  let used: L1Words.UsedSlots = new Map()

  const foundAt = Effect.fnUntraced(function* (
    trusted: AuthorityBlock,
    header: Block.Block
  ): Effect.fn.Return<Found<State>, Stop> {
    const block = { hash: trusted.hash, header }
    const got = yield* Effect.catchTag(read({ block, used }), "Unsettled", ({ reason }) => notSettled(reason))
    const { output } = got
    const isSame =
      last !== undefined &&
      last.output.number === output.number &&
      Hex.equals(last.output.outputRoot, output.outputRoot)
    if (isForward && last !== undefined && !isSame && output.number <= last.output.number) {
      return yield* notSettled(OpStackReason.AnchorBack({ before: last.output.number, now: output.number }))
    }
    const proven = isSame ? last!.head : yield* head(output)
    used = got.used
    return { l1: { ...block, trusted }, output, head: proven }
  })

  return inTurn(
    Effect.gen(function* () {
      const trusted = yield* trustedOf(trust, wrongChain)
      if (last !== undefined && Hex.equals(last.l1.hash, trusted.hash)) {
        // the block is the same, but its age is not, and more members may have signed
        last = { ...last, l1: { ...last.l1, trusted } }
        return last
      }
      if (stopped !== undefined && Hex.equals(stopped.hash, trusted.hash)) return yield* Effect.fail(stopped.stop)
      const header = yield* headerOf(reader, wrongChain, trusted.hash)
      // the trust in L1 must not go back; if it does, the newer block counts
      if (last !== undefined && header.number! < last.l1.header.number!) return last
      const found = yield* Effect.tapError(foundAt(trusted, header), (error) =>
        Effect.sync(() => {
          if (error._tag === "NotSettled" && isProven(error.reason)) stopped = { hash: trusted.hash, stop: error }
          // an anchor that went back is judged against the last one; a claim that fell is not shown again
          if (!isForward && error._tag === "NotSettled") last = undefined
        })
      )
      last = found
      return found
    })
  )
}

/** Returns the block of L1 that is trusted as finalized. */
const trustedOf = Effect.fnUntraced(function* (
  trust: TrustedBlock["Service"],
  wrongChain: Effect.Effect<Reason | undefined>
): Effect.fn.Return<AuthorityBlock, Stop> {
  const trusted = yield* trust.resolve("finalized")
  if (trusted._tag === "Nothing") {
    const { isYet, reason } = trusted
    if (EthReason.TrustedBlockUnknown.is(reason)) return yield* unknownTo(wrongChain, reason)
    return yield* notSettled(OpStackReason.L1Untrusted({ cause: reason }), isYet)
  }
  // consent to the word of nodes of L1 is no consent to answers of the rollup
  return trusted.weak === undefined
    ? trusted
    : yield* notSettled(OpStackReason.L1Untrusted({ cause: RestsOn({ anchor: trusted.weak }) }))
})

/** Stops because the node of L1 does not know the trusted block: it is of another chain, or behind. */
const unknownTo = Effect.fnUntraced(function* (
  wrongChain: Effect.Effect<Reason | undefined>,
  cause: Reason
): Effect.fn.Return<never, NotSettled> {
  const reason = yield* wrongChain
  return yield* reason === undefined ? notSettled(OpStackReason.L1Untrusted({ cause }), true) : notSettled(reason)
})

const headerOf = Effect.fnUntraced(function* (
  reader: FollowerOptions<string>["reader"],
  wrongChain: Effect.Effect<Reason | undefined>,
  hash: Hash32.Hash32
): Effect.fn.Return<Block.Block, Stop> {
  const verdict = yield* reader.getBlockByHash(hash)
  if (verdict.value === null) return yield* unknownTo(wrongChain, EthReason.TrustedBlockUnknown({ hash }))
  const proven = Verify.provenHeader(verdict as Verdict<Block.Block>)
  return proven === undefined
    ? yield* notSettled(OpStackReason.L1Untrusted({ cause: verdict.claimed[0]!.reason }))
    : proven.value
})

/**
 * Reads in turn. A caller that waited for a read that failed gets the same failure: if a node of L1 is silent, callers
 * wait for one timeout, and not for those of all callers before them.
 */
const inTurn = <A>(read: Effect.Effect<A, Stop>): Effect.Effect<A, Stop> => {
  const turns = Semaphore.makeUnsafe(1)
  /** The number of reads that have ended, and the failure of the last one. */
  let ended = 0
  let failed: Cause.Cause<Stop> | undefined
  return Effect.suspend(() => {
    const before = ended
    return Effect.suspend(() =>
      failed !== undefined && ended > before
        ? Effect.failCause(failed)
        : Effect.onExit(read, (exit) =>
            Effect.sync(() => {
              if (Exit.hasInterrupts(exit)) return
              ended += 1
              failed = Exit.isFailure(exit) ? exit.cause : undefined
            })
          )
    ).pipe(Semaphore.withPermit(turns))
  })
}
