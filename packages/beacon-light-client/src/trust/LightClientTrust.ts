/**
 * The trust of `@plumbline/eth-methods` from a light client: a checkpoint in place of a block hash.
 *
 * `finalized` and `safe` are exactly the finalized block, because a light client knows no justified block. `latest` is
 * exactly the optimistic block. A block up to the finalized block is proven from the finalized block by ancestry. A
 * later block, up to the optimistic block, is proven from the optimistic block. A newer block is a claim of the node.
 *
 * A head that is too old by the clock names no block for its tags, and an optimistic head that is too old or that too
 * few members signed names no block at all: otherwise beacon nodes that withhold updates could keep an old block
 * `latest`. The finalized head names older blocks at any age, because they stay finalized.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import { type AuthorityBlock, type TrustedAnswer, TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as ProvenNodes from "@plumbline/eth-methods/verified/ProvenNodes"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import { BeaconApiError } from "../api/BeaconApiError.ts"
import { type Client, LightClient } from "../follow/LightClient.ts"
import * as LightClientHeads from "../follow/LightClientHeads.ts"
import * as Clock from "../network/Clock.ts"
import { refuse } from "../refusal/LightClientCheck.ts"
import type * as LightClientStore from "../verify/LightClientStore.ts"
import * as LightClientEvidence from "./LightClientEvidence.ts"
import * as LightClientReason from "./LightClientReason.ts"

/** Options of the trust: forks of the execution chain that this version does not know. */
export type LightClientTrustOptions = Pick<Verify.OfChain, "forks">

/** Options of the trust as a layer. */
export interface LightClientTrustLayerOptions extends LightClientTrustOptions {
  /** Further nodes, each of which is asked for the header of a head if those before it do not prove it. */
  readonly others?: ReadonlyArray<Transport["Service"]> | undefined
}

/** The method of a node that the trust calls. */
export type ExecutionNode = Pick<EthClient.Client, "getBlockByHash">

/**
 * Provides the trust. The transport may lead to any node. From Gloas on, a head is only a hash, and its number comes
 * from a node's header, which must have this hash. A node that lies, or that has no answer, denies no trust if one of
 * `others` proves the header.
 *
 * A read fails with `RefutedError`, check `conflict`, after an alarm of the light client, and with check
 * `execution-header-hash` if the header of no node hashes to a head.
 */
export const layer = ({ others = [], ...options }: LightClientTrustLayerOptions = {}): Layer.Layer<
  TrustedBlock,
  never,
  LightClient | Transport
> =>
  Layer.effect(
    TrustedBlock,
    Effect.gen(function* () {
      const eth = yield* EthClient.make
      const more = yield* Effect.forEach(others, (node) => Effect.provideService(EthClient.make, Transport, node))
      return make(yield* LightClient, [eth, ...more], options)
    })
  )

/** Returns the trust as a value. The nodes are asked in their order, but one that lied or did not answer is asked last for a time. */
export const make = (
  light: Client,
  [first, ...others]: readonly [ExecutionNode, ...ReadonlyArray<ExecutionNode>],
  options?: LightClientTrustOptions
): TrustedBlock["Service"] => {
  const nodes = ProvenNodes.make([nodeOf(first), ...others.map(nodeOf)])
  const numbers = new BoundedMap<Hash32.Hash32, bigint>(KEPT)

  /** Returns the number of a head's execution block; undefined if no node proves the block. */
  const numberOf = Effect.fnUntraced(function* (
    head: LightClientHeads.FollowedHead,
    hash: Hash32.Hash32
  ): Effect.fn.Return<bigint | undefined, JsonRpcError | RefutedError> {
    if (head.header._tag === "WithPayload") return head.header.execution.blockNumber
    const known = numbers.get(hash)
    if (known !== undefined) return known
    const number = yield* nodes
      .read((eth) => Effect.flatMap(blockOf(hash, eth, options), (block) => provenNumber(block, hash)))
      .pipe(Effect.catchTag("UnprovenError", () => Effect.undefined))
    if (number !== undefined) numbers.set(hash, number)
    return number
  })

  const byNumber = Effect.fnUntraced(function* (
    number: bigint,
    heads: LightClientHeads.LightClientHeads
  ): Effect.fn.Return<TrustedAnswer, JsonRpcError | RefutedError> {
    for (const head of [heads.finalized, heads.optimistic]) {
      const { blockHash } = head
      if (blockHash === undefined) continue
      if (head === heads.optimistic) {
        const reason = yield* distrustReason(light, head, "newest")
        if (reason !== undefined) return notYet(reason)
      }
      const at = yield* numberOf(head, blockHash)
      if (at === undefined) return notYet(EthReason.TrustedBlockUnknown({ hash: blockHash }))
      if (number <= at) return { _tag: "OnChain", ...(yield* named(light, head, blockHash, heads)) }
      if (head === heads.optimistic) return notYet(LightClientReason.NewerThanHead({ number, head: at }))
    }
    return nothing(heads.optimistic)
  })

  return {
    resolve: (block: BlockParameter.NumberOrTag) =>
      Effect.flatMap(light.heads, (heads): Effect.Effect<TrustedAnswer, JsonRpcError | RefutedError> => {
        switch (block) {
          case "pending":
            return Effect.succeed({ _tag: "Nothing", reason: EthReason.PendingBlock({}) })
          case "earliest":
            return byNumber(0n, heads)
          case "latest":
            return exactly(light, heads.optimistic, "newest", heads)
          case "safe":
          case "finalized":
            return exactly(light, heads.finalized, "finalized", heads)
          default:
            return byNumber(block, heads)
        }
      })
  }
}

/** Returns the answer that names exactly the block of a head. */
const exactly = Effect.fnUntraced(function* (
  light: Client,
  head: LightClientHeads.FollowedHead,
  of: LightClientReason.HeadTag,
  heads: LightClientHeads.LightClientHeads
): Effect.fn.Return<TrustedAnswer> {
  if (head.blockHash === undefined) return nothing(head)
  const reason = yield* distrustReason(light, head, of)
  return reason === undefined
    ? { _tag: "Exactly", ...(yield* named(light, head, head.blockHash, heads)) }
    : notYet(reason)
})

/** Returns the block of a head, with the anchor and the evidence for verdicts that trust this block. */
const named = Effect.fnUntraced(function* (
  light: Client,
  head: LightClientHeads.FollowedHead,
  hash: Hash32.Hash32,
  { checkpoint }: LightClientHeads.LightClientHeads
): Effect.fn.Return<AuthorityBlock> {
  const { by, header, support } = head
  const { slot } = header.beacon
  const finality = FINALITY[support._tag]
  const lies = (yield* light.nodes).flatMap(({ lie, name, refuted }) =>
    lie === undefined ? [] : [LightClientEvidence.BeaconLie({ by: name, check: lie.check, count: refuted })]
  )
  const from = LightClientEvidence.FromCheckpoint({ checkpoint: checkpoint.root, givenAt: checkpoint.givenAt })
  const signed = support._tag === "Checkpoint" ? 0 : support.signed
  const anchor = Anchor.lightClient({
    hash,
    checkpoint: checkpoint.root,
    slot,
    finality,
    participation: [signed, light.network.syncCommitteeSize],
    age: yield* ageOf(light, head)
  })
  const name = `the light client's ${finality} block`
  if (support._tag === "Checkpoint") return { hash, by: name, anchor, proven: [from, ...lies] }
  const { attestedSlot, bits, of: size } = support
  const signatures = LightClientEvidence.CommitteeSigned({
    slot,
    attestedSlot,
    attestedAt: Clock.timeOf(light.network, attestedSlot),
    finality: FINALITY[support._tag],
    signed,
    size,
    bits,
    by
  })
  return { hash, by: name, anchor, proven: [signatures, from, ...lies] }
})

/** Returns the age of a head's slot by the light client's clock, in whole seconds. */
export const ageOf = (
  { bounds, network }: HeadJudge,
  head: Pick<LightClientHeads.FollowedHead, "header">
): Effect.Effect<number> =>
  Effect.map(bounds?.now ?? EffectClock.currentTimeMillis, (now) =>
    Math.floor(LightClientHeads.ageOf(network, head, now) / 1000)
  )

/** The parts of a light client that judge its heads. */
export type HeadJudge = Pick<Client, "network" | "bounds" | "problem">

/**
 * Returns the reason why a head does not name the block of a tag now, or undefined if it does.
 *
 * The reason is `ThinHead` or `StaleHead`, or `UnknownFork` if the head is old because this version does not know the
 * fork of the newer updates.
 */
export const distrustReason = Effect.fnUntraced(function* (
  light: HeadJudge,
  head: Pick<LightClientHeads.FollowedHead, "header" | "support">,
  of: LightClientReason.HeadTag
): Effect.fn.Return<Reason | undefined> {
  const { header, support } = head
  const { network } = light
  const size = network.syncCommitteeSize
  const { maxHeadAge = 1000 * Math.max(MIN_AGE, MAX_SLOTS * network.secondsPerSlot), minParticipation } =
    light.bounds ?? {}
  const { slot } = header.beacon
  const needed = minParticipation ?? Math.ceil((2 * size) / 3)
  if (support._tag === "Optimistic" && support.signed < needed) {
    return LightClientReason.ThinHead({ slot, signed: support.signed, size, needed })
  }
  // a head is forced only after a period without finality
  const period = support._tag === "Forced" ? network.epochsPerSyncCommitteePeriod : 0
  const epochs = of === "finalized" ? MAX_EPOCHS + period : 0
  const maxAge = Math.max(maxHeadAge / 1000, epochs * network.slotsPerEpoch * network.secondsPerSlot)
  const age = yield* ageOf(light, head)
  if (age <= maxAge) return undefined
  const fork = unknownForkOf(yield* light.problem)
  return fork !== undefined
    ? LightClientReason.UnknownFork({ fork, head: { slot, age } })
    : LightClientReason.StaleHead({ head: of, slot, age, maxAge })
})

/** Returns the name of the fork that this version does not know, if that is the failure of a start or of a poll. */
export const unknownForkOf = (failure: unknown): string | undefined =>
  failure instanceof BeaconApiError && failure.reason._tag === "UnknownForkError" ? failure.reason.fork : undefined

/** Default of the maximum age of an optimistic head: 60 seconds, or 5 slots if slots are longer than on mainnet. */
const MIN_AGE = 60
const MAX_SLOTS = 5

/** Maximum age of a finalized head, in epochs. A chain without problems finalizes a block that is 2 to 3 epochs old. */
const MAX_EPOCHS = 4

/**
 * Returns the execution block of a head. Any node may send the block, because the hash of its header must be the hash
 * that the head names. Returns undefined if the node does not have the block, or if the header has fields that are not
 * known here. From Gloas on, only this header has the number and the time of a head.
 *
 * Fails with `RefutedError`, check `execution-header-hash`.
 */
export const blockOf = (
  hash: Hash32.Hash32,
  eth: ExecutionNode,
  options?: LightClientTrustOptions
): Effect.Effect<Block.WithHashes | undefined, JsonRpcError | RefutedError> =>
  Effect.flatMap(eth.getBlockByHash(hash), (block) =>
    block === null
      ? Effect.succeed(undefined)
      : Effect.fromResult(
          Result.mapError(provenBlock(block, hash, options), ({ expected, got, subject }) =>
            refuse("execution-header-hash", expected, got, subject ?? "execution header")
          )
        )
  )

/** The name is only for lies, which nothing hears here. */
const nodeOf = (eth: ExecutionNode) => ({ name: "a node", eth })

const provenNumber = (
  block: Block.WithHashes | undefined,
  hash: Hash32.Hash32
): Effect.Effect<bigint, UnprovenError> => {
  const number = block?.number ?? undefined
  return number === undefined
    ? Effect.fail(
        new UnprovenError({ subject: "the head", claims: [Claim.whole(EthReason.TrustedBlockUnknown({ hash }))] })
      )
    : Effect.succeed(number)
}

/**
 * Refuses a block in the form of another consensus too, because the head is one of Ethereum. Returns undefined for a
 * header whose form may be that of a later fork: its node may be honest.
 */
const provenBlock = (
  block: Block.WithHashes,
  hash: Hash32.Hash32,
  options?: LightClientTrustOptions
): Result.Result<Block.WithHashes | undefined, RefutedError> =>
  Result.flatMap(Verify.blockWithHashes(block, hash, { forks: options?.forks }), (verdict) => {
    if (Verify.provenHeader(verdict) !== undefined) return Result.succeed(verdict.value)
    const isLater = verdict.claimed.some(
      ({ reason }) =>
        EthReason.UnknownHeaderFields.is(reason) ||
        EthReason.SlotNotSent.is(reason) ||
        EthReason.ForkMismatch.is(reason)
    )
    return isLater ? Result.succeed(undefined) : Result.fail(refute("header hash", hash, "a hash by another rule"))
  })

/** Maximum number of remembered block numbers: enough for a finalized head and a few minutes of optimistic heads. */
const KEPT = 16

const nothing = ({ header }: LightClientHeads.FollowedHead): TrustedAnswer => ({
  _tag: "Nothing",
  reason: LightClientReason.NoExecutionBlock({ slot: header.beacon.slot })
})

/** A reason that time may change. */
const notYet = (reason: Reason): TrustedAnswer => ({ _tag: "Nothing", reason, isYet: true })

const FINALITY = {
  Checkpoint: "checkpoint",
  Finalized: "finalized",
  Optimistic: "optimistic",
  Forced: "forced"
} as const satisfies Record<LightClientStore.HeaderSupport["_tag"], Anchor.LightClientAnchor["finality"]>

/** Converts the support of a head to the finality that verdicts show. */
export const finalityOf = ({ _tag }: LightClientStore.HeaderSupport): Anchor.LightClientAnchor["finality"] =>
  FINALITY[_tag]
