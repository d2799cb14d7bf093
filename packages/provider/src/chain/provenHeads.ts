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
  let follower: HeadFollower | undefined
  const listen = FanOut.make<HeadEvent, FollowFault>({
    scope: options.scope,
    start: Effect.fnUntraced(function* (emit) {
      follower = undefined
      follower = yield* HeadFollower.start(options, emit)
      return follower.run
    }),
    overflow: (waiting) => {
      const numbers = waiting.flatMap((event) =>
        event._tag === "Changed" ? event.added.map(({ number }) => number) : event._tag === "Missed" ? [event.to] : []
      )
      const [first = 0n] = numbers
      return { _tag: "Missed", from: first, to: numbers.at(-1) ?? first }
    }
  })
  return { listen, newest: () => follower?.newest, has: (hash) => follower?.has(hash) === true }
}

/** Follows the chain from the head at its start, and emits its events. */
class HeadFollower {
  readonly #options: ProvenHeadsOptions
  readonly #emit: (event: HeadEvent) => void
  #branch: ReorgTracker
  #misses = 0
  #said: string | undefined
  readonly #refuted = new Set<Hash32.Hash32>()

  private constructor(options: ProvenHeadsOptions, emit: (event: HeadEvent) => void, base: ChainHead) {
    this.#options = options
    this.#emit = emit
    this.#branch = new ReorgTracker(base)
  }

  static readonly start = Effect.fnUntraced(function* (
    options: ProvenHeadsOptions,
    emit: (event: HeadEvent) => void
  ): Effect.fn.Return<HeadFollower, FollowFault> {
    const base = (yield* latest(options, () => false))!
    return new HeadFollower(options, emit, headOf(base, yield* options.relate(base, undefined)))
  })

  get newest(): ChainHead {
    return this.#branch.newest
  }

  has(hash: Hash32.Hash32): boolean {
    return this.#branch.find(hash) !== undefined
  }

  /** Follows until it is interrupted, or until the node's signals end. */
  get run() {
    const { interval, push, waits } = this.#options
    const waiting = Stream.filter(Stream.tick(interval), () => waits && this.#branch.untold.length > 0)
    // the node pushes nothing when the authority names a block that waits
    const again: Stream.Stream<Signals.BlockSignal> =
      push === undefined ? Stream.empty : Stream.map(waiting, () => undefined)
    return Stream.runForEach(Stream.merge(Signals.ofHeads(this.#options), again), (signal) => this.#take(signal))
  }

  #take(signal: Signals.BlockSignal): Effect.Effect<void> {
    const news =
      signal === undefined
        ? latest(this.#options, (hash) => this.#isKnown(hash))
        : this.#isKnown(signal)
          ? Effect.succeed(undefined)
          : byHash(this.#options.client, signal)
    return Effect.matchEffect(
      Effect.andThen(
        Effect.flatMap(news, (tip) => (tip === undefined ? Effect.void : this.#advance(tip))),
        this.#release()
      ),
      { onFailure: (fault) => Effect.sync(() => this.#say({ _tag: "Faulted", fault })), onSuccess: () => Effect.void }
    )
  }

  #isKnown(hash: Hash32.Hash32): boolean {
    return this.has(hash) || this.#refuted.has(hash)
  }

  readonly #advance = Effect.fnUntraced(function* (
    this: HeadFollower,
    tip: ProvenBlock
  ): Effect.fn.Return<void, FollowFault> {
    const known = this.#branch
    const way = yield* Effect.tapError(this.#wayTo(tip), (fault) =>
      Effect.suspend(() => (isGap(fault) && ++this.#misses >= MAX_MISSES ? this.#skipTo(tip) : Effect.void))
    )
    if (way === undefined) return yield* this.#skipTo(tip)
    this.#misses = 0
    const fork = known.find(parentHashOf(way[0]!))!
    yield* follows(way[0]!, fork.number)
    const heads = yield* this.#related(fork, way)
    if (heads.length === 0) return
    known.put(fork.hash, heads)
    if (known.untold.length > MAX_BLOCKS) yield* this.#skipTo(tip)
  })

  /**
   * Returns the blocks after the remembered branch, up to a new head, oldest first; undefined if there are too many.
   */
  readonly #wayTo = Effect.fnUntraced(function* (
    this: HeadFollower,
    tip: ProvenBlock
  ): Effect.fn.Return<ReadonlyArray<ProvenBlock> | undefined, FollowFault> {
    const branch = this.#branch
    const way = [tip]
    for (;;) {
      const first = way[0]!
      if (branch.find(parentHashOf(first)) !== undefined) return way
      // the fork is below the remembered blocks
      const isBelow = first.value.number! <= branch.oldest.number
      if (way.length >= MAX_BLOCKS || (isBelow && branch.isFull)) return undefined
      if (isBelow) {
        const parent = yield* this.#parentOf(branch.oldest.block)
        branch.extendDown(headOf(parent, yield* this.#options.relate(parent, undefined)))
      } else {
        way.unshift(yield* this.#parentOf(first))
      }
    }
  })

  #parentOf(child: ProvenBlock): Effect.Effect<ProvenBlock, FollowFault> {
    return Effect.tap(byHash(this.#options.client, child.value.parentHash), (parent) =>
      follows(child, parent.value.number!)
    )
  }

  /** Relates consecutive blocks to trust, up to the first refuted one. */
  readonly #related = Effect.fnUntraced(function* (
    this: HeadFollower,
    parent: TrustRelation.RelatedParent | undefined,
    blocks: ReadonlyArray<ProvenBlock>
  ): Effect.fn.Return<ReadonlyArray<ChainHead>, FollowFault> {
    const heads: Array<ChainHead> = []
    for (const block of blocks) {
      const relation = yield* Effect.catchTag(
        this.#options.relate(block, heads.at(-1) ?? parent),
        "RefutedError",
        (refuted) =>
          Effect.sync(() => {
            if (this.#refuted.size >= MAX_REFUTED) this.#refuted.clear()
            for (const later of blocks.slice(heads.length)) this.#refuted.add(hashOf(later))
            this.#say({ _tag: "Faulted", fault: refuted })
            return undefined
          })
      )
      if (relation === undefined) break
      heads.push(headOf(block, relation))
    }
    return heads
  })

  /** Restarts at a block, and reports the blocks that were missed. */
  readonly #skipTo = Effect.fnUntraced(function* (
    this: HeadFollower,
    tip: ProvenBlock
  ): Effect.fn.Return<void, FollowFault> {
    const [head] = yield* this.#related(undefined, [tip])
    if (head === undefined) return
    const from = this.#branch.untold[0]?.number ?? this.newest.number + 1n
    this.#misses = 0
    this.#branch = new ReorgTracker(head)
    const to = head.number
    this.#emit({ _tag: "Missed", from: from < to ? from : to, to })
  })

  /**
   * Announces the blocks that may be announced, in order. A block that the trusted authority named leaves the chain only
   * for another block that the authority names. A node's other branch is news only if trust moves there.
   */
  readonly #release = Effect.fnUntraced(function* (this: HeadFollower): Effect.fn.Return<void, FollowFault> {
    const known = this.#branch
    const { relate, waits } = this.#options
    const takesBack = known.leaving.some(isVouched)
    const out: Array<ChainHead> = []
    for (const head of known.untold) {
      const mustBeVouched = takesBack && out.length === 0
      const mayPass = (it: ChainHead): boolean =>
        mustBeVouched ? isVouched(it) : !waits || !TrustRelation.mayImprove(it.relation)
      const present = mayPass(head)
        ? head
        : { ...head, relation: yield* relate(head.block, known.find(parentHashOf(head.block))) }
      if (!mayPass(present)) {
        this.#say({ _tag: "Waits", head: present })
        break
      }
      out.push(present)
    }
    if (out.length === 0) return
    this.#said = undefined
    this.#emit({ _tag: "Changed", ...known.tell(out) })
  })

  /** Emits a notice, unless it repeats the last one. */
  #say(event: Extract<HeadEvent, { readonly _tag: "Faulted" | "Waits" }>): void {
    const text = event._tag === "Waits" ? `Waits ${event.head.relation._tag}` : sentenceOf(event.fault)
    if (this.#said === text) return
    this.#said = text
    this.#emit(event)
  }
}

const byHash = (client: Client, hash: Hash32.Hash32): Effect.Effect<ProvenBlock, FollowFault> =>
  Effect.flatMap(client.getBlockByHash(hash), (verdict) => provenOf(hash, verdict))

/** Returns the node's latest block; undefined if it is known. */
const latest = (
  { chain, eth }: ProvenHeadsOptions,
  isKnown: (hash: Hash32.Hash32) => boolean
): Effect.Effect<ProvenBlock | undefined, FollowFault> =>
  Effect.flatMap(eth.getBlockByNumber("latest"), (block): Effect.Effect<ProvenBlock | undefined, FollowFault> => {
    if (!LatestBlock.isMined(block)) return Effect.fail(LatestBlock.missing("eth_getBlockByNumber"))
    const { hash } = block
    if (isKnown(Hash32.fromHexUnsafe(hash.toLowerCase()))) return Effect.succeed(undefined)
    return Effect.flatMap(Effect.fromResult(Verify.blockWithHashes(block, hash, chain)), (verdict) =>
      provenOf(hash, verdict)
    )
  })

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
