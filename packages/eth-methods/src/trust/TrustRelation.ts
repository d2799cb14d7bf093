/**
 * The relation of a block to trust, for programs that follow a chain: an authority names the block, or its parents lead
 * to a block that an authority names.
 *
 * The clients that verify use the same relation for each read.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import type * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type * as Ancestry from "./Ancestry.ts"
import * as ProvenHeaders from "./provenHeaders.ts"
import * as Relations from "./relations.ts"
import type { TrustedBlock } from "./TrustedBlock.ts"

export type { RelatedParent, BlockRelation, Unverified, Vouched } from "./relations.ts"

/**
 * Returns the relation of a block that its own hash proves. Give the block's parent if its relation is known, so that no
 * walk is needed. Fails with `RefutedError` if the block contradicts a trusted block that cannot be reorganised.
 */
export type RelateBlock = (
  block: Verified<Block.Block>,
  parent?: Relations.RelatedParent
) => Effect.Effect<Relations.BlockRelation, JsonRpcError | RefutedError>

/** Makes the function that relates blocks to trust. It remembers the headers that it has proven. */
export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  options?: Ancestry.AncestryOptions
): RelateBlock => Relations.make(eth, trust, ProvenHeaders.make(), options).follow

/** True if a later question to the authority may give a better relation. */
export const mayImprove = ({ _tag }: Relations.BlockRelation): boolean => _tag === "Another" || _tag === "Behind"

/** Returns the reason why nothing proves that the block is on the chain; undefined if a trusted hash proves it. */
export const unprovenBy = Relations.unprovenBy
