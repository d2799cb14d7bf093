/**
 * From a proven block to what is trusted: the hash itself, an authority's word for it, or a walk from a later block.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { type Verdict, type Verified, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import { verifyBlock } from "../proof/block.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as Ancestry from "../trust/Ancestry.ts"
import type { TrustedBlock } from "../trust/TrustedBlock.ts"
import { type Headers, onlyHashes } from "./headers.ts"
import { moved, type Reading } from "./moved.ts"

/** The tie of a block to trust: the node's word alone, for a reason, or an anchor, with the claims that remain. */
export type Tie =
  | { readonly _tag: "Word"; readonly reason: Reason }
  | {
      readonly _tag: "Tied"
      readonly anchor: Hash32.Hash32
      /** The evidence that leads from the anchor to the block; undefined if the caller named the block by its hash. */
      readonly by: ReturnType<typeof EthEvidence.OnChain> | undefined
      readonly claimed: ReadonlyArray<Claim.Claim>
      /** The number of the trusted block, where the block is one before it. */
      readonly before?: bigint | undefined
    }

/** Ties blocks to trust. */
export type Ties = (block: Verified<Block.Block>) => Reading<Tie>

export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  headers: Headers,
  options?: Ancestry.Options
): Ties => {
  const header = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verified<Block.WithHashes> | null, JsonRpcError | Refuted> {
    const known = headers.get(hash)
    if (known !== undefined) return known
    const block = yield* eth.getBlockByHash(hash)
    if (block === null) return null
    const verdict = yield* Effect.fromResult(verifyBlock(block, hash))
    if (verdict._tag === "CLAIMED") return null
    headers.keep(hash, verdict)
    return verdict
  })

  const tie: Ties = Effect.fnUntraced(function* (block) {
    const number = block.value.number!
    const hash = block.value.hash!
    const trusted = yield* trust.resolve(number)
    switch (trusted._tag) {
      case "Nothing":
        return word(hash, trusted.reason)
      case "Exactly":
        return Hex.equals(trusted.hash, hash)
          ? tied(trusted.hash, trusted.by)
          : yield* Effect.fail(moved(`block ${number} is ${trusted.hash} by ${trusted.by}, and ${hash} by the node`))
      case "OnChain":
        return yield* tieToAncestor(block, number, trusted)
    }
  })

  const tieToAncestor = Effect.fnUntraced(function* (
    block: Verified<Block.Block>,
    number: bigint,
    trusted: { readonly hash: Hash32.Hash32; readonly by: string }
  ): Effect.fn.Return<Tie, JsonRpcError | Refuted> {
    const hash = block.value.hash!
    if (Hex.equals(trusted.hash, hash)) return tied(trusted.hash, trusted.by)
    const from = yield* header(trusted.hash)
    if (from === null) return word(hash, EthReason.TrustedBlockUnknown({ hash: trusted.hash }))
    if (from.value.number === number) return yield* refute("trusted block", trusted.hash, hash)
    const reached = yield* Ancestry.reach(
      {
        getProof: eth.getProof,
        // the block itself is proven already: it is not read again, nor are its transactions looked at once more
        getBlockByHash: ((asked: Hash32.Hash32) =>
          Hex.equals(asked, hash)
            ? Effect.succeed(onlyHashes(block.value))
            : Effect.map(header(asked), (known) => known?.value ?? null)) as never
      },
      from,
      number,
      options
    )
    if (reached._tag === "Unreached") return word(hash, reached.reason)
    const proven = reached.block.value.hash!
    return Hex.equals(proven, hash)
      ? tied(trusted.hash, trusted.by, { before: from.value.number! })
      : yield* refute(`block ${number} before the trusted block ${trusted.hash}`, proven, hash)
  })
  return tie
}

const word = (hash: Hash32.Hash32, cause: Reason): Tie => ({
  _tag: "Word",
  reason: EthReason.NotOnChain({ block: hash, cause })
})

/** A block that an authority names, or that comes before one that it names. */
export const tied = (anchor: Hash32.Hash32, by: string, options?: { readonly before: bigint }): Tie => ({
  _tag: "Tied",
  anchor,
  by: EthEvidence.OnChain({ by, ancestor: options !== undefined }),
  claimed: [],
  before: options?.before
})

/** That a block is of the chain can be proven; that it is the latest, or safe, or final, cannot. */
export const withTag = (tie: Tie, tag: BlockParameter.Tag): Tie => {
  if (tie._tag === "Word" || tag === "earliest") return tie
  const staleBefore = tag === "latest" ? tie.before : undefined
  return { ...tie, claimed: [Claim.question("block", EthReason.Tag({ tag, staleBefore }))] }
}

/** True if the claim says that a block is the latest of a chain on which a later one is trusted. */
export const isStale = ({ reason }: Claim.Claim): boolean =>
  EthReason.Tag.is(reason) && reason.staleBefore !== undefined

/** A verdict about something in a block that was located: VERIFIED under the anchor of trust, or the node's word. */
export const settle = <A>(tie: Tie, verdict: Verdict<A>): Verdict<A> => {
  if (verdict._tag === "CLAIMED") return verdict
  return tie._tag === "Tied"
    ? Proven.amend(verdict, {
        anchor: Anchor.block(tie.anchor),
        proven: tie.by === undefined ? verdict.proven : [...verdict.proven, tie.by],
        claimed: [...tie.claimed, ...verdict.claimed]
      })
    : weaken(verdict, tie.reason)
}
