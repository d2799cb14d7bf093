/**
 * From what a caller names (a hash, a number, a tag) to a proven block, and from a proven block to what is trusted.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { weaken, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as Ancestry from "../../Ancestry.ts"
import * as Block from "../../Block.ts"
import type * as BlockParameter from "../../BlockParameter.ts"
import type * as EthClient from "../../EthClient.ts"
import * as EthEvidence from "../../EthEvidence.ts"
import * as EthReason from "../../EthReason.ts"
import type { TrustedBlock } from "../../TrustedBlock.ts"
import { verifyBlock, type VerifyBlockOptions } from "../../verify/verifyBlock.ts"
import { boundedMap } from "../boundedMap.ts"
import { type Failure, moved } from "./moved.ts"

/** An effect that reads and checks. */
export type Read<A> = Effect.Effect<A, JsonRpcError | Refuted>

/** The same inside of a client, where answers may turn out not to belong together. */
export type Reading<A> = Effect.Effect<A, Failure>

/** How a block is read. */
export interface BlockOptions extends EthClient.BlockOptions, VerifyBlockOptions {
  /**
   * True to read the headers of the uncles of a block that has some, a call each: they prove `uncles`, and with whole
   * transactions `size`. Both stay claims at a node that has no methods for uncles. Default: false.
   */
  readonly uncleHeaders?: boolean | undefined
}

/** A block that a parameter named, checked in itself, or why there is none to check. */
export type Located<B extends Block.Block> = Found<B> | Missing<B>

/** The block, proven by its own hash (CLAIMED if it holds what cannot be proven), and what ties that hash to trust. */
export interface Found<B extends Block.Block> {
  readonly _tag: "Found"
  readonly verdict: Verdict<B>
  readonly hash: Hash32.Hash32
  readonly tie: Tie
}

/** No block that a hash could prove: the node knows none, or it is the pending one. */
export interface Missing<B extends Block.Block> {
  readonly _tag: "Missing"
  readonly value: B | null
  readonly reason: Reason
}

/** What ties a block to trust: nothing but the node's word, for a reason; or an anchor, with what still is a claim. */
export type Tie =
  | { readonly _tag: "Word"; readonly reason: Reason }
  | {
      readonly _tag: "Tied"
      readonly anchor: Hash32.Hash32
      /** What leads from the anchor to the block; undefined for the hash that was asked for, which needs nothing. */
      readonly by: ReturnType<typeof EthEvidence.OnChain> | undefined
      readonly claimed: ReadonlyArray<Claim.Claim>
      /** The number of the trusted block, where the block is one before it. */
      readonly before?: bigint | undefined
    }

/** What the methods of a verified client stand on. */
export interface Chain {
  readonly eth: EthClient.Client
  /** The block that a parameter means. */
  readonly locate: <const Options extends BlockOptions = {}>(
    block: BlockParameter.BlockParameter,
    options?: Options
  ) => Reading<Located<EthClient.BlockOf<Options>>>
  /**
   * The same for what only needs the header, such as the state: a block that was proven once is not read again when it
   * is asked for by its hash. Many proofs of one block read it once.
   */
  readonly place: (block: BlockParameter.BlockParameter) => Reading<Located<Block.WithHashes>>
  /**
   * The same, with an answer about that very block: by its hash, so that a tag is asked about once. Where there is no
   * block to check, the answer is the one to `unlocated`.
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
   * What ties a block that some answer named to trust. Refuted when the trusted block has another ancestor of its number;
   * `Moved` when another node names another block for its number, because two honest nodes may be on two branches.
   */
  readonly tie: (block: Verified<Block.Block>) => Reading<Tie>
}

export const make = (eth: EthClient.Client, trust: TrustedBlock["Service"], options?: Ancestry.Options): Chain => {
  /** Proven headers by hash, so that the trusted block and those near it are read once. */
  const headers = boundedMap<Hash32.Hash32, Verified<Block.WithHashes>>(KEPT)

  const keep = (hash: Hash32.Hash32, block: Verified<Block.Block>): void => {
    headers.set(hash, headerOf(block))
  }

  const header = Effect.fnUntraced(function* (
    hash: Hash32.Hash32
  ): Effect.fn.Return<Verified<Block.WithHashes> | null, JsonRpcError | Refuted> {
    const known = headers.get(hash)
    if (known !== undefined) return known
    const verdict = yield* byHash(hash)
    if (verdict === null || verdict._tag === "CLAIMED") return null
    keep(hash, verdict)
    return verdict
  })

  const byHash: Chain["byHash"] = <const Options extends BlockOptions>(hash: Hash32.Hash32, options?: Options) =>
    Effect.flatMap(eth.getBlockByHash(hash, options), (block): Read<Verdict<EthClient.BlockOf<Options>> | null> =>
      block === null ? Effect.succeed(null) : Effect.fromResult(verifyBlock(block, hash, options))
    )

  const tie: Chain["tie"] = Effect.fnUntraced(function* (block) {
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

  const locate: Chain["locate"] = <const Options extends BlockOptions>(
    parameter: BlockParameter.BlockParameter,
    options?: Options
  ): Reading<Located<EthClient.BlockOf<Options>>> =>
    // what a block's hash proves of it is so for ever
    Effect.tap(read(parameter, options), (located) => {
      if (options === undefined && located._tag === "Found" && located.verdict._tag === "VERIFIED") {
        keep(located.hash, located.verdict)
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
      return found(verdict, trusted.hash, tied(trusted.hash, trusted.by))
    }
    const block: EthClient.BlockOf<Options> | null = yield* eth.getBlockByNumber(asked, options)
    if (block === null) return missing({ _tag: "Number" })
    yield* checkNumber(asked, block)
    if (asked === "pending" || block.hash === null || block.number === null) {
      return { _tag: "Missing", value: block, reason: EthReason.PendingWithoutHash({}) }
    }
    const verdict = yield* Effect.fromResult(verifyBlock(block, block.hash, options))
    // what it holds may be beyond proof; its header, and so its place, is not
    const place = verdict._tag === "VERIFIED" ? verdict : Proven.make({ ...verdict, anchor: Anchor.block(block.hash) })
    const tie_ = yield* tie(place)
    return found(verdict, block.hash, typeof asked === "bigint" ? tie_ : withTag(tie_, asked))
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

  return { eth, locate, place, about, byHash, tie }
}

/**
 * What the hash of a block proves, and of its transactions only whether there are any: a node may send any number of
 * hashes, and any fields beside the header's.
 */
const headerOf = ({ anchor, proven, value }: Verified<Block.Block>): Verified<Block.WithHashes> => {
  const fields = Object.entries(value).filter(([name]) => Block.headerFields.has(name) && !ofBodies.has(name))
  const { transactions } = onlyHashes(value) as Block.WithHashes
  const header = { ...Object.fromEntries(fields), transactions: transactions.slice(0, 1) } as unknown
  return Proven.make({ value: header as Block.WithHashes, anchor, proven, claimed: [] })
}

/** Fields that follow from the bodies, which are not kept. */
const ofBodies: ReadonlySet<string> = new Set(["uncles", "size"])

/** The block with nothing of its transactions but their hashes. */
const onlyHashes = (block: Block.Block): Block.Block => ({
  ...block,
  transactions: block.transactions.map((transaction) =>
    typeof transaction === "string" ? transaction : transaction.hash
  )
})

/** Blocks whose headers are kept: some 3 kB each. */
const KEPT = 128

const NOTHING = { _tag: "Nothing" } as const

const found = <B extends Block.Block>(verdict: Verdict<B>, hash: Hash32.Hash32, tie: Tie): Located<B> => ({
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

const word = (hash: Hash32.Hash32, cause: Reason): Tie => ({
  _tag: "Word",
  reason: EthReason.NotOnChain({ block: hash, cause })
})

/** A block that an authority names, or that comes before one that it names. */
const tied = (anchor: Hash32.Hash32, by: string, options?: { readonly before: bigint }): Tie => ({
  _tag: "Tied",
  anchor,
  by: EthEvidence.OnChain({ by, ancestor: options !== undefined }),
  claimed: [],
  before: options?.before
})

/** A block whose hash the caller named. */
const itself = ({ claimed, hash }: Named): Tie => ({ _tag: "Tied", anchor: hash, by: undefined, claimed })

/** That a block is of the chain can be proven; that it is the latest, or safe, or final, cannot. */
const withTag = (tie: Tie, tag: BlockParameter.Tag): Tie => {
  if (tie._tag === "Word" || tag === "earliest") return tie
  const staleBefore = tag === "latest" ? tie.before : undefined
  return { ...tie, claimed: [Claim.question("block", EthReason.Tag({ tag, staleBefore }))] }
}

/** True if the claim says that a block is the latest of a chain on which a later one is trusted. */
export const isStale = ({ reason }: Claim.Claim): boolean =>
  EthReason.Tag.is(reason) && reason.staleBefore !== undefined

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
