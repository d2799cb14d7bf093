/** Finds the block that a caller names (by hash, number or tag), proves it, and links it to the trusted block. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verdict, Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type { OfChain } from "../proof/ethereumChains.ts"
import * as EthReason from "../proof/EthReason.ts"
import { provenHeader, verifyBlock } from "../proof/verifyBlock.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import type * as Ancestry from "../trust/Ancestry.ts"
import * as AuthorityLies from "../trust/authorityLies.ts"
import * as Coalescing from "../trust/coalescing.ts"
import * as ProvenHeaders from "../trust/provenHeaders.ts"
import * as Relations from "../trust/relations.ts"
import type { TrustedAnswer, TrustedBlock } from "../trust/TrustedBlock.ts"
import type { ReorgFailure, ReorgRead } from "./reorgRetry.ts"
import * as Links from "./trustLink.ts"
import type { BlockOptions, VerdictRead } from "./verdictClient.ts"

/** A block that a parameter named, checked against its own hash, or the reason why there is no block to check. */
export type LocatedBlock<B extends Block.Block> = FoundBlock<B> | MissingBlock<B>

/**
 * The block, proven by its own hash, and the link between that hash and the trusted block. A block with parts that
 * cannot be proven is CLAIMED.
 */
export interface FoundBlock<B extends Block.Block> {
  readonly _tag: "Found"
  readonly verdict: Verdict<B>
  readonly hash: Hash32.Hash32
  readonly link: Links.Link
}

/**
 * A block that no hash can prove: the node does not know the block, or it is the pending block, or its header cannot be
 * hashed, or it has the form of a chain that hashes by another rule.
 */
export interface MissingBlock<B extends Block.Block> {
  readonly _tag: "Missing"
  readonly value: B | null
  readonly reason: Reason
}

/** The operations on which the methods of a verifying client are built. */
export interface BlockLocator extends OfChain {
  readonly eth: EthClient.Client
  /** Loads the engine that recovers senders, unless the options of a call name another. */
  readonly recovery: Effect.Effect<RecoveryEngine>
  /** Locates the block that a parameter names. */
  readonly locate: <const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options?: Options
  ) => ReorgRead<LocatedBlock<EthClient.BlockOf<Options>>>
  /**
   * Locates a block, and reads an answer about that very block with `ask`. `ask` receives the block's hash, so that a
   * tag is resolved once. If there is no block to check, `unlocated` reads the answer.
   */
  readonly about: <A, const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options: Options | undefined,
    ask: (hash: Hash32.Hash32) => VerdictRead<A>,
    unlocated: VerdictRead<A>
  ) => ReorgRead<readonly [LocatedBlock<EthClient.BlockOf<Options>>, A]>
  /** Locates a block, with further questions that are sent at the same time. */
  readonly along: <G, A, const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options: Options | undefined,
    questions: BatchedReads<G, A>
  ) => ReorgRead<LocatedWithReads<G, A, EthClient.BlockOf<Options>>>
  /**
   * Works as `along`, for reads that only need the header, such as reads of the state. A proven block is not read again
   * if it is requested by its hash, or by a number that was linked to the trusted block. So many proofs under one block
   * read that block once.
   */
  readonly place: <G, A>(
    block: BlockParameter.BlockParameter,
    questions: BatchedReads<G, A>
  ) => ReorgRead<LocatedWithReads<G, A, Block.WithHashes>>
  /** Reads a block by its hash, which proves it; null if the node does not know the block. */
  readonly byHash: <const Options extends BlockOptions = {}>(
    hash: Hash32.Hash32,
    options?: Options
  ) => VerdictRead<Verdict<EthClient.BlockOf<Options>> | null>
  /**
   * Links a block that an answer named to the trusted block. Fails with `RefutedError` if the trusted block has another
   * ancestor with the same number. Fails with `Moved` if another node names another block for the number, because two
   * honest nodes may be on two branches.
   */
  readonly link: (block: Verified<Block.Block>, early?: Relations.EarlyAnswers) => ReorgRead<Links.Link>
  /** Reads in advance the data that ties the block of an answer to the trusted block. */
  readonly earlyOf: Relations.Relations["earlyOf"]
}

/**
 * Questions that are sent together with the read of a block, in one packet.
 *
 * Their effects return failures as values, because a fault of the block itself is reported first.
 */
export interface BatchedReads<G, A> {
  /** Asks by the block's number or tag, at the same time as the block is read. The answer may be about another block. */
  readonly guess?: ((asked: BlockParameter.NumberOrTag) => Effect.Effect<G | undefined>) | undefined
  /** Asks by the block's hash, as soon as the hash is known. Undefined if a guess already answered the question. */
  readonly ask?: ((hash: Hash32.Hash32) => Effect.Effect<A>) | undefined
}

/** A located block, with the answers to the questions that were sent along. */
export interface LocatedWithReads<G, A, B extends Block.Block> {
  readonly located: LocatedBlock<B>
  readonly guess: G | undefined
  readonly answer: A | undefined
}

export const make = (
  eth: EthClient.Client,
  { resolve }: TrustedBlock["Service"],
  recovery: Effect.Effect<RecoveryEngine>,
  options: Ancestry.AncestryOptions = {}
): BlockLocator => {
  const { chainId, engine, forks } = options
  const trust: TrustedBlock["Service"] = { resolve: (block) => AuthorityLies.noting(resolve(block)) }
  const headers = ProvenHeaders.make()
  const relations = Relations.make(eth, trust, headers, options)
  const byHashAtOnce = Coalescing.make<Verdict<Block.WithHashes> | null, Effect.Error<VerdictRead<never>>>("underWay")
  const byNumberAtOnce = Coalescing.make<Block.WithHashes | null, JsonRpcError>("turn")

  const link: BlockLocator["link"] = (block, early) => Links.of(relations.relate, block, early)

  /** Proves a block by its hash. Loads the engine for senders only if the block has whole transactions. */
  const proven = <B extends Block.Block>(
    block: B,
    hash: Hash32.Hash32,
    options: BlockOptions | undefined
  ): VerdictRead<Verdict<B>> => {
    const by = (recovery: RecoveryEngine | undefined) =>
      Effect.fromResult(verifyBlock(block, hash, { ...options, chainId, engine, forks, recovery }))
    return options?.full === true && options.senders !== false && options.recovery === undefined
      ? Effect.flatMap(recovery, by)
      : by(options?.recovery)
  }

  const byHash: BlockLocator["byHash"] = <const Options extends BlockOptions>(
    hash: Hash32.Hash32,
    options?: Options
  ) => {
    type Read = VerdictRead<Verdict<EthClient.BlockOf<Options>> | null>
    const read = Effect.flatMap(eth.getBlockByHash(hash, options), (block): Read =>
      block === null ? Effect.succeed(null) : proven(block, hash, options)
    )
    return options === undefined ? (byHashAtOnce(hash.toLowerCase(), read as never) as Read) : read
  }

  const byNumber = <const Options extends BlockOptions>(
    asked: BlockParameter.NumberOrTag,
    options: Options | undefined
  ) => {
    type Read = VerdictRead<EthClient.BlockOf<Options> | null>
    const read = eth.getBlockByNumber(asked, options) as Read
    return options === undefined ? (byNumberAtOnce(String(asked), read as never) as Read) : read
  }

  const along: BlockLocator["along"] = <G, A, const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options: Options | undefined,
    questions: BatchedReads<G, A>
  ): ReorgRead<LocatedWithReads<G, A, EthClient.BlockOf<Options>>> => {
    const named = hashIn(parameter)
    if (named !== undefined) {
      return keeping(options, atHash(named.hash, itself(named), { _tag: "Hash" }, options, questions))
    }
    const asked = numberOrTag(parameter)
    return asked === "pending"
      ? keeping(options, atNumber(asked, NOTHING, options, questions))
      : Effect.flatMap(trust.resolve(asked), (trusted) =>
          keeping(options, resolved(asked, trusted, options, questions))
        )
  }

  const place: BlockLocator["place"] = <G, A>(
    parameter: BlockParameter.BlockParameter,
    questions: BatchedReads<G, A>
  ) => {
    const named = hashIn(parameter)
    if (named !== undefined) {
      const header = headers.get(named.hash)
      return header === undefined
        ? along<G, A>(parameter, undefined, questions)
        : asking<G, A>(found(header, named.hash, itself(named)), questions)
    }
    const asked = numberOrTag(parameter)
    if (typeof asked !== "bigint") return along<G, A>(parameter, undefined, questions)
    return Effect.flatMap(trust.resolve(asked), (trusted): ReorgRead<LocatedWithReads<G, A, Block.WithHashes>> => {
      const known = relations.known(trusted, asked)
      return known === undefined
        ? keeping(undefined, resolved<G, A>(asked, trusted, undefined, questions))
        : asking<G, A>(found(known.header, known.header.value.hash!, known.relation), questions)
    })
  }

  /** Keeps the header, because a proof by the block's hash stays valid forever. */
  const keeping = <G, A, B extends Block.Block>(
    options: BlockOptions | undefined,
    read: ReorgRead<LocatedWithReads<G, A, B>>
  ): ReorgRead<LocatedWithReads<G, A, B>> =>
    Effect.tap(read, ({ located }) => {
      if (options === undefined && located._tag === "Found" && located.verdict._tag === "VERIFIED") {
        headers.keep(located.hash, located.verdict)
      }
      return Effect.void
    })

  const resolved = <G, A, const Options extends BlockOptions = {}>(
    asked: BlockParameter.NumberOrTag,
    trusted: TrustedAnswer,
    options: Options | undefined,
    questions: BatchedReads<G, A>
  ): ReorgRead<LocatedWithReads<G, A, EthClient.BlockOf<Options>>> => {
    if (trusted._tag !== "Exactly") return atNumber(asked, trusted, options, questions)
    const { by, hash } = trusted
    const read = atHash(hash, Relations.vouched(trusted), { _tag: "Trust", hash, by }, options, questions)
    return Effect.tap(read, ({ located }) =>
      located._tag === "Found" ? checkNumber(asked, located.verdict.value) : Effect.void
    )
  }

  const atHash = <G, A, const Options extends BlockOptions>(
    hash: Hash32.Hash32,
    link: Links.Link,
    by: EthReason.NamedBlock,
    options: Options | undefined,
    { ask }: BatchedReads<G, A>
  ): ReorgRead<LocatedWithReads<G, A, EthClient.BlockOf<Options>>> =>
    Effect.map(
      Effect.all([byHash(hash, options), ask === undefined ? Effect.undefined : ask(hash)], { concurrency: 2 }),
      ([verdict, answer]) => ({
        located: verdict === null ? missing(by) : foundIfProven(verdict, hash, link),
        guess: undefined,
        answer
      })
    )

  const atNumber = Effect.fnUntraced(function* <G, A, const Options extends BlockOptions>(
    asked: BlockParameter.NumberOrTag,
    trusted: TrustedAnswer,
    options: Options | undefined,
    { ask, guess: ahead }: BatchedReads<G, A>
  ): Effect.fn.Return<LocatedWithReads<G, A, EthClient.BlockOf<Options>>, ReorgFailure> {
    const number = typeof asked === "bigint" ? asked : undefined
    const [block, early, guess] = yield* Effect.all(
      [
        byNumber(asked, options),
        // the latest block is rarely older than the trusted block
        asked === "latest" ? Effect.undefined : relations.early(trusted, number),
        ahead === undefined ? Effect.undefined : ahead(asked)
      ],
      { concurrency: "unbounded" }
    )
    if (block === null) return without(missing({ _tag: "Number" }))
    yield* checkNumber(asked, block)
    if (asked === "pending" || block.hash === null || block.number === null) {
      return without({ _tag: "Missing", value: block, reason: EthReason.PendingWithoutHash({}) })
    }
    const { hash } = block
    const verdict = yield* proven(block, hash, options)
    // a block may hold parts that cannot be proven; if its header is proven, so is its place
    const place = provenHeader(verdict)
    if (place === undefined) return without(unproven(verdict))
    const [linked, answer] = yield* Effect.all(
      [link(place, early), guess !== undefined || ask === undefined ? Effect.undefined : ask(hash)],
      { concurrency: 2 }
    )
    return {
      located: found(
        verdict,
        hash,
        number === undefined
          ? Links.withTag(linked, asked as BlockParameter.Tag, { number: block.number, trusted })
          : linked
      ),
      guess,
      answer
    }
  })

  const locate: BlockLocator["locate"] = <const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): ReorgRead<LocatedBlock<EthClient.BlockOf<Options>>> =>
    Effect.map(along(parameter, options, {}), ({ located }) => located)

  const about: BlockLocator["about"] = <A, const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options: Options | undefined,
    ask: (hash: Hash32.Hash32) => VerdictRead<A>,
    unlocated: VerdictRead<A>
  ) =>
    Effect.flatMap(
      along(parameter, options, { ask: (hash) => Effect.result(ask(hash)) }),
      ({ answer, located }): ReorgRead<readonly [LocatedBlock<EthClient.BlockOf<Options>>, A]> => {
        // without a block, an answer counts only if the caller named the hash
        const isAnswer = answer !== undefined && (located._tag === "Found" || hashIn(parameter) !== undefined)
        return Effect.map(isAnswer ? Effect.fromResult(answer) : unlocated, (answer) => [located, answer])
      }
    )

  return {
    eth,
    recovery,
    chainId,
    engine,
    forks,
    locate,
    along,
    place,
    about,
    byHash,
    link,
    earlyOf: relations.earlyOf
  }
}

/** Asks about a block that is known. */
const asking = <G, A>(
  located: FoundBlock<Block.WithHashes>,
  { ask }: BatchedReads<G, A>
): Effect.Effect<LocatedWithReads<G, A, Block.WithHashes>> =>
  Effect.map(ask === undefined ? Effect.undefined : ask(located.hash), (answer) => ({
    located,
    guess: undefined,
    answer
  }))

/** Returns a located block without answers. */
const without = <B extends Block.Block>(located: LocatedBlock<B>): LocatedWithReads<never, never, B> => ({
  located,
  guess: undefined,
  answer: undefined
})

const NOTHING: TrustedAnswer = { _tag: "Nothing", reason: EthReason.PendingBlock({}) }

const found = <B extends Block.Block>(verdict: Verdict<B>, hash: Hash32.Hash32, link: Links.Link): FoundBlock<B> => ({
  _tag: "Found",
  verdict,
  hash,
  link
})

const foundIfProven = <B extends Block.Block>(
  verdict: Verdict<B>,
  hash: Hash32.Hash32,
  link: Links.Link
): LocatedBlock<B> => (provenHeader(verdict) === undefined ? unproven(verdict) : found(verdict, hash, link))

/** Returns a block whose header is not proven. Such a verdict has one claim, about the whole block. */
const unproven = <B extends Block.Block>({ claimed, value }: Verdict<B>): MissingBlock<B> => ({
  _tag: "Missing",
  value,
  reason: claimed[0]!.reason
})

const missing = (named: EthReason.NamedBlock): MissingBlock<never> => ({
  _tag: "Missing",
  value: null,
  reason: EthReason.BlockUnknown({ named })
})

/** Returns the relation of a block whose hash the caller named. */
const itself = ({ claimed, hash }: Named): Relations.Vouched => ({
  _tag: "Vouched",
  anchor: Anchor.block(hash),
  by: undefined,
  proven: [],
  claimed
})

/** A block that the caller names by its hash, with the claims about the block. */
interface Named {
  readonly hash: Hash32.Hash32
  readonly claimed: ReadonlyArray<Claim.Claim>
}

const hashIn = (parameter: BlockParameter.BlockParameter): Named | undefined => {
  if (Hash32.isHash32(parameter)) return { hash: parameter, claimed: [] }
  if (typeof parameter !== "object" || !("blockHash" in parameter)) return undefined
  return {
    // the client has checked this hash
    hash: parameter.blockHash as Hash32.Hash32,
    claimed: parameter.requireCanonical === true ? [Claim.question("block", EthReason.Canonical({}))] : []
  }
}

const numberOrTag = (parameter: BlockParameter.BlockParameter): BlockParameter.NumberOrTag =>
  typeof parameter === "object" && "blockNumber" in parameter
    ? parameter.blockNumber
    : (parameter as BlockParameter.NumberOrTag)

const checkNumber = (asked: BlockParameter.NumberOrTag, block: Block.Block): Effect.Effect<void, RefutedError> =>
  typeof asked !== "bigint" || block.number === asked
    ? Effect.void
    : Effect.fail(refute("block.number", asked, block.number))
