/**
 * The block hash that the caller trusts, and why. All proofs lead back to this hash.
 *
 * From weakest to strongest: nothing (every answer is only claimed), several nodes that agree, a node that the operator
 * runs, a hash that the caller knows. Consensus is not checked here: `LightClientTrust` of
 * `@plumbline/beacon-light-client` provides this service from a checkpoint.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import { type Answer, DisagreementError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Reason } from "@plumbline/verdict/Reason"
import type { Refuted } from "@plumbline/verdict/Refuted"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

import * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Input from "../model/Input.ts"
import * as EthReason from "../proof/EthReason.ts"

/** The result of resolving a number or tag to a trusted block. */
export type Trusted =
  /** No block is trusted: every answer is only claimed. `isYet` is true if the authority may name a block later. */
  | { readonly _tag: "Nothing"; readonly reason: Reason; readonly isYet?: boolean | undefined }
  /** This block is on the chain. Older blocks can be proven from it (see `Ancestry`). */
  | ({ readonly _tag: "OnChain" } & Named)
  /** This is exactly the block that the number or tag means. */
  | ({ readonly _tag: "Exactly" } & Named)

/** A block that an authority names. */
export interface Named {
  readonly hash: Hash32.Hash32
  /** The name of the authority, for display. */
  readonly by: string
  /** The anchor of verdicts that rest on this block. Default: the block's hash. */
  readonly anchor?: Anchor.LightClientAnchor | undefined
  /** The authority's evidence for the block, if the authority proves it. */
  readonly proven?: ReadonlyArray<Evidence> | undefined
}

/**
 * The service. A read resolves its block once, so that a tag becomes one hash and every further call is about that
 * hash.
 *
 * ```ts import.meta.vitest
 * import { TrustedBlock } from "@plumbline/eth-methods"
 * import { Effect } from "effect"
 *
 * const hash = "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
 * const trusted = TrustedBlock.TrustedBlock.use((trust) => trust.resolve("latest"))
 * const told = Effect.runSync(Effect.provide(trusted, TrustedBlock.layerPinned(hash)))
 * told._tag // => "OnChain"
 * ```
 */
export class TrustedBlock extends Context.Service<
  TrustedBlock,
  {
    /** Fails with `Refuted` if the authority found a lie, such as two signed chains. */
    readonly resolve: (block: BlockParameter.NumberOrTag) => Effect.Effect<Trusted, JsonRpcError | Refuted>
  }
>()("@plumbline/eth-methods/TrustedBlock") {}

/** Trusts no block. A block that is requested by its hash is proven by that hash; all others are claimed. */
export const layerNone: Layer.Layer<TrustedBlock> = Layer.succeed(TrustedBlock, {
  resolve: () => Effect.succeed({ _tag: "Nothing", reason: EthReason.NoTrust({}) })
})

/**
 * Trusts a hash that the caller knows, for example from a block explorer, a colleague or a finalized checkpoint.
 *
 * Throws `HexError` if the text is not a hash, because that is a mistake in the program, like a wrong quorum.
 */
export const layerPinned = (hash: Input.Hash32): Layer.Layer<TrustedBlock> => {
  const trusted: Trusted = { _tag: "OnChain", hash: Hash32.fromHexUnsafe(hash), by: "a pinned hash" }
  return Layer.succeed(TrustedBlock, { resolve: () => Effect.succeed(trusted) })
}

/**
 * Trusts the block hashes of a node that the operator runs, such as a small node in the same network. The answers may
 * come from another node.
 *
 * A block that this node does not know stays CLAIMED. If the node cannot be reached, the read fails.
 */
export const layerOperator = <E, R>(node: Layer.Layer<Transport, E, R>): Layer.Layer<TrustedBlock, E, R> =>
  Layer.effect(
    TrustedBlock,
    Effect.map(EthClient.make, (eth) => ({
      resolve: (block) =>
        Effect.map(headerOf(eth, block), (found): Trusted =>
          found === null
            ? { _tag: "Nothing", reason: EthReason.TrustedNodeLacks({}), isYet: true }
            : { _tag: "Exactly", hash: found.hash, by: "a trusted node" }
        )
    }))
  ).pipe(Layer.provide(node))

/** One of the nodes of a quorum. Errors contain its name, so the name must not be a URL. */
export interface QuorumNode {
  readonly name: string
  readonly transport: Transport["Service"]
}

/**
 * Trusts a hash if `needed` of several independent nodes agree on it.
 *
 * A tag is first replaced by the highest number that `needed` of the nodes have reached, because heads differ by a
 * block or two. Then `needed` nodes must name the same hash for that number. Fails with `DisagreementError` if they do
 * not: a reorganisation is under way, or some of them lie.
 *
 * `needed` must be from 1 to the number of nodes; otherwise `layerQuorum` throws.
 */
export const layerQuorum = (
  nodes: ReadonlyArray<QuorumNode>,
  options: { readonly needed: number }
): Layer.Layer<TrustedBlock> => {
  const { needed } = options
  if (!(Number.isInteger(needed) && needed >= 1 && needed <= nodes.length)) {
    throw new Error(`TrustedBlock: needed must be a whole number from 1 to ${nodes.length}`)
  }
  return Layer.effect(
    TrustedBlock,
    Effect.map(
      Effect.forEach(nodes, ({ name, transport }) =>
        Effect.map(Effect.provideService(EthClient.make, Transport, transport), (eth): Voter => ({ name, eth }))
      ),
      (voters) => ({ resolve: (block) => vote(voters, needed, block) })
    )
  )
}

interface Voter {
  readonly name: string
  readonly eth: EthClient.Client
}

interface Vote {
  readonly name: string
  readonly outcome: Result.Result<Found | null, JsonRpcError>
}

/** The part of a block that a vote is about. */
interface Found {
  readonly number: bigint
  readonly hash: Hash32.Hash32
}

const vote = Effect.fnUntraced(function* (
  voters: ReadonlyArray<Voter>,
  needed: number,
  block: BlockParameter.NumberOrTag
): Effect.fn.Return<Trusted, JsonRpcError> {
  if (block === "pending") return pendingIsNobodys
  const first = yield* ask(voters, block)
  const agreed = majority(first, needed)
  if (agreed !== undefined) return agreed
  const reached = first.flatMap(({ outcome }) =>
    Result.isSuccess(outcome) && outcome.success !== null ? [outcome.success.number] : []
  )
  if (typeof block === "bigint" || reached.length < needed) return yield* disagreement(first, needed)
  const common = reached.sort((a, b) => (a < b ? 1 : -1))[needed - 1]!
  const second = yield* ask(voters, common)
  return majority(second, needed) ?? (yield* disagreement(second, needed))
})

const ask = (voters: ReadonlyArray<Voter>, block: BlockParameter.NumberOrTag): Effect.Effect<ReadonlyArray<Vote>> =>
  Effect.forEach(
    voters,
    ({ eth, name }) => Effect.map(Effect.result(headerOf(eth, block)), (outcome): Vote => ({ name, outcome })),
    { concurrency: "unbounded" }
  )

const majority = (votes: ReadonlyArray<Vote>, needed: number): Trusted | undefined => {
  const counts = new Map<Hash32.Hash32, number>()
  for (const { outcome } of votes) {
    if (Result.isFailure(outcome) || outcome.success === null) continue
    const { hash } = outcome.success
    const count = (counts.get(hash) ?? 0) + 1
    if (count >= needed) return { _tag: "Exactly", hash, by: `${needed} of ${votes.length} nodes` }
    counts.set(hash, count)
  }
  return undefined
}

const disagreement = (votes: ReadonlyArray<Vote>, needed: number): Effect.Effect<never, JsonRpcError> =>
  Effect.fail(
    new JsonRpcError({
      method: "eth_getBlockByNumber",
      reason: new DisagreementError({
        needed,
        answers: votes.map(({ name, outcome }): Answer =>
          Result.isFailure(outcome)
            ? { node: name, error: outcome.failure.message }
            : { node: name, result: outcome.success?.hash ?? null }
        )
      })
    })
  )

const pendingIsNobodys: Trusted = { _tag: "Nothing", reason: EthReason.PendingBlock({}) }

const headerOf = (
  eth: EthClient.Client,
  block: BlockParameter.NumberOrTag
): Effect.Effect<Found | null, JsonRpcError> =>
  Effect.map(eth.getBlockByNumber(block), (found: Block.WithHashes | null) =>
    found === null || found.hash === null || found.number === null
      ? null
      : { number: found.number, hash: Hash32.fromHexUnsafe(found.hash.toLowerCase()) }
  )
