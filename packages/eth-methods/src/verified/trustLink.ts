/** Links the answers of a read to trust, by the relation of the block that they are about. */
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { restOn, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as BlockParameter from "../model/BlockParameter.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { Relations, Unverified, Vouched } from "../trust/relations.ts"
import type { TrustedAnswer } from "../trust/TrustedBlock.ts"
import { reorgMismatch, type ReorgRead } from "./reorgRetry.ts"

/** The relation of a block to which a verdict can be linked. */
export type Link = Vouched | Unverified

/** Returns the link of a block. Fails with `Moved` if the authority names another block for its number. */
export const of = (relate: Relations["relate"], ...[block, early]: Parameters<Relations["relate"]>): ReorgRead<Link> =>
  Effect.flatMap(relate(block, early), (relation): ReorgRead<Link> => {
    if (relation._tag !== "Another") return Effect.succeed(relation)
    const { hash, number } = block.value
    return Effect.fail(reorgMismatch(`block ${number} is ${relation.hash} by ${relation.by}, and ${hash} by the node`))
  })

/**
 * Adds the claim that the tag means the block with this number. A proof shows that a block is on the chain, but not that
 * it is the latest, safe or finalized one. If trust names no block for the tag, the answer rests on the node's word
 * alone: an old block of the chain must not pass for the latest one.
 *
 * The number 0 proves that a block is the earliest. geth and reth return a later one if they have deleted the blocks
 * before it. That is no lie, but any block could pass for it, so the answer is only claimed.
 */
export const withTag = (
  link: Link,
  tag: BlockParameter.Tag,
  { number, trusted }: { readonly number: bigint; readonly trusted: TrustedAnswer }
): Link => {
  if (link._tag !== "Vouched") return link
  if (tag === "earliest") return number === 0n ? link : { _tag: "Unverified", reason: EthReason.Tag({ tag }) }
  if (trusted._tag === "Nothing") return { _tag: "Unverified", reason: trusted.reason }
  const staleBefore = tag === "latest" ? link.before : undefined
  return { ...link, claimed: [Claim.question("block", EthReason.Tag({ tag, staleBefore }))] }
}

/** True if the claim is about a tag whose block is older than a trusted block. */
export const isStale = ({ reason }: Claim.Claim): boolean =>
  EthReason.Tag.is(reason) && reason.staleBefore !== undefined

/**
 * Returns a verdict about a part of a located block: VERIFIED under the link's anchor, or CLAIMED if nothing proves that
 * the block is on the chain, or no proof settles the anchor.
 */
export const settle = <A>(link: Link, verdict: Verdict<A>): Verdict<A> => {
  if (verdict._tag === "CLAIMED") return verdict
  if (link._tag !== "Vouched") return weaken(verdict, link.reason)
  const { anchor } = link
  const parts = {
    proven: [...verdict.proven, ...(link.by === undefined ? [] : [link.by]), ...link.proven],
    claimed: [...link.claimed, ...verdict.claimed]
  }
  return Anchor.isWeak(anchor)
    ? restOn(Proven.amend(verdict, parts), anchor)
    : Proven.amend(verdict, { ...parts, anchor })
}
