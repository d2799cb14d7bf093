/**
 * The block hash that the caller trusts, and why. All proofs lead back to this hash.
 *
 * From weakest to strongest: nothing (every answer is only claimed), several nodes that agree, a node that the operator
 * runs, a hash that the caller knows. Consensus is not checked here: `LightClientTrust` of
 * `@plumbline/beacon-light-client` provides this service from a checkpoint, and `OpStackTrust` of `@plumbline/op-stack`
 * provides it for a rollup from a trusted block of its parent chain.
 *
 * Only nodes vouch for the hash of a quorum or of the operator's node. Answers that rest on such a hash are CLAIMED with
 * it as their anchor, and clients that serve only proven answers refuse them unless `accept` is true.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import {
  type AnswerOfNode,
  DecodeError,
  DisagreementError,
  EncodeError,
  JsonRpcError
} from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
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
export type TrustedAnswer =
  /** No block is trusted: every answer is only claimed. `isYet` is true if the authority may name a block later. */
  | { readonly _tag: "Nothing"; readonly reason: Reason; readonly isYet?: boolean | undefined }
  /** This block is on the chain. Older blocks can be proven from it (see `Ancestry`). */
  | ({ readonly _tag: "OnChain" } & AuthorityBlock)
  /** This is exactly the block that the number or tag means. */
  | ({ readonly _tag: "Exactly" } & AuthorityBlock)

/** A block that an authority names. */
export interface AuthorityBlock {
  readonly hash: Hash32.Hash32
  /** The name of the authority, for display. */
  readonly by: string
  /** The anchor of verdicts that rest on this block. Default: the block's hash. */
  readonly anchor?: Anchor.LightClientAnchor | Anchor.RollupAnchor | undefined
  /** The anchor of verdicts that rest on this block, if no proof settles it. The verdicts are then CLAIMED. */
  readonly weak?: Anchor.WeakAnchor | undefined
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
    /** Fails with `RefutedError` if the authority found a lie, such as two signed chains. */
    readonly resolve: (block: BlockParameter.NumberOrTag) => Effect.Effect<TrustedAnswer, JsonRpcError | RefutedError>
  }
>()("@plumbline/eth-methods/TrustedBlock") {}

/** Trusts no block. A block that is requested by its hash is proven by that hash; all others are claimed. */
export const layerNone = (): Layer.Layer<TrustedBlock> =>
  Layer.succeed(TrustedBlock, {
    resolve: () => Effect.succeed({ _tag: "Nothing", reason: EthReason.NoTrust({}) })
  })

/**
 * Trusts a hash that the caller knows, for example from a block explorer, a colleague or a finalized checkpoint.
 *
 * If the text is not a hash, each read that asks for the trusted block fails with `JsonRpcError`, reason `EncodeError`.
 */
export const layerPinned = (hash: Input.Hash32): Layer.Layer<TrustedBlock> => {
  const trusted = Result.mapBoth(Hash32.fromHex(hash), {
    onFailure: ({ message }) => invalidArgument("layerPinned", "hash", message),
    onSuccess: (hash): TrustedAnswer => ({ _tag: "OnChain", hash, by: "a pinned hash" })
  })
  return Layer.succeed(TrustedBlock, { resolve: () => Effect.fromResult(trusted) })
}

/** Returns the error of a layer whose argument cannot be used. */
const invalidArgument = (layer: string, argument: string, detail: string): JsonRpcError =>
  new JsonRpcError({ method: `TrustedBlock.${layer}`, reason: new EncodeError({ path: [argument], detail }) })

/** The reader's consent to answers that rest on the word of nodes. */
export interface NodeConsent {
  /**
   * True if clients that serve only proven answers also serve answers that rest on the word of these nodes (default:
   * false). The answers are CLAIMED in both cases.
   */
  readonly accept?: boolean | undefined
}

/**
 * Trusts the block hashes of a node that the operator runs, such as a small node in the same network. The answers may
 * come from another node. They are CLAIMED, because no proof leads to the node's word.
 *
 * A block that this node does not know has no anchor. If the node cannot be reached, the read fails.
 */
export const layerOperator = <E, R>(
  node: Layer.Layer<Transport, E, R>,
  { accept: accepted = false }: NodeConsent = {}
): Layer.Layer<TrustedBlock, E, R> =>
  Layer.effect(
    TrustedBlock,
    Effect.map(EthClient.make, (eth) => ({
      resolve: (block) =>
        Effect.map(headerOf(eth, block), (found): TrustedAnswer =>
          found === null
            ? { _tag: "Nothing", reason: EthReason.TrustedNodeLacks({}), isYet: true }
            : {
                _tag: "Exactly",
                hash: found.hash,
                by: "the operator's node",
                weak: Anchor.operator({ hash: found.hash, accepted })
              }
        )
    }))
  ).pipe(Layer.provide(node))

/** One of the nodes of a quorum. Errors contain its names, so they must not be URLs. */
export interface QuorumNode {
  readonly name: string
  readonly transport: Transport["Service"]
  /** The operator of the node (default: the node's name). All nodes of one operator have one vote. */
  readonly operator?: string | undefined
}

/**
 * Believes a hash if `needed` of several independent operators name it. Answers that rest on it are CLAIMED, because
 * operators can be wrong together.
 *
 * An operator with several nodes has one vote: the hash that its nodes name. It has no vote if its nodes name different
 * hashes.
 *
 * A tag is first replaced by the highest number that `needed` of the operators have reached, because heads differ by a
 * block or two. Then `needed` operators must name the same hash for that number. Fails with `DisagreementError` if they
 * do not: a reorganisation is under way, or some of them lie.
 *
 * `needed` must be from 1 to the number of operators. Otherwise each read that asks for the trusted block fails with
 * `JsonRpcError`, reason `EncodeError`.
 */
export const layerQuorum = (
  nodes: ReadonlyArray<QuorumNode>,
  options: NodeConsent & { readonly needed: number }
): Layer.Layer<TrustedBlock> => {
  const { accept = false, needed } = options
  const operators = new Set(nodes.map(operatorOf)).size
  if (!(Number.isInteger(needed) && needed >= 1 && needed <= operators)) {
    const detail = `must be a whole number from 1 to the number of operators, ${operators}`
    return Layer.succeed(TrustedBlock, { resolve: () => Effect.fail(invalidArgument("layerQuorum", "needed", detail)) })
  }
  const rule: Rule = { needed, operators, accepted: accept }
  return Layer.effect(
    TrustedBlock,
    Effect.map(
      Effect.forEach(nodes, (node) =>
        Effect.map(Effect.provideService(EthClient.make, Transport, node.transport), (eth): Voter => ({
          name: node.name,
          operator: operatorOf(node),
          eth
        }))
      ),
      (voters) => ({ resolve: (block) => vote(voters, rule, block) })
    )
  )
}

const operatorOf = ({ name, operator = name }: QuorumNode): string => operator

/** Number of operators that must agree, number of operators in total, and the reader's consent. */
interface Rule {
  readonly needed: number
  readonly operators: number
  readonly accepted: boolean
}

interface Voter {
  readonly name: string
  readonly operator: string
  readonly eth: EthClient.Client
}

interface Vote {
  readonly name: string
  readonly operator: string
  readonly outcome: Result.Result<Found | null, JsonRpcError>
}

/** The part of a block that a vote is about. */
interface Found {
  readonly number: bigint
  readonly hash: Hash32.Hash32
}

const vote = Effect.fnUntraced(function* (
  voters: ReadonlyArray<Voter>,
  rule: Rule,
  block: BlockParameter.NumberOrTag
): Effect.fn.Return<TrustedAnswer, JsonRpcError> {
  const { needed } = rule
  if (block === "pending") return pendingIsNobodys
  const first = yield* ask(voters, block)
  const agreed = majority(first, rule)
  if (agreed !== undefined) return agreed
  const heights = new Map<string, bigint>()
  for (const { operator, outcome } of first) {
    if (Result.isFailure(outcome) || outcome.success === null) continue
    const { number } = outcome.success
    if (number > (heights.get(operator) ?? -1n)) heights.set(operator, number)
  }
  if (typeof block === "bigint" || heights.size < needed) return yield* disagreement(first, needed)
  const common = [...heights.values()].sort((a, b) => (a < b ? 1 : -1))[needed - 1]!
  const second = yield* ask(voters, common)
  return majority(second, rule) ?? (yield* disagreement(second, needed))
})

const ask = (voters: ReadonlyArray<Voter>, block: BlockParameter.NumberOrTag): Effect.Effect<ReadonlyArray<Vote>> =>
  Effect.forEach(
    voters,
    ({ eth, name, operator }) =>
      Effect.map(Effect.result(headerOf(eth, block)), (outcome): Vote => ({ name, operator, outcome })),
    { concurrency: "unbounded" }
  )

const majority = (votes: ReadonlyArray<Vote>, { accepted, needed, operators }: Rule): TrustedAnswer | undefined => {
  /** The hash of each operator; null if the operator's nodes name different hashes. */
  const said = new Map<string, Hash32.Hash32 | null>()
  for (const { operator, outcome } of votes) {
    if (Result.isFailure(outcome) || outcome.success === null) continue
    const { hash } = outcome.success
    const before = said.get(operator)
    said.set(operator, before === undefined || before === hash ? hash : null)
  }
  const supporters = Map.groupBy(said.keys(), (operator) => said.get(operator) ?? null)
  for (const [hash, names] of supporters) {
    if (hash === null || names.length < needed) continue
    const weak = Anchor.quorum({ hash, agree: names.length, of: operators, names, accepted })
    return { _tag: "Exactly", hash, by: `${names.length} of ${operators} operators`, weak }
  }
  return undefined
}

const disagreement = (votes: ReadonlyArray<Vote>, needed: number): Effect.Effect<never, JsonRpcError> =>
  Effect.fail(
    new JsonRpcError({
      method: "eth_getBlockByNumber",
      reason: new DisagreementError({
        needed,
        answers: votes.map(({ name, outcome }): AnswerOfNode =>
          Result.isFailure(outcome)
            ? { node: name, error: outcome.failure.message }
            : { node: name, result: outcome.success?.hash ?? null }
        )
      })
    })
  )

const pendingIsNobodys: TrustedAnswer = { _tag: "Nothing", reason: EthReason.PendingBlock({}) }

/**
 * Reads the number and hash of a block. Fails if a node of the authority returns a block of another number: trusting it
 * would blame the node that is read.
 */
const headerOf = (
  eth: EthClient.Client,
  block: BlockParameter.NumberOrTag
): Effect.Effect<Found | null, JsonRpcError> =>
  Effect.flatMap(
    eth.getBlockByNumber(block),
    (found: Block.WithHashes | null): Effect.Effect<Found | null, JsonRpcError> => {
      if (found === null || found.hash === null || found.number === null) return Effect.succeed(null)
      if (typeof block === "bigint" && found.number !== block) return Effect.fail(otherNumber())
      return Effect.succeed({ number: found.number, hash: Hash32.fromHexUnsafe(found.hash.toLowerCase()) })
    }
  )

const otherNumber = (): JsonRpcError =>
  new JsonRpcError({
    method: "eth_getBlockByNumber",
    reason: new DecodeError({ path: ["number"], detail: "Expected the requested number" })
  })
