/**
 * Asks a node about the state after a block, and relates its answers to that block: by the block's hash if the node
 * takes one, and otherwise by the block's number.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import * as BlockParameter from "../model/BlockParameter.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyAccountProof } from "../proof/verifyAccountProof.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { type ReorgFailure, type ReorgMismatch, reorgMismatch, type ReorgRead } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { VerdictRead } from "./verdictClient.ts"

/** An account and its requested slots. */
export interface StateQuestion {
  readonly address: Address.Address
  readonly storageKeys: ReadonlyArray<StorageKey.StorageKey>
}

/** The outcomes of calls that were sent together. */
export type Outcomes = ReadonlyArray<Result.Result<unknown, JsonRpcError | RefutedError>>

/** Sends calls about one block, all at the same time. */
export type Put<O extends Outcomes> = (block: BlockParameter.BlockParameter) => Effect.Effect<O>

export class StateAnswers {
  readonly #chain: BlockLocator
  /**
   * False if the node does not accept an object as a block parameter. Then the client sends the number, and the proof
   * shows if the answer is about another block.
   */
  #takesHashes = true

  constructor(chain: BlockLocator) {
    this.#chain = chain
  }

  /**
   * Reads answers about a block and proves them. If the caller names the block by its number, the client reads the
   * block and the answers at the same time, by that number. Answers that do not fit the block prove nothing, so the
   * client requests them again, by the block's hash.
   */
  readonly read = Effect.fnUntraced(function* <A, O extends Outcomes>(
    this: StateAnswers,
    parameter: BlockParameter.BlockParameter,
    put: Put<O>,
    word: VerdictRead<A>,
    judge: (outcomes: O, located: FoundBlock<Block.WithHashes>) => ReorgRead<Verdict<A>>
  ): Effect.fn.Return<Verdict<A>, ReorgFailure> {
    if (BlockParameter.isPending(parameter)) return claim(yield* word, EthReason.PendingBlock({}))
    const { answer, guess, located } = yield* this.#chain.place(parameter, {
      guess: (asked) => (typeof asked === "bigint" ? put(asked) : Effect.undefined),
      ask: (hash) => (this.#takesHashes ? put(byHash(hash, parameter)) : Effect.undefined)
    })
    if (located._tag === "Missing") return claim(yield* word, located.reason)
    if (guess !== undefined) {
      const guessed = yield* Effect.result(judge(guess, located))
      if (Result.isSuccess(guessed) && guessed.success._tag === "VERIFIED") {
        return settle(located.link, guessed.success)
      }
    }
    return settle(located.link, yield* judge(yield* this.#at(located, parameter, put, answer), located))
  })

  /** Proves the account of a question in the located block. */
  check(
    answer: AccountProof.AccountProof,
    question: StateQuestion,
    located: FoundBlock<Block.WithHashes>
  ): Result.Result<Verified<AccountProof.AccountProof>, RefutedError | ReorgMismatch> {
    return Result.mapError(
      verifyAccountProof(answer, question, located.verdict as Verified<Block.WithHashes>),
      // a proof that begins at the block's root is about this block, even if it is wrong further down
      (refuted) => (isRoot(refuted) && answer.accountProof.length > 0 ? this.aboutAnother(refuted, located) : refuted)
    )
  }

  /**
   * Turns a contradiction into `Moved` if the node accepts no hash, because its answer may be about another block than
   * the located one.
   */
  aboutAnother(refuted: RefutedError, located: FoundBlock<Block.WithHashes>): RefutedError | ReorgMismatch {
    return this.#takesHashes
      ? refuted
      : reorgMismatch(`block ${located.verdict.value.number} was ${located.hash}, and ${refuted.check} does not fit it`)
  }

  /**
   * Asks about the located block, by its hash if the node supports that. If the caller requires a block of the main
   * chain, the node checks that. If the node was already asked by the hash, `first` holds those outcomes.
   */
  readonly #at = Effect.fnUntraced(function* <O extends Outcomes>(
    this: StateAnswers,
    located: FoundBlock<Block.WithHashes>,
    parameter: BlockParameter.BlockParameter,
    put: Put<O>,
    first: O | undefined
  ) {
    if (this.#takesHashes) {
      const outcomes = first ?? (yield* put(byHash(located.hash, parameter)))
      if (!outcomes.some(isRefused)) return outcomes
    }
    const outcomes = yield* put(located.verdict.value.number!)
    if (outcomes.some(Result.isSuccess)) this.#takesHashes = false
    return outcomes
  })
}

/** True if the hash of the proof's first node is not the block's state root. */
const isRoot = ({ at }: RefutedError): boolean => at?.proof === "accountProof" && at.node === 0

/**
 * Returns the parameter that names a block by its hash. It requires the main chain only if the caller's parameter does.
 */
const byHash = (blockHash: Hash32.Hash32, parameter: BlockParameter.BlockParameter): BlockParameter.BlockParameter =>
  typeof parameter === "object" && "blockHash" in parameter && parameter.requireCanonical === true
    ? { blockHash, requireCanonical: true }
    : { blockHash }

/** Kinds of errors by which a node shows that it does not accept an object as a block parameter. */
const refusesObject: ReadonlySet<string> = new Set(["invalidParams", "invalidRequest"])

const isRefused = (outcome: Result.Result<unknown, JsonRpcError | RefutedError>): boolean =>
  Result.isFailure(outcome) &&
  outcome.failure._tag === "JsonRpcError" &&
  outcome.failure.reason._tag === "RemoteError" &&
  refusesObject.has(outcome.failure.reason.kind)
