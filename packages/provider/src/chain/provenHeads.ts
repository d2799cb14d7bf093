/**
 * Follows the chain of a node while it has a listener. Each block is read and proven by its own hash, and each must
 * follow from its parent. So the blocks between two heads, such as after a lost connection, are read too.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import * as TrustRelation from "@plumbline/eth-methods/trust/TrustRelation"
import type { Client } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Claim } from "@plumbline/verdict/Claim"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as FanOut from "./fanOut.ts"
import * as LatestBlock from "./latestBlock.ts"
import { ReorgTracker, type ReorgChange, type ChainHead, MAX_BLOCKS, type ProvenBlock } from "./reorgTracker.ts"
import * as Signals from "./signals.ts"

/** The reason why a block cannot be followed. */
export type FollowFault =
  | RefutedError
  | JsonRpcError
  /** The node names a block, as a head or as a parent, but does not have it. */
  | { readonly _tag: "Absent"; readonly hash: Hash32.Hash32 }
  /** The node has the block, but nothing proves it, for example because its consensus has another rule for hashes. */
  | { readonly _tag: "Unproven"; readonly claimed: ReadonlyArray<Claim> }

/** A change of the chain, or a problem with following it. */
export type HeadEvent =
  | ({ readonly _tag: "Changed" } & ReorgChange)
  /** A head cannot be followed, for this reason. Sent once for each reason, until a head can be followed again. */
  | { readonly _tag: "Faulted"; readonly fault: FollowFault }
  /** The trusted authority does not name the block yet. */
  | { readonly _tag: "Waits"; readonly head: ChainHead }
  /** These blocks were not followed, and never will be. */
  | { readonly _tag: "Missed"; readonly from: bigint; readonly to: bigint }

/** The heads of a node. */
export interface ProvenHeads {
  /** Adds a listener, which gets the events after the present head. */
  readonly listen: FanOut.AddListener<HeadEvent, FollowFault>
  /** The newest block that is followed; undefined without a listener. */
  readonly newest: () => ChainHead | undefined
  /** True if the block is on the remembered part of the chain. */
  readonly has: (hash: Hash32.Hash32) => boolean
}

/** The services of a follower. */
export interface ProvenHeadsOptions extends Signals.SignalSource {
  readonly scope: Scope.Scope
  readonly eth: EthClient.Client
  readonly client: Client
  readonly relate: TrustRelation.RelateBlock
  /** The chain, if the reader knows it. */
  readonly chain: Verify.OfChain
  /** True to wait for the trusted authority, if it does not name a block yet. */
  readonly waits: boolean
}

/** Maximum number of requests for a block that the node does not have. Then the missing blocks are given up. */
const MAX_MISSES = 10

/** Maximum number of remembered refuted hashes, so that the node is not asked repeatedly for the same lie. */
const MAX_REFUTED = 64

export const make = (options: ProvenHeadsOptions): ProvenHeads => {
  const { client, eth, relate } = options
  let branch: ReorgTracker | undefined
  let misses = 0
  let said: string | undefined
  const refutedHashes = new Set<Hash32.Hash32>()

  const byHash = (hash: Hash32.Hash32): Effect.Effect<ProvenBlock, FollowFault> =>
    Effect.flatMap(client.getBlockByHash(hash), (verdict) => provenOf(hash, verdict))

  const latest: Effect.Effect<ProvenBlock | undefined, FollowFault> = Effect.flatMap(
    eth.getBlockByNumber("latest"),
    (block): Effect.Effect<ProvenBlock | undefined, FollowFault> => {
      if (!LatestBlock.isMined(block)) return Effect.fail(LatestBlock.missing("eth_getBlockByNumber"))
      const { hash } = block
      if (isKnown(Hash32.fromHexUnsafe(hash.toLowerCase()))) return Effect.succeed(undefined)
      return Effect.flatMap(Effect.fromResult(Verify.blockWithHashes(block, hash, options.chain)), (verdict) =>
        provenOf(hash, verdict)
      )
    }
  )

  const isKnown = (hash: Hash32.Hash32): boolean => branch?.find(hash) !== undefined || refutedHashes.has(hash)

  const parentOf = (child: ProvenBlock): Effect.Effect<ProvenBlock, FollowFault> =>
    Effect.tap(byHash(child.value.parentHash), (parent) => follows(child, parent.value.number!))

  /**
   * Returns the blocks after the remembered branch, up to a new head, oldest first; undefined if there are too many.
   */
  const wayTo = Effect.fnUntraced(function* (
    branch: ReorgTracker,
    tip: ProvenBlock
  ): Effect.fn.Return<ReadonlyArray<ProvenBlock> | undefined, FollowFault> {
    const way = [tip]
    for (;;) {
      const first = way[0]!
      if (branch.find(parentHashOf(first)) !== undefined) return way
      // the fork is below the remembered blocks
      const isBelow = first.value.number! <= branch.oldest.number
      if (way.length >= MAX_BLOCKS || (isBelow && branch.isFull)) return undefined
      if (isBelow) {
        const parent = yield* parentOf(branch.oldest.block)
        branch.extendDown(headOf(parent, yield* relate(parent, undefined)))
      } else {
        way.unshift(yield* parentOf(first))
      }
    }
  })

  /** Relates consecutive blocks to trust, up to the first refuted one. */
  const related = Effect.fnUntraced(function* (
    parent: TrustRelation.RelatedParent | undefined,
    blocks: ReadonlyArray<ProvenBlock>,
    emit: (event: HeadEvent) => void
  ): Effect.fn.Return<ReadonlyArray<ChainHead>, FollowFault> {
    const heads: Array<ChainHead> = []
    for (const block of blocks) {
      const relation = yield* Effect.catchTag(relate(block, heads.at(-1) ?? parent), "RefutedError", (refuted) =>
        Effect.sync(() => {
          if (refutedHashes.size >= MAX_REFUTED) refutedHashes.clear()
          for (const later of blocks.slice(heads.length)) refutedHashes.add(hashOf(later))
          say({ _tag: "Faulted", fault: refuted }, emit)
          return undefined
        })
      )
      if (relation === undefined) break
      heads.push(headOf(block, relation))
    }
    return heads
  })

  const advance = Effect.fnUntraced(function* (
    tip: ProvenBlock,
    emit: (event: HeadEvent) => void
  ): Effect.fn.Return<void, FollowFault> {
    const known = branch!
    const way = yield* Effect.tapError(wayTo(known, tip), (fault) =>
      Effect.suspend(() => (isGap(fault) && ++misses >= MAX_MISSES ? skipTo(tip, emit) : Effect.void))
    )
    if (way === undefined) return yield* skipTo(tip, emit)
    misses = 0
    const fork = known.find(parentHashOf(way[0]!))!
    yield* follows(way[0]!, fork.number)
    const heads = yield* related(fork, way, emit)
    if (heads.length === 0) return
    known.put(fork.hash, heads)
    if (known.untold.length > MAX_BLOCKS) yield* skipTo(tip, emit)
  })

  /** Restarts at a block, and reports the blocks that were missed. */
  const skipTo = Effect.fnUntraced(function* (
    tip: ProvenBlock,
    emit: (event: HeadEvent) => void
  ): Effect.fn.Return<void, FollowFault> {
    const [head] = yield* related(undefined, [tip], emit)
    if (head === undefined) return
    const from = branch!.untold[0]?.number ?? branch!.newest.number + 1n
    misses = 0
    branch = new ReorgTracker(head)
    const to = head.number
    emit({ _tag: "Missed", from: from < to ? from : to, to })
  })

  /**
   * Announces the blocks that may be announced, in order. A block that the trusted authority named leaves the chain only
   * for another block that the authority names. A node's other branch is news only if trust moves there.
   */
  const release = Effect.fnUntraced(function* (emit: (event: HeadEvent) => void): Effect.fn.Return<void, FollowFault> {
    const known = branch!
    const takesBack = known.leaving.some(isVouched)
    const out: Array<ChainHead> = []
    for (const head of known.untold) {
      const mustBeVouched = takesBack && out.length === 0
      const mayPass = (it: ChainHead): boolean =>
        mustBeVouched ? isVouched(it) : !options.waits || !TrustRelation.mayImprove(it.relation)
      const present = mayPass(head)
        ? head
        : { ...head, relation: yield* relate(head.block, known.find(parentHashOf(head.block))) }
      if (!mayPass(present)) {
        say({ _tag: "Waits", head: present }, emit)
        break
      }
      out.push(present)
    }
    if (out.length === 0) return
    said = undefined
    emit({ _tag: "Changed", ...known.tell(out) })
  })

  /** Sends a notice, unless it repeats the last one. */
  const say = (
    event: Extract<HeadEvent, { readonly _tag: "Faulted" | "Waits" }>,
    emit: (event: HeadEvent) => void
  ): void => {
    const text = event._tag === "Waits" ? `Waits ${event.head.relation._tag}` : sentenceOf(event.fault)
    if (said === text) return
    said = text
    emit(event)
  }

  const take = (signal: Signals.BlockSignal, emit: (event: HeadEvent) => void): Effect.Effect<void> => {
    const news = signal === undefined ? latest : isKnown(signal) ? Effect.succeed(undefined) : byHash(signal)
    return Effect.matchEffect(
      Effect.andThen(
        Effect.flatMap(news, (tip) => (tip === undefined ? Effect.void : advance(tip, emit))),
        release(emit)
      ),
      { onFailure: (fault) => Effect.sync(() => say({ _tag: "Faulted", fault }, emit)), onSuccess: () => Effect.void }
    )
  }

  const listen = FanOut.make<HeadEvent, FollowFault>({
    scope: options.scope,
    start: Effect.fnUntraced(function* (emit) {
      branch = undefined
      misses = 0
      said = undefined
      refutedHashes.clear()
      const base = (yield* latest)!
      branch = new ReorgTracker(headOf(base, yield* relate(base, undefined)))
      const waiting = Stream.filter(Stream.tick(options.interval), () => options.waits && branch!.untold.length > 0)
      // the node pushes nothing when the authority names a block that waits
      const again: Stream.Stream<Signals.BlockSignal> =
        options.push === undefined ? Stream.empty : Stream.map(waiting, () => undefined)
      return Stream.runForEach(Stream.merge(Signals.ofHeads(options), again), (signal) => take(signal, emit))
    }),
    overflow: (waiting) => {
      const numbers = waiting.flatMap((event) =>
        event._tag === "Changed" ? event.added.map(({ number }) => number) : event._tag === "Missed" ? [event.to] : []
      )
      const [first = 0n] = numbers
      return { _tag: "Missed", from: first, to: numbers.at(-1) ?? first }
    }
  })

  return { listen, newest: () => branch?.newest, has: (hash) => branch?.find(hash) !== undefined }
}

/** Returns the block if its own hash proves it. */
const provenOf = (
  hash: Hash32.Hash32,
  verdict: Verdict<Block.WithHashes | null>
): Effect.Effect<ProvenBlock, FollowFault> =>
  verdict.value === null
    ? Effect.fail({ _tag: "Absent", hash })
    : verdict._tag === "VERIFIED"
      ? Effect.succeed(verdict as ProvenBlock)
      : Effect.fail({ _tag: "Unproven", claimed: verdict.claimed })

const isVouched = ({ relation }: ChainHead): boolean => relation._tag === "Vouched"

/** Fails unless the block's number is one more than its parent's. Anyone can make a header with another number. */
const follows = ({ value }: ProvenBlock, parent: bigint): Effect.Effect<void, RefutedError> =>
  value.number === parent + 1n ? Effect.void : Effect.fail(refute("block.number", parent + 1n, value.number))

/** True if the way to a head lacks a block that may never be readable. */
const isGap = ({ _tag }: FollowFault): boolean => _tag === "Absent" || _tag === "Unproven"

/** Returns the sentence of a fault, which is compared with the sentences of other faults. */
const sentenceOf = (fault: FollowFault): string => {
  switch (fault._tag) {
    case "Absent":
      return `Absent ${fault.hash}`
    case "Unproven":
      return fault.claimed.map(({ reason }) => reason.sentence).join()
    default:
      return fault.message
  }
}

const hashOf = ({ value }: ProvenBlock): Hash32.Hash32 => Hash32.fromHexUnsafe(value.hash!.toLowerCase())

const parentHashOf = ({ value }: ProvenBlock): Hash32.Hash32 => Hash32.fromHexUnsafe(value.parentHash.toLowerCase())

const headOf = (block: ProvenBlock, relation: TrustRelation.BlockRelation): ChainHead => ({
  block,
  hash: hashOf(block),
  number: block.value.number!,
  relation
})
