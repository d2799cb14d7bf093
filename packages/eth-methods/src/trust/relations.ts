/** Relates proven blocks to the trusted block: by its hash, by an authority that names it, or by a walk between them. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import type * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import { type Reason, RestsOn } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import { ancestorQuestion } from "../proof/eip2935.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { AccountProofQuestion } from "../proof/verifyAccountProof.ts"
import { verifyBlock } from "../proof/verifyBlock.ts"
import * as Ancestry from "./Ancestry.ts"
import * as Coalescing from "./coalescing.ts"
import * as HistoricalHash from "./historicalHash.ts"
import type { AuthorityBlock, TrustedAnswer, TrustedBlock } from "./TrustedBlock.ts"

/** The relation of a block, which its own hash proves, to the trusted block. */
export type BlockRelation =
  | Vouched
  /** The parents of the block lead to the trusted block. Only the node says that the chain continues with this block. */
  | { readonly _tag: "Extends"; readonly trusted: Hash32.Hash32 }
  /** The authority names another block for this number. The authority or the node is behind, or one of them lies. */
  | { readonly _tag: "Another"; readonly by: string; readonly hash: Hash32.Hash32 }
  | Unverified

/** The trusted authority names the block, or a later one; or the caller named the block by its hash. */
export interface Vouched {
  readonly _tag: "Vouched"
  readonly anchor: Anchor.Anchor | Anchor.WeakAnchor
  /**
   * The evidence that leads from the anchor to the block; undefined if the caller named the block by its hash, or if
   * only nodes vouch for the anchor.
   */
  readonly by: ReturnType<typeof EthEvidence.OnChain> | undefined
  /** The evidence of the authority that named the anchor. */
  readonly proven: ReadonlyArray<Evidence>
  readonly claimed: ReadonlyArray<Claim.Claim>
  /** The number of the trusted block, if this block is its ancestor. */
  readonly before?: bigint | undefined
}

/** Only the node vouches for the block. It is `Behind` if the authority may know the block later. */
export interface Unverified {
  readonly _tag: "Behind" | "Unverified"
  readonly reason: Reason
}

/** A parent of a block, with its relation. */
export interface RelatedParent {
  readonly hash: Hash32.Hash32
  readonly relation: BlockRelation
}

/** Answers that a relation needs, read before it is known which block is related. They prove nothing by themselves. */
export interface EarlyAnswers {
  /** The trusted block for the given number, if only the relation needs it. */
  readonly resolved?: { readonly number: bigint; readonly trusted: TrustedAnswer }
  /** The proof of an older block's hash in the state of a trusted block. */
  readonly leap?: {
    readonly from: Hash32.Hash32
    readonly question: AccountProofQuestion
    readonly answer: Result.Result<AccountProof.AccountProof, JsonRpcError>
  }
}

/** Relates blocks to trust. */
export interface Relations {
  /**
   * Returns the relation of a block. A block after the trusted block is `Unverified`. If the trusted block has another
   * ancestor with the same number, fails with `RefutedError`, or returns `Another` if the trusted block can still be
   * reorganised.
   */
  readonly relate: (block: Verified<Block.Block>, early?: EarlyAnswers) => Read<Vouched | Another | Unverified>
  /** Works as `relate`, but also finds that a block extends the trusted block: by its parent, or by a walk. */
  readonly follow: (block: Verified<Block.Block>, parent?: RelatedParent) => Read<BlockRelation>
  /**
   * Reads in advance the data that relates a block to trust, so that it arrives together with the block. Never fails,
   * because `relate` reads missing data again. `number` is undefined if only a tag is known.
   */
  readonly early: (trusted: TrustedAnswer, number: bigint | undefined) => Effect.Effect<EarlyAnswers>
  /** Works as `early`, for a block that an answer named. */
  readonly earlyOf: (number: bigint, hash: Hash32.Hash32) => Effect.Effect<EarlyAnswers>
  /**
   * Returns the header of the block with this number, if an earlier read proved that it comes before the trusted block.
   */
  readonly known: (
    trusted: TrustedAnswer,
    number: bigint
  ) => { readonly header: Header; readonly relation: Vouched } | undefined
}

type Another = Extract<BlockRelation, { readonly _tag: "Another" }>

type Read<A> = Effect.Effect<A, JsonRpcError | RefutedError>

type Header = Verified<Block.WithHashes>

export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  headers: Ancestry.AncestryHeaders,
  options?: Ancestry.AncestryOptions
): Relations => {
  const ancestors: Ancestors = new BoundedMap(ANCESTORS)
  const walks: TrustWalks = { eth, headers, ancestors, options }
  const header = headerReader(walks)
  const leapAtOnce = Coalescing.make<AccountProof.AccountProof, JsonRpcError>("underWay")

  const early: Relations["early"] = (trusted, number) =>
    Effect.suspend((): Effect.Effect<EarlyAnswers> => {
      if (trusted._tag !== "OnChain") return nothingEarly
      const from = headers.get(trusted.hash)
      if (from === undefined) return Effect.andThen(Effect.ignore(header(trusted.hash)), nothingEarly)
      if (number === undefined || ancestors.use(idOf(trusted, number)) !== undefined) return nothingEarly
      const newer = from.value.number!
      // for two steps back, read the block between; its hash is known
      if (number === newer - 2n) return Effect.andThen(Effect.ignore(header(from.value.parentHash)), nothingEarly)
      const target = HistoricalHash.historicalTarget(newer, number)
      if (target === undefined) return nothingEarly
      const question = ancestorQuestion(target)
      const asked = leapAtOnce(
        idOf(trusted, target),
        eth.getProof(question.address, question.storageKeys, { blockHash: trusted.hash })
      )
      return Effect.map(Effect.result(asked), (answer) => ({ leap: { from: trusted.hash, question, answer } }))
    })

  const earlyOf: Relations["earlyOf"] = (number, hash) =>
    Effect.matchEffect(trust.resolve(number), {
      onFailure: () => nothingEarly,
      onSuccess: (trusted) => {
        const isItself = trusted._tag === "OnChain" && Hex.equals(trusted.hash, hash)
        const read = isItself ? nothingEarly : early(trusted, number)
        return Effect.map(read, (found): EarlyAnswers => ({ ...found, resolved: { number, trusted } }))
      }
    })

  const known: Relations["known"] = (trusted, number) => {
    if (trusted._tag !== "OnChain") return undefined
    const from = headers.get(trusted.hash)
    if (from === undefined) return undefined
    if (from.value.number === number) return { header: from, relation: vouched(trusted) }
    const hash = ancestors.use(idOf(trusted, number))
    const header = hash === undefined ? undefined : headers.get(hash)
    return header === undefined ? undefined : { header, relation: vouched(trusted, { before: from.value.number! }) }
  }

  const relate: Relations["relate"] = (block, early) => {
    const number = block.value.number!
    const trusted = early?.resolved?.number === number ? Effect.succeed(early.resolved.trusted) : trust.resolve(number)
    return Effect.flatMap(trusted, (trusted) =>
      trusted._tag === "OnChain" ? toAncestor(block, trusted, early) : Effect.succeed(named(block, trusted))
    )
  }

  const follow: Relations["follow"] = (block, parent) =>
    Effect.flatMap(trust.resolve(block.value.number!), (trusted): Read<BlockRelation> => {
      if (trusted._tag !== "OnChain") return Effect.succeed(named(block, trusted))
      if (Hex.equals(trusted.hash, block.value.hash!)) return Effect.succeed(vouched(trusted))
      return parent?.relation._tag === "Extends" || (parent !== undefined && Hex.equals(parent.hash, trusted.hash))
        ? Effect.succeed({ _tag: "Extends", trusted: trusted.hash })
        : Effect.flatMap(fromTrusted(block, trusted), (from) =>
            from._tag === "VERIFIED" && block.value.number! > from.value.number!
              ? toDescendant(walks, block, trusted, from)
              : toAncestorOf(walks, block, trusted, from)
          )
    })

  /** Reads the trusted block. Returns the relation of the given block if the node cannot prove the trusted block. */
  const fromTrusted = (block: Verified<Block.Block>, { anchor, hash }: OnChain): Read<Header | Unverified> =>
    Effect.map(header(hash), (from): Header | Unverified => {
      if (from === null) {
        // the node may still get the block of a light client, but hardly a block that the reader named
        const cause = EthReason.TrustedBlockUnknown({ hash })
        return unverified(block, cause, anchor !== undefined)
      }
      return from._tag === "CLAIMED" ? unverified(block, from.claimed[0]!.reason) : from
    })

  const toAncestor = (
    block: Verified<Block.Block>,
    trusted: OnChain,
    early: EarlyAnswers | undefined
  ): Read<Vouched | Another | Unverified> =>
    Hex.equals(trusted.hash, block.value.hash!)
      ? Effect.succeed(vouched(trusted))
      : Effect.flatMap(fromTrusted(block, trusted), (from) => toAncestorOf(walks, block, trusted, from, early))

  return { relate, follow, early, earlyOf, known }
}

/** Proven hashes of older blocks. The key is the hash of the trusted block, with the number of the older block. */
type Ancestors = BoundedMap<string, Hash32.Hash32>

/** The reads and the memory of the walks between a block and the trusted block. */
interface TrustWalks {
  readonly eth: EthClient.Client
  readonly headers: Ancestry.AncestryHeaders
  readonly ancestors: Ancestors
  readonly options: Ancestry.AncestryOptions | undefined
}

/** Returns the reader of headers. It gives the verdict of a header that is only claimed, and null if there is none. */
const headerReader = ({ eth, headers, options }: TrustWalks) => {
  const headerAtOnce = Coalescing.make<Verdict<Block.WithHashes> | null, JsonRpcError | RefutedError>("underWay")
  const readHeader = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verdict<Block.WithHashes> | null, JsonRpcError | RefutedError> {
    const block: Block.WithHashes | null = yield* eth.getBlockByHash(hash)
    if (block === null) return null
    const verdict = yield* Effect.fromResult(
      verifyBlock(block, hash, { chainId: options?.chainId, engine: options?.engine, forks: options?.forks })
    )
    if (verdict._tag === "VERIFIED") headers.keep(hash, verdict)
    return verdict
  })

  return (hash: Hash32.Hash32): Read<Verdict<Block.WithHashes> | null> =>
    Effect.suspend(() => {
      const known = headers.get(hash)
      return known === undefined ? headerAtOnce(hash.toLowerCase(), readHeader(hash)) : Effect.succeed(known)
    })
}

/** Relates a block that is not after the trusted block, by a walk back from the trusted block. */
const toAncestorOf = Effect.fnUntraced(function* (
  { ancestors, eth, headers, options }: TrustWalks,
  block: Verified<Block.Block>,
  trusted: OnChain,
  from: Header | Unverified,
  early?: EarlyAnswers
): Effect.fn.Return<Vouched | Another | Unverified, JsonRpcError | RefutedError> {
  if (from._tag !== "VERIFIED") return from
  const number = block.value.number!
  const hash = block.value.hash!
  if (from.value.number === number) return yield* another(trusted, trusted.hash, "trusted block", hash)
  const before = { before: from.value.number! }
  const id = idOf(trusted, number)
  const remembered = ancestors.use(id)
  if (remembered !== undefined && Hex.equals(remembered, hash)) return vouched(trusted, before)
  // the block is already proven, so neither it nor its transactions are read again
  const itself = Effect.succeed(Block.onlyHashes(block.value))
  const reached = yield* Ancestry.reach(
    {
      headers,
      getProof: (address, keys, at) =>
        early?.leap !== undefined && isAbout(early.leap, keys as ReadonlyArray<StorageKey.StorageKey>, at)
          ? Effect.fromResult(early.leap.answer)
          : eth.getProof(address, keys, at),
      getBlockByHash: ((asked: Hash32.Hash32) =>
        Hex.equals(asked, hash) ? itself : eth.getBlockByHash(asked)) as never,
      getBlockByNumber: ((asked: bigint) => (asked === number ? itself : eth.getBlockByNumber(asked))) as never
    },
    from,
    number,
    options
  )
  if (reached._tag === "Unreached") return unverified(block, reached.reason)
  const proven = reached.block.value.hash!
  if (!Hex.equals(proven, hash)) {
    return yield* another(trusted, proven, `block ${number} before the trusted block ${trusted.hash}`, hash)
  }
  ancestors.set(id, hash)
  return vouched(trusted, before)
})

/**
 * Relates a block after the trusted block. The way back to the trusted block goes through the block's own state, or
 * through its parents.
 */
const toDescendant = (
  { eth, headers, options }: TrustWalks,
  block: Verified<Block.Block>,
  authority: OnChain,
  from: Header
): Read<BlockRelation> =>
  Effect.flatMap(
    Ancestry.reach({ ...eth, headers }, block, from.value.number!, options),
    (reached): Read<BlockRelation> => {
      if (reached._tag === "Unreached") return Effect.succeed(unverified(block, reached.reason))
      const trusted = from.value.hash!
      const { hash } = reached.block.value
      return Hex.equals(hash!, trusted)
        ? Effect.succeed({ _tag: "Extends", trusted })
        : another(authority, trusted, "trusted block", hash!)
    }
  )

/** Returns the relation of a block to an authority that names exactly one block for its number, or none. */
const named = (
  block: Verified<Block.Block>,
  trusted: Exclude<TrustedAnswer, OnChain>
): Vouched | Another | Unverified => {
  if (trusted._tag === "Nothing") return unverified(block, trusted.reason, trusted.isYet)
  const { by, hash } = trusted
  return Hex.equals(hash, block.value.hash!) ? vouched(trusted) : { _tag: "Another", by, hash }
}

type OnChain = Extract<TrustedAnswer, { readonly _tag: "OnChain" }>

/** The finality of heads that consensus can still replace. An honest node may already be on the other branch. */
const REORGANISABLE: ReadonlySet<Anchor.LightClientAnchor["finality"] | undefined> = new Set(["optimistic", "forced"])

/** Returns the finality of the light client's head; of L1's for a block of a rollup. Undefined without a light client. */
const finalityOf = (anchor: Anchor.RollupAnchor["l1"] | undefined): Anchor.LightClientAnchor["finality"] | undefined =>
  anchor?._tag === "Rollup" ? finalityOf(anchor.l1) : anchor?._tag === "LightClient" ? anchor.finality : undefined

/**
 * Handles a block for whose number the authority names the block with the hash `expected`. This refutes the node, unless
 * the authority's block can still be reorganised, or no proof settles it.
 */
const another = (
  { anchor, by, weak }: OnChain,
  expected: Hash32.Hash32,
  check: string,
  got: Hash32.Hash32
): Effect.Effect<Another, RefutedError> =>
  weak !== undefined || REORGANISABLE.has(finalityOf(anchor))
    ? Effect.succeed({ _tag: "Another", by, hash: expected })
    : Effect.fail(refute(check, expected, got))

const nothingEarly: Effect.Effect<EarlyAnswers> = Effect.succeed({})

/** True if the early answer is the answer to this call of a walk. */
const isAbout = (
  { from, question }: NonNullable<EarlyAnswers["leap"]>,
  keys: ReadonlyArray<StorageKey.StorageKey>,
  at: BlockParameter.BlockParameter | undefined
): boolean =>
  typeof at === "object" && "blockHash" in at && at.blockHash === from && keys[0] === question.storageKeys[0]

/** Maximum number of ancestor hashes to keep, about 200 bytes each. */
const ANCESTORS = 1024

const idOf = (trusted: OnChain, number: bigint): string => `${trusted.hash} ${number}`

const unverified = ({ value }: Verified<Block.Block>, cause: Reason, isYet = false): Unverified => ({
  _tag: isYet ? "Behind" : "Unverified",
  reason: EthReason.NotOnChain({ block: value.hash!, cause })
})

/** Returns the relation of a block that an authority names, or of an ancestor of such a block. */
export const vouched = (
  { anchor, by, hash, proven = [], weak }: AuthorityBlock,
  options?: { readonly before: bigint }
): Vouched => ({
  _tag: "Vouched",
  anchor: weak ?? anchor ?? Anchor.block(hash),
  by: weak === undefined ? EthEvidence.OnChain({ by, ancestor: options !== undefined }) : undefined,
  proven,
  claimed: [],
  before: options?.before
})

/** Returns the reason why nothing proves that the block is on the chain; undefined if a trusted hash proves it. */
export const unprovenBy = (relation: Vouched | Unverified): Reason | undefined =>
  relation._tag !== "Vouched"
    ? relation.reason
    : Anchor.isWeak(relation.anchor)
      ? RestsOn({ anchor: relation.anchor })
      : undefined
