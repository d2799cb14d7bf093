/**
 * From what a caller names (a hash, a number, a tag) to a proven block, and from there to what is trusted.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import { verifyBlock } from "../proof/block.ts"
import * as EthReason from "../proof/EthReason.ts"
import type { Engine } from "../sender/SenderRecovery.ts"
import type * as Ancestry from "../trust/Ancestry.ts"
import type { TrustedBlock } from "../trust/TrustedBlock.ts"
import type { BlockOptions, Read } from "./client.ts"
import * as Headers from "./headers.ts"
import type { Failure, Reading } from "./moved.ts"
import * as Ties from "./tie.ts"

/** A block that a parameter named, checked in itself, or why there is none to check. */
export type Located<B extends Block.Block> = Found<B> | Missing<B>

/** The block, proven by its own hash (CLAIMED if it holds what cannot be proven), and what ties that hash to trust. */
export interface Found<B extends Block.Block> {
  readonly _tag: "Found"
  readonly verdict: Verdict<B>
  readonly hash: Hash32.Hash32
  readonly tie: Ties.Tie
}

/** No block that a hash could prove: the node knows none, or it is the pending one. */
export interface Missing<B extends Block.Block> {
  readonly _tag: "Missing"
  readonly value: B | null
  readonly reason: Reason
}

/** The base of the methods of a client that verifies. */
export interface Chain {
  readonly eth: EthClient.Client
  /** The engine that recovers senders, unless the options of a call name another. */
  readonly recovery: Engine
  /** The block that a parameter means. */
  readonly locate: <const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options?: Options
  ) => Reading<Located<EthClient.BlockOf<Options>>>
  /**
   * The same, for reads that only need the header, such as those of the state. A block that was proven once is not read
   * again if it is requested by its hash, so many proofs under one block read it once.
   */
  readonly place: (block: BlockParameter.BlockParameter) => Reading<Located<Block.WithHashes>>
  /**
   * The same, with an answer about that very block. It is requested by the block's hash, so that a tag is resolved
   * once. If there is no block to check, the answer is the one to `unlocated`.
   */
  readonly about: <A, const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options: Options | undefined,
    ask: (hash: Hash32.Hash32) => Read<A>,
    unlocated: Read<A>
  ) => Reading<readonly [Located<EthClient.BlockOf<Options>>, A]>
  /** A block by its hash, proven by it; null where the node knows none. */
  readonly byHash: <const Options extends BlockOptions = {}>(
    hash: Hash32.Hash32,
    options?: Options
  ) => Read<Verdict<EthClient.BlockOf<Options>> | null>
  /**
   * Ties a block that an answer named to trust. Fails with `Refuted` if the trusted block has another ancestor of its
   * number, and with `Moved` if another node names another block for the number, because two honest nodes may be on
   * two branches.
   */
  readonly tie: Ties.Ties
}

export const make = (
  eth: EthClient.Client,
  trust: TrustedBlock["Service"],
  recovery: Engine,
  options?: Ancestry.Options
): Chain => {
  const headers = Headers.make()
  const tie = Ties.make(eth, trust, headers, options)

  const byHash: Chain["byHash"] = <const Options extends BlockOptions>(hash: Hash32.Hash32, options?: Options) =>
    Effect.flatMap(eth.getBlockByHash(hash, options), (block): Read<Verdict<EthClient.BlockOf<Options>> | null> =>
      block === null
        ? Effect.succeed(null)
        : Effect.fromResult(verifyBlock(block, hash, { ...options, recovery: options?.recovery ?? recovery }))
    )

  const locate: Chain["locate"] = <const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): Reading<Located<EthClient.BlockOf<Options>>> =>
    // what a block's hash proves of it is so for ever
    Effect.tap(read(parameter, options), (located) => {
      if (options === undefined && located._tag === "Found" && located.verdict._tag === "VERIFIED") {
        headers.keep(located.hash, located.verdict)
      }
      return Effect.void
    })

  const read = Effect.fnUntraced(function* <const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): Effect.fn.Return<Located<EthClient.BlockOf<Options>>, Failure> {
    const named = hashIn(parameter)
    if (named !== undefined) {
      const verdict = yield* byHash(named.hash, options)
      if (verdict === null) return missing({ _tag: "Hash" })
      return found(verdict, named.hash, itself(named))
    }
    const asked = numberOrTag(parameter)
    const trusted = asked === "pending" ? NOTHING : yield* trust.resolve(asked)
    if (trusted._tag === "Exactly") {
      const verdict = yield* byHash(trusted.hash, options)
      if (verdict === null) return missing({ _tag: "Trust", hash: trusted.hash, by: trusted.by })
      yield* checkNumber(asked, verdict.value)
      return found(verdict, trusted.hash, Ties.tied(trusted.hash, trusted.by))
    }
    const block: EthClient.BlockOf<Options> | null = yield* eth.getBlockByNumber(asked, options)
    if (block === null) return missing({ _tag: "Number" })
    yield* checkNumber(asked, block)
    if (asked === "pending" || block.hash === null || block.number === null) {
      return { _tag: "Missing", value: block, reason: EthReason.PendingWithoutHash({}) }
    }
    const verdict = yield* Effect.fromResult(
      verifyBlock(block, block.hash, { ...options, recovery: options?.recovery ?? recovery })
    )
    // what it holds may be beyond proof; its header, and so its place, is not
    const place = verdict._tag === "VERIFIED" ? verdict : Proven.make({ ...verdict, anchor: Anchor.block(block.hash) })
    const tie_ = yield* tie(place)
    return found(verdict, block.hash, typeof asked === "bigint" ? tie_ : Ties.withTag(tie_, asked))
  })

  const place: Chain["place"] = (parameter) => {
    const named = hashIn(parameter)
    const known = named === undefined ? undefined : headers.get(named.hash)
    return named === undefined || known === undefined
      ? locate(parameter)
      : Effect.succeed(found(known, named.hash, itself(named)))
  }

  const about: Chain["about"] = <A, const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options: Options | undefined,
    ask: (hash: Hash32.Hash32) => Read<A>,
    unlocated: Read<A>
  ) => {
    const named = hashIn(parameter)
    return named === undefined
      ? Effect.flatMap(locate(parameter, options), (located) =>
          Effect.map(
            located._tag === "Missing" ? unlocated : ask(located.hash),
            (answer): readonly [Located<EthClient.BlockOf<Options>>, A] => [located, answer]
          )
        )
      : Effect.all([locate(parameter, options), ask(named.hash)], { concurrency: 2 })
  }

  return { eth, recovery, locate, place, about, byHash, tie }
}

const NOTHING = { _tag: "Nothing" } as const

const found = <B extends Block.Block>(verdict: Verdict<B>, hash: Hash32.Hash32, tie: Ties.Tie): Located<B> => ({
  _tag: "Found",
  verdict,
  hash,
  tie
})

const missing = (named: EthReason.Named): Missing<never> => ({
  _tag: "Missing",
  value: null,
  reason: EthReason.BlockUnknown({ named })
})

/** A block whose hash the caller named. */
const itself = ({ claimed, hash }: Named): Ties.Tie => ({ _tag: "Tied", anchor: hash, by: undefined, claimed })

/** A block that is named by its hash, with what stays a claim about it. */
interface Named {
  readonly hash: Hash32.Hash32
  readonly claimed: ReadonlyArray<Claim.Claim>
}

const hashIn = (parameter: BlockParameter.BlockParameter): Named | undefined => {
  if (Hash32.isHash32(parameter)) return { hash: parameter, claimed: [] }
  if (typeof parameter !== "object" || !("blockHash" in parameter)) return undefined
  return {
    hash: parameter.blockHash,
    claimed: parameter.requireCanonical === true ? [Claim.question("block", EthReason.Canonical({}))] : []
  }
}

const numberOrTag = (parameter: BlockParameter.BlockParameter): BlockParameter.NumberOrTag =>
  typeof parameter === "object" && "blockNumber" in parameter
    ? parameter.blockNumber
    : (parameter as BlockParameter.NumberOrTag)

const checkNumber = (asked: BlockParameter.NumberOrTag, block: Block.Block): Effect.Effect<void, Refuted> => {
  const number = typeof asked === "bigint" ? asked : asked === "earliest" ? 0n : undefined
  return number === undefined || block.number === number
    ? Effect.void
    : Effect.fail(refute("block.number", number, block.number))
}
