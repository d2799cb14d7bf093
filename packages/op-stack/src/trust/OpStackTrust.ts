/**
 * The trust of `@plumbline/eth-methods` in a chain of the OP stack, from a trusted block of its parent chain (L1).
 *
 * Storage proofs under the trusted block of L1 lead from SystemConfig to the newest output root that the contracts
 * settle, and the output root commits to a block of the rollup. `finalized` is exactly this block, and so is `safe` unless
 * the reader accepts a weaker state. Older blocks are proven from it by ancestry. A newer block, and so `latest`, is a
 * claim of the node: a chain of headers on top of a settled block proves none of them, because anyone can make
 * descendants.
 */
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import {
  type AuthorityBlock,
  layerNone,
  type TrustedAnswer,
  TrustedBlock
} from "@plumbline/eth-methods/trust/TrustedBlock"
import * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as OpStackEvidence from "./OpStackEvidence.ts"
import * as OpStackReason from "./OpStackReason.ts"
import * as OutputBlock from "./outputBlock.ts"
import * as OutputFollower from "./outputFollower.ts"
import * as SettledOutput from "./settledOutput.ts"
import * as UnsettledOutput from "./unsettledOutput.ts"
import * as WrongChain from "./wrongChain.ts"

/** A state of a claim that L1 does not settle. A reader who accepts `proposed` also accepts `resolved`. */
export type WeakState = "resolved" | "proposed"

/** The reader's consent to claims that L1 does not settle. */
export interface ClaimConsent {
  /** The weakest state that the reader accepts (default: none). Answers that rest on it are CLAIMED all the same. */
  readonly accept?: WeakState | undefined
}

/** Forks of the parent chain that this version does not know. Default: none, and their blocks are not trusted. */
export interface ParentForks {
  readonly l1Forks?: LaterForks.LaterForks | undefined
}

/** The chain, its parent chain, and its nodes. */
export interface OpStackTrustOptions<E = never, R = never> extends ClaimConsent, ParentForks {
  readonly chain: OpStackChain
  /** A node of L1, and the trust in L1. */
  readonly l1: Layer.Layer<Transport | TrustedBlock, E, R>
  /** Further nodes of the rollup, each of which is asked if those before it do not prove the block that L1 names. */
  readonly others?: ReadonlyArray<Transport["Service"]> | undefined
}

/**
 * Provides the trust. The `Transport` of the context may lead to any node of the rollup. One that lies, or that has no
 * answer, denies no trust if one of `others` proves the block.
 *
 * A read fails with `RefutedError` if a proof of the L1 node is wrong. If no node of the rollup proves the block, and each
 * lies, the check is `output-root` if the node's block is not the one that the output root of a game commits to, and
 * `l2-number` if that block has another number. A node that says to be of another chain is not refuted, and neither is one
 * whose block does not give a starting root: that root may be a placeholder, which is the root of no block.
 *
 * With `accept`, `safe` is the newest block in that state, if it is newer than the settled one, and answers under it are
 * CLAIMED with an anchor of the kind `Unsettled`. `finalized` stays the settled block.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
 * import { HttpTransport } from "@plumbline/jsonrpc-core"
 * import { OpStackChains, OpStackTrust } from "@plumbline/op-stack"
 * import { Layer } from "effect"
 *
 * const hash = "0x9d9ed7a5c8a1c5ad0b0a6a4cce8cfa8ed4f7f3e2b1a09f8e7d6c5b4a39281706"
 * const l1 = Layer.merge(
 *   HttpTransport.layer({ url: "https://ethereum.example" }),
 *   TrustedBlock.layerPinned(hash)
 * )
 * const node = HttpTransport.layer({ url: "https://base.example" })
 * const trust = OpStackTrust.layer({ chain: OpStackChains.byId(8453n)!, l1 }).pipe(Layer.provide(node))
 * const eth = VerdictEthClient.layer({ chainId: 8453n }).pipe(Layer.provide([node, trust]))
 * Layer.isLayer(eth) // => true
 * ```
 */
export const layer = <E, R>({
  accept,
  chain,
  l1,
  l1Forks,
  others = []
}: OpStackTrustOptions<E, R>): Layer.Layer<TrustedBlock, E, R | Transport> =>
  Layer.effect(
    TrustedBlock,
    Effect.gen(function* () {
      const parent = yield* Layer.build(l1)
      const l1Eth = yield* Effect.provideContext(EthClient.make, parent)
      const eth = yield* EthClient.make
      const more = yield* Effect.forEach(others, (node) => Effect.provideService(EthClient.make, Transport, node))
      const clock = yield* Clock.Clock
      const l1Trust = { eth: l1Eth, trust: Context.get(parent, TrustedBlock) }
      const { resolve } = make(chain, l1Trust, [eth, ...more], { accept, l1Forks })
      // the age of an anchor is by the clock of the layer
      return { resolve: (block) => Effect.provideService(resolve(block), Clock.Clock, clock) }
    })
  )

/** A plain client of L1, and the trust in L1. */
export interface ParentChain {
  readonly eth: EthClient.Client
  readonly trust: TrustedBlock["Service"]
}

/** The methods of the rollup's node that the trust calls. */
export type RollupNode = OutputBlock.RollupNode

/** Returns the trust as a value. The nodes of the rollup are asked in their order, those that lied last. */
export const make = (
  chain: OpStackChain,
  parent: ParentChain,
  nodes: readonly [RollupNode, ...ReadonlyArray<RollupNode>],
  { accept, l1Forks }: ClaimConsent & ParentForks = {}
): TrustedBlock["Service"] => {
  const reader = readerOf(chain, parent.eth, l1Forks)
  const rollup = OutputBlock.nodesOf(nodes)
  const common = {
    trust: parent.trust,
    reader,
    wrongChain: WrongChain.reasonOf("parent chain", parent.eth, chain),
    head: (output: SettledOutput.Output<string>) => OutputBlock.read(rollup, chain, output)
  }
  const settled = OutputFollower.make({
    ...common,
    read: (from) => SettledOutput.read(reader, chain, from),
    isForward: true
  })
  const newestSettled = candidateOf(settled, (found) => settledBlock(chain, found))
  const newestClaimed =
    accept === undefined
      ? undefined
      : candidateOf(
          OutputFollower.make({
            ...common,
            read: (from) =>
              Effect.flatMap(newestSettled, (found) => {
                const above = found._tag === "Candidate" ? found.number : undefined
                return UnsettledOutput.read(reader, chain, { accept, above }, from)
              }),
            isForward: false
          }),
          (found) => unsettledBlock(chain, found)
        )
  return {
    resolve: (block) =>
      block === "pending"
        ? Effect.succeed({ _tag: "Nothing", reason: EthReason.PendingBlock({}) })
        : answerOf(block, newestSettled, newestClaimed)
  }
}

/** The newest block in a state, or the reason why there is none. */
type Newest = Effect.Effect<Candidate | Nothing, JsonRpcError | RefutedError>

type Nothing = Extract<TrustedAnswer, { readonly _tag: "Nothing" }>

interface Candidate {
  readonly _tag: "Candidate"
  readonly number: bigint
  readonly state: SettledOutput.SettledOutput["state"] | WeakState
  readonly block: Effect.Effect<AuthorityBlock>
}

const candidateOf = <State extends Candidate["state"]>(
  read: Effect.Effect<OutputFollower.Found<State>, JsonRpcError | RefutedError | OutputBlock.NotSettled>,
  block: (found: OutputFollower.Found<State>) => Effect.Effect<AuthorityBlock>
): Newest =>
  read.pipe(
    Effect.map((found): Candidate | Nothing => {
      const { number, state } = found.output
      return { _tag: "Candidate", number, state, block: block(found) }
    }),
    Effect.catchTag("NotSettled", ({ isYet, reason }) => Effect.succeed<Nothing>({ _tag: "Nothing", reason, isYet }))
  )

const answerOf = Effect.fnUntraced(function* (
  block: Exclude<BlockParameter.NumberOrTag, "pending">,
  newestSettled: Newest,
  newestClaimed: Newest | undefined
): Effect.fn.Return<TrustedAnswer, JsonRpcError | RefutedError> {
  const number = block === "earliest" ? 0n : block
  const settled = yield* newestSettled
  if (settled._tag === "Candidate") {
    if (number === "finalized") return { _tag: "Exactly", ...(yield* settled.block) }
    if (typeof number === "bigint" && number <= settled.number) return { _tag: "OnChain", ...(yield* settled.block) }
  } else if (number === "finalized") return settled
  const claimed = newestClaimed === undefined ? undefined : yield* newestClaimed
  const newest =
    claimed?._tag === "Candidate" && !(settled._tag === "Candidate" && settled.number >= claimed.number)
      ? claimed
      : settled
  if (newest._tag === "Nothing") return newest
  if (number === "safe") return { _tag: "Exactly", ...(yield* newest.block) }
  if (typeof number === "bigint" && number <= newest.number) return { _tag: "OnChain", ...(yield* newest.block) }
  const { number: at, state } = newest
  return { _tag: "Nothing", reason: OpStackReason.NewerThanSettled({ block: number, newest: at, state }), isYet: true }
})

const settledBlock = Effect.fnUntraced(function* (
  chain: OpStackChain,
  found: OutputFollower.Found<SettledOutput.SettledOutput["state"]>
): Effect.fn.Return<AuthorityBlock> {
  const { contracts, game, outputRoot, state } = found.output
  const { fields, l1, proven } = yield* namedBlock(chain, found)
  const of = { gameType: game?.gameType, resolvedAt: game?.resolvedAt }
  const anchor = Anchor.rollup({ ...fields, ...of, state, game: game?.address })
  const settled = OpStackEvidence.OutputSettled({ outputRoot, state, game, contracts, l1 })
  const by = `the ${state} block of ${chain.name} on its parent chain`
  return { hash: fields.hash, by, anchor, proven: proven(settled) }
})

const unsettledBlock = Effect.fnUntraced(function* (
  chain: OpStackChain,
  found: OutputFollower.Found<WeakState>
): Effect.fn.Return<AuthorityBlock> {
  const { contracts, outputRoot, state } = found.output
  // only a game makes such a claim
  const game = found.output.game!
  const { fields, l1, proven } = yield* namedBlock(chain, found)
  const resolvedAt = game.resolvedAt === 0n ? undefined : game.resolvedAt
  const of = { game: game.address, gameType: game.gameType, resolvedAt }
  const weak = Anchor.unsettled({ ...fields, ...of, state, accepted: true })
  const claimed = OpStackEvidence.OutputClaimed({ outputRoot, state, game, contracts, l1 })
  const by = `the ${state} block of ${chain.name} on its parent chain`
  return { hash: fields.hash, by, weak, proven: proven(claimed) }
})

/** Returns what the anchors of all states have, and the evidence around that of the state. */
const namedBlock = Effect.fnUntraced(function* (
  { chainId }: OpStackChain,
  { head, l1, output: { contracts } }: OutputFollower.Found<string>
) {
  const { number, timestamp } = head.value
  const now = BigInt(Math.floor((yield* Clock.currentTimeMillis) / 1000))
  const lag = l1.header.timestamp - timestamp
  const age = now > timestamp ? Number(now - timestamp) : 0
  return {
    fields: { hash: head.value.hash!, chainId, contracts, l1: l1.trusted.anchor ?? Anchor.block(l1.hash), age },
    l1: { number: l1.header.number!, timestamp: l1.header.timestamp },
    proven: (state: Evidence): ReadonlyArray<Evidence> => [
      OpStackEvidence.OutputCommits({ chainId, number: number!, timestamp, lag }),
      state,
      ...(l1.trusted.proven ?? [])
    ]
  }
})

const readerOf = (chain: OpStackChain, eth: EthClient.Client, forks: LaterForks.LaterForks | undefined) => {
  const none = Effect.runSync(Effect.provide(TrustedBlock, layerNone()))
  const verdicts = VerdictEthClient.make(eth, none, { chainId: chain.l1ChainId, forks })
  return { verdicts, eth, getBlockByHash: verdicts.getBlockByHash }
}
