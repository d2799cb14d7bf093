/**
 * The trust of `@plumbline/eth-methods` from a light client: a checkpoint in place of a block hash.
 *
 * `finalized` and `safe` are exactly the finalized block, because a light client knows no justified block. `latest` is
 * exactly the optimistic block. A block up to the finalized block is proven from the finalized block by ancestry. A
 * later block, up to the optimistic block, is proven from the optimistic block. A newer block is a claim of the node.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import { type Named, type Trusted, TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import type * as Heads from "../follow/Heads.ts"
import { type Client, LightClient } from "../follow/LightClient.ts"
import * as Clock from "../network/Clock.ts"
import type * as Network from "../network/Network.ts"
import { refuse } from "../refusal/Check.ts"
import type * as LightClientStore from "../verify/LightClientStore.ts"
import * as LightClientEvidence from "./LightClientEvidence.ts"
import * as LightClientReason from "./LightClientReason.ts"

/**
 * Provides the trust. The transport may lead to any node. From Gloas on, a head is only a hash, and its number comes
 * from the node's header, which must have this hash.
 *
 * A read fails with `Refuted`, check `conflict`, after an alarm of the light client, and with check
 * `execution-header-hash` if the node's header does not hash to a head.
 */
export const layer: Layer.Layer<TrustedBlock, never, LightClient | Transport> = /* @__PURE__ */ Layer.effect(
  TrustedBlock,
  /* @__PURE__ */ Effect.map(/* @__PURE__ */ Effect.all([LightClient, EthClient.make]), ([light, eth]) =>
    make(light, eth)
  )
)

/** Returns the trust as a value. */
export const make = (light: Client, eth: Pick<EthClient.Client, "getBlockByHash">): TrustedBlock["Service"] => {
  const { network } = light
  const numbers = new Map<Hash32.Hash32, bigint>()

  /** Returns the number of a head's execution block; undefined if the node does not know the block. */
  const numberOf = Effect.fnUntraced(function* (
    head: Heads.FollowedHead,
    hash: Hash32.Hash32
  ): Effect.fn.Return<bigint | undefined, JsonRpcError | Refuted> {
    if (head.header._tag === "WithPayload") return head.header.execution.blockNumber
    const known = numbers.get(hash)
    if (known !== undefined) return known
    const number = (yield* blockOf(hash, eth))?.number ?? undefined
    if (number === undefined) return undefined
    if (numbers.size === KEPT) numbers.delete(numbers.keys().next().value!)
    numbers.set(hash, number)
    return number
  })

  const byNumber = Effect.fnUntraced(function* (
    number: bigint,
    heads: Heads.Heads
  ): Effect.fn.Return<Trusted, JsonRpcError | Refuted> {
    for (const head of [heads.finalized, heads.optimistic]) {
      const { blockHash } = head
      if (blockHash === undefined) continue
      const at = yield* numberOf(head, blockHash)
      if (at === undefined) return { _tag: "Nothing", reason: EthReason.TrustedBlockUnknown({ hash: blockHash }) }
      if (number <= at) return { _tag: "OnChain", ...named(head, blockHash, heads, network) }
      if (head === heads.optimistic) {
        return { _tag: "Nothing", reason: LightClientReason.NewerThanHead({ number, head: at }) }
      }
    }
    return nothing(heads.optimistic)
  })

  return {
    resolve: (block: BlockParameter.NumberOrTag) =>
      Effect.flatMap(light.heads, (heads): Effect.Effect<Trusted, JsonRpcError | Refuted> => {
        switch (block) {
          case "pending":
            return Effect.succeed({ _tag: "Nothing", reason: EthReason.PendingBlock({}) })
          case "earliest":
            return byNumber(0n, heads)
          case "latest":
            return Effect.succeed(exactly(heads.optimistic, heads, network))
          case "safe":
          case "finalized":
            return Effect.succeed(exactly(heads.finalized, heads, network))
          default:
            return byNumber(block, heads)
        }
      })
  }
}

/**
 * Returns the execution block of a head. Any node may send the block, because the hash of its header must be the hash
 * that the head names. Returns undefined if the node does not have the block. From Gloas on, only this header has the
 * number and the time of a head.
 *
 * Fails with `Refuted`, check `execution-header-hash`.
 */
export const blockOf = (
  hash: Hash32.Hash32,
  eth: Pick<EthClient.Client, "getBlockByHash">
): Effect.Effect<Block.WithHashes | undefined, JsonRpcError | Refuted> =>
  Effect.flatMap(eth.getBlockByHash(hash), (block) =>
    block === null
      ? Effect.succeed(undefined)
      : Effect.fromResult(
          Result.mapError(provenBlock(block, hash), ({ expected, got, subject }) =>
            refuse("execution-header-hash", expected, got, subject ?? "execution header")
          )
        )
  )

/** Refuses a block in the form of another consensus too, because the head is one of Ethereum. */
const provenBlock = (block: Block.WithHashes, hash: Hash32.Hash32): Result.Result<Block.WithHashes, Refuted> =>
  Result.flatMap(Verify.block(block, hash), (verdict) =>
    Verify.provenHeader(verdict) === undefined
      ? Result.fail(refute("header hash", hash, "a hash by another rule"))
      : Result.succeed(verdict.value)
  )

/** Maximum number of remembered block numbers: enough for a finalized head and a few minutes of optimistic heads. */
const KEPT = 16

const nothing = ({ header }: Heads.FollowedHead): Trusted => ({
  _tag: "Nothing",
  reason: LightClientReason.NoExecutionBlock({ slot: header.beacon.slot })
})

const exactly = (head: Heads.FollowedHead, heads: Heads.Heads, network: Network.Network): Trusted =>
  head.blockHash === undefined ? nothing(head) : { _tag: "Exactly", ...named(head, head.blockHash, heads, network) }

const FINALITY = {
  Checkpoint: "checkpoint",
  Finalized: "finalized",
  Optimistic: "optimistic",
  Forced: "forced"
} as const satisfies Record<LightClientStore.Support["_tag"], Anchor.LightClientAnchor["finality"]>

/** Converts the support of a head to the finality that verdicts show. */
export const finalityOf = ({ _tag }: LightClientStore.Support): Anchor.LightClientAnchor["finality"] => FINALITY[_tag]

/** Returns the block of a head, with the anchor and the evidence for verdicts that trust this block. */
const named = (
  { by, header, support }: Heads.FollowedHead,
  hash: Hash32.Hash32,
  { checkpoint }: Heads.Heads,
  network: Network.Network
): Named => {
  const { slot } = header.beacon
  const from = LightClientEvidence.FromCheckpoint({ checkpoint: checkpoint.root, givenAt: checkpoint.givenAt })
  const anchorOf = (signed: number): Anchor.LightClientAnchor =>
    Anchor.lightClient({
      hash,
      checkpoint: checkpoint.root,
      slot,
      finality: FINALITY[support._tag],
      participation: [signed, network.syncCommitteeSize]
    })
  const name = `the light client's ${FINALITY[support._tag]} block`
  if (support._tag === "Checkpoint") return { hash, by: name, anchor: anchorOf(0), proven: [from] }
  const { attestedSlot, bits, of: size, signed } = support
  const signatures = LightClientEvidence.CommitteeSigned({
    slot,
    attestedSlot,
    attestedAt: Clock.timeOf(network, attestedSlot),
    finality: FINALITY[support._tag],
    signed,
    size,
    bits,
    by
  })
  return { hash, by: name, anchor: anchorOf(signed), proven: [signatures, from] }
}
