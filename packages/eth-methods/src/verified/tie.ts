/**
 * Ties a proven block to trust: by its hash, by an authority that names it, or by a walk back from a later trusted
 * block.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type Reason, RestsOn } from "@plumbline/verdict/Reason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { restOn, type Verdict, type Verified, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import type { Question } from "../proof/accountProof.ts"
import { ancestorQuestion } from "../proof/ancestor.ts"
import { verifyBlock } from "../proof/block.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as Ancestry from "../trust/Ancestry.ts"
import * as Leap from "../trust/leap.ts"
import type { Named, Trusted, TrustedBlock } from "../trust/TrustedBlock.ts"
import type { Headers } from "./headers.ts"
import { moved, type Reading } from "./moved.ts"

/** The tie of a block to trust: an anchor with the remaining claims, or the reason why the block is only claimed. */
export type Tie =
  | { readonly _tag: "Word"; readonly reason: Reason }
  | {
      readonly _tag: "Tied"
      readonly anchor: Anchor.Anchor | Anchor.WeakAnchor
      /**
       * The evidence that leads from the anchor to the block; undefined if the caller named the block by its hash, or if
       * only nodes vouch for the anchor.
       */
      readonly by: ReturnType<typeof EthEvidence.OnChain> | undefined
      /** The evidence of the authority that named the anchor. */
      readonly proven: ReadonlyArray<Evidence>
      readonly claimed: ReadonlyArray<Claim.Claim>
      /** The number of the trusted block, if the tied block is its ancestor. */
      readonly before?: bigint | undefined
    }

/** Answers that a tie needs, read before it is known which block is tied. They prove nothing by themselves. */
export interface Early {
  /** The trusted block for the given number, if only the tie needs it. */
  readonly resolved?: { readonly number: bigint; readonly trusted: Trusted }
  /** The proof of an older block's hash in the state of a trusted block. */
  readonly leap?: {
    readonly from: Hash32.Hash32
    readonly question: Question
    readonly answer: Result.Result<AccountProof.AccountProof, JsonRpcError>
  }
}

/** Ties blocks to trust. */
export interface Ties {
  readonly tie: (block: Verified<Block.Block>, early?: Early) => Reading<Tie>
  /**
   * Reads in advance the data that ties a block to trust, so that it arrives together with the block. Never fails,
   * because the tie reads missing data again. `number` is undefined if only a tag is known.
   */
  readonly early: (trusted: Trusted, number: bigint | undefined) => Effect.Effect<Early>
  /** Works as `early`, for a block that an answer named. */
  readonly earlyOf: (number: bigint, hash: Hash32.Hash32) => Effect.Effect<Early>
  /**
   * Returns the header of the block with this number, if an earlier read proved that it comes before the trusted block.
   */
  readonly known: (trusted: Trusted, number: bigint) => { readonly header: Header; readonly tie: Tie } | undefined
}

type Header = Verified<Block.WithHashes>

export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  headers: Headers,
  options?: Ancestry.Options
): Ties => {
  /** Proven hashes of older blocks. The key is the hash of the trusted block, with the number of the older block. */
  const ancestors = new BoundedMap<string, Hash32.Hash32>(ANCESTORS)

  /** Reads a header and proves it by its hash. Returns the verdict if it is only claimed, and null if there is none. */
  const header = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verdict<Block.WithHashes> | null, JsonRpcError | Refuted> {
    const known = headers.get(hash)
    if (known !== undefined) return known
    const block: Block.WithHashes | null = yield* eth.getBlockByHash(hash)
    if (block === null) return null
    const verdict = yield* Effect.fromResult(
      verifyBlock(block, hash, { chainId: options?.chainId, engine: options?.engine })
    )
    if (verdict._tag === "VERIFIED") headers.keep(hash, verdict)
    return verdict
  })

  const early: Ties["early"] = (trusted, number) =>
    Effect.suspend((): Effect.Effect<Early> => {
      if (trusted._tag !== "OnChain") return nothingEarly
      const from = headers.get(trusted.hash)
      if (from === undefined) return Effect.andThen(Effect.ignore(header(trusted.hash)), nothingEarly)
      if (number === undefined || ancestors.use(idOf(trusted, number)) !== undefined) return nothingEarly
      const newer = from.value.number!
      // for two steps back, read the block between; its hash is known
      if (number === newer - 2n) return Effect.andThen(Effect.ignore(header(from.value.parentHash)), nothingEarly)
      const target = Leap.target(newer, number)
      if (target === undefined) return nothingEarly
      const question = ancestorQuestion(target)
      const asked = eth.getProof(question.address, question.storageKeys, { blockHash: trusted.hash })
      return Effect.map(Effect.result(asked), (answer) => ({ leap: { from: trusted.hash, question, answer } }))
    })

  const earlyOf: Ties["earlyOf"] = (number, hash) =>
    Effect.matchEffect(trust.resolve(number), {
      onFailure: () => nothingEarly,
      onSuccess: (trusted) => {
        const isItself = trusted._tag === "OnChain" && Hex.equals(trusted.hash, hash)
        const read = isItself ? nothingEarly : early(trusted, number)
        return Effect.map(read, (found): Early => ({ ...found, resolved: { number, trusted } }))
      }
    })

  const known: Ties["known"] = (trusted, number) => {
    if (trusted._tag !== "OnChain") return undefined
    const from = headers.get(trusted.hash)
    if (from === undefined) return undefined
    if (from.value.number === number) return { header: from, tie: tied(trusted) }
    const hash = ancestors.use(idOf(trusted, number))
    const header = hash === undefined ? undefined : headers.get(hash)
    return header === undefined ? undefined : { header, tie: tied(trusted, { before: from.value.number! }) }
  }

  const tie: Ties["tie"] = Effect.fnUntraced(function* (block, early) {
    const number = block.value.number!
    const hash = block.value.hash!
    const trusted = early?.resolved?.number === number ? early.resolved.trusted : yield* trust.resolve(number)
    switch (trusted._tag) {
      case "Nothing":
        return word(hash, trusted.reason)
      case "Exactly":
        return Hex.equals(trusted.hash, hash)
          ? tied(trusted)
          : yield* Effect.fail(moved(`block ${number} is ${trusted.hash} by ${trusted.by}, and ${hash} by the node`))
      case "OnChain":
        return yield* tieToAncestor(block, number, trusted, early)
    }
  })

  const tieToAncestor = Effect.fnUntraced(function* (
    block: Verified<Block.Block>,
    number: bigint,
    trusted: OnChain,
    early: Early | undefined
  ): Effect.fn.Return<Tie, JsonRpcError | Refuted> {
    const hash = block.value.hash!
    if (Hex.equals(trusted.hash, hash)) return tied(trusted)
    const from = yield* header(trusted.hash)
    if (from === null) return word(hash, EthReason.TrustedBlockUnknown({ hash: trusted.hash }))
    if (from._tag === "CLAIMED") return word(hash, from.claimed[0]!.reason)
    if (from.value.number === number) return yield* refute("trusted block", trusted.hash, hash)
    const before = { before: from.value.number! }
    const id = idOf(trusted, number)
    const remembered = ancestors.use(id)
    if (remembered !== undefined && Hex.equals(remembered, hash)) return tied(trusted, before)
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
    if (reached._tag === "Unreached") return word(hash, reached.reason)
    const proven = reached.block.value.hash!
    if (!Hex.equals(proven, hash)) {
      return yield* refute(`block ${number} before the trusted block ${trusted.hash}`, proven, hash)
    }
    ancestors.set(id, hash)
    return tied(trusted, before)
  })
  return { tie, early, earlyOf, known }
}

type OnChain = Extract<Trusted, { readonly _tag: "OnChain" }>

const nothingEarly: Effect.Effect<Early> = Effect.succeed({})

/** True if the early answer is the answer to this call of a walk. */
const isAbout = (
  { from, question }: NonNullable<Early["leap"]>,
  keys: ReadonlyArray<StorageKey.StorageKey>,
  at: BlockParameter.BlockParameter | undefined
): boolean =>
  typeof at === "object" && "blockHash" in at && at.blockHash === from && keys[0] === question.storageKeys[0]

/** Maximum number of ancestor hashes to keep, about 200 bytes each. */
const ANCESTORS = 1024

const idOf = (trusted: OnChain, number: bigint): string => `${trusted.hash} ${number}`

const word = (hash: Hash32.Hash32, cause: Reason): Tie => ({
  _tag: "Word",
  reason: EthReason.NotOnChain({ block: hash, cause })
})

/** Returns the tie of a block that an authority names, or of an ancestor of such a block. */
export const tied = ({ anchor, by, hash, proven = [], weak }: Named, options?: { readonly before: bigint }): Tie => ({
  _tag: "Tied",
  anchor: weak ?? anchor ?? Anchor.block(hash),
  by: weak === undefined ? EthEvidence.OnChain({ by, ancestor: options !== undefined }) : undefined,
  proven,
  claimed: [],
  before: options?.before
})

/**
 * Adds the claim that the tag means this block. A proof shows that a block is on the chain, but not that it is the
 * latest, safe or finalized one. If trust names no block for the tag, the answer rests on the node's word alone: an old
 * block of the chain must not pass for the latest one.
 */
export const withTag = (tie: Tie, tag: BlockParameter.Tag, trusted: Trusted): Tie => {
  if (tie._tag === "Word" || tag === "earliest") return tie
  if (trusted._tag === "Nothing") return { _tag: "Word", reason: trusted.reason }
  const staleBefore = tag === "latest" ? tie.before : undefined
  return { ...tie, claimed: [Claim.question("block", EthReason.Tag({ tag, staleBefore }))] }
}

/** True if the claim is about a tag whose block is older than a trusted block. */
export const isStale = ({ reason }: Claim.Claim): boolean =>
  EthReason.Tag.is(reason) && reason.staleBefore !== undefined

/** Returns the reason why nothing proves that the block is on the chain; undefined if a trusted hash proves it. */
export const wordOf = (tie: Tie): Reason | undefined =>
  tie._tag === "Word" ? tie.reason : Anchor.isWeak(tie.anchor) ? RestsOn({ anchor: tie.anchor }) : undefined

/**
 * Returns a verdict about a part of a located block: VERIFIED under the tie's anchor, or CLAIMED if nothing proves that
 * the block is on the chain or only nodes vouch for it.
 */
export const settle = <A>(tie: Tie, verdict: Verdict<A>): Verdict<A> => {
  if (verdict._tag === "CLAIMED") return verdict
  if (tie._tag === "Word") return weaken(verdict, tie.reason)
  const { anchor } = tie
  const parts = {
    proven: tie.by === undefined ? verdict.proven : [...verdict.proven, tie.by, ...tie.proven],
    claimed: [...tie.claimed, ...verdict.claimed]
  }
  return Anchor.isWeak(anchor)
    ? restOn(Proven.amend(verdict, parts), anchor)
    : Proven.amend(verdict, { ...parts, anchor })
}
