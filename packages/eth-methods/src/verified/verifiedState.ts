/** Proves the state after a block from its stateRoot: every answer is compared with a proof for the same block. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import { EncodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnsupported } from "../client/unsupportedReads.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import * as BlockParameter from "../model/BlockParameter.ts"
import type * as Input from "../model/Input.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyAccountProof } from "../proof/verifyAccountProof.ts"
import {
  verifyBalance,
  verifyCode,
  verifyStorageAt,
  verifyStorageValues,
  verifyTransactionCount
} from "../proof/verifyState.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { type ReorgFailure, type ReorgMismatch, reorgMismatch, type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, VerdictRead } from "./verdictClient.ts"

type Methods = Pick<
  Client,
  "getBalance" | "getCode" | "getTransactionCount" | "getStorageAt" | "getStorageValues" | "getProof"
>

/** An account and its requested slots. */
interface Question {
  readonly address: Address.Address
  readonly storageKeys: ReadonlyArray<StorageKey.StorageKey>
}

/** The outcomes of calls that were sent together. */
type Outcomes = ReadonlyArray<Result.Result<unknown, JsonRpcError | RefutedError>>

/** Sends calls about one block, all at the same time. */
type Put<O extends Outcomes> = (block: BlockParameter.BlockParameter) => Effect.Effect<O>

export const make = (chain: BlockLocator): Methods => {
  const { eth } = chain
  /**
   * False if the node does not accept an object as a block parameter. Then the client sends the number, and the proof
   * shows if the answer is about another block.
   */
  let takesHashes = true

  /**
   * Asks about the located block, by its hash if the node supports that. If the caller requires a block of the main
   * chain, the node checks that. If the node was already asked by the hash, `first` holds those outcomes.
   */
  const at = Effect.fnUntraced(function* <O extends Outcomes>(
    located: FoundBlock<Block.WithHashes>,
    parameter: BlockParameter.BlockParameter,
    put: Put<O>,
    first: O | undefined
  ) {
    if (takesHashes) {
      const outcomes = first ?? (yield* put(byHash(located.hash, parameter)))
      if (!outcomes.some(isRefused)) return outcomes
    }
    const outcomes = yield* put(located.verdict.value.number!)
    if (outcomes.some(Result.isSuccess)) takesHashes = false
    return outcomes
  })

  /**
   * Turns a contradiction into `Moved` if the node accepts no hash, because its answer may be about another block than
   * the located one.
   */
  const aboutAnother = (refuted: RefutedError, located: FoundBlock<Block.WithHashes>): RefutedError | ReorgMismatch =>
    takesHashes
      ? refuted
      : reorgMismatch(`block ${located.verdict.value.number} was ${located.hash}, and ${refuted.check} does not fit it`)

  const check = (answer: AccountProof.AccountProof, question: Question, located: FoundBlock<Block.WithHashes>) =>
    Result.mapError(
      verifyAccountProof(answer, question, located.verdict as Verified<Block.WithHashes>),
      // a proof that begins at the block's root is about this block, even if it is wrong further down
      (refuted) => (isRoot(refuted) && answer.accountProof.length > 0 ? aboutAnother(refuted, located) : refuted)
    )

  /**
   * Reads answers about a block and proves them. If the caller names the block by its number, the client reads the
   * block and the answers at the same time, by that number. Answers that do not fit the block prove nothing, so the
   * client requests them again, by the block's hash.
   */
  const answered = Effect.fnUntraced(function* <A, O extends Outcomes>(
    parameter: BlockParameter.BlockParameter,
    put: Put<O>,
    word: VerdictRead<A>,
    judge: (outcomes: O, located: FoundBlock<Block.WithHashes>) => ReorgRead<Verdict<A>>
  ): Effect.fn.Return<Verdict<A>, ReorgFailure> {
    if (BlockParameter.isPending(parameter)) return claim(yield* word, EthReason.PendingBlock({}))
    const { answer, guess, located } = yield* chain.place(parameter, {
      guess: (asked) => (typeof asked === "bigint" ? put(asked) : Effect.undefined),
      ask: (hash) => (takesHashes ? put(byHash(hash, parameter)) : Effect.undefined)
    })
    if (located._tag === "Missing") return claim(yield* word, located.reason)
    if (guess !== undefined) {
      const guessed = yield* Effect.result(judge(guess, located))
      if (Result.isSuccess(guessed) && guessed.success._tag === "VERIFIED") {
        return settle(located.link, guessed.success)
      }
    }
    return settle(located.link, yield* judge(yield* at(located, parameter, put, answer), located))
  })

  const read = <A>(
    parameter: BlockParameter.BlockParameter,
    questions: ReadonlyArray<Question>,
    ask: (block: BlockParameter.BlockParameter) => VerdictRead<A>,
    verify: (
      answer: A,
      accounts: ReadonlyArray<Verified<AccountProof.AccountProof>>
    ) => Result.Result<Verified<A>, RefutedError>
  ): ReorgRead<Verdict<A>> =>
    answered(
      parameter,
      (block) =>
        Effect.all(
          [
            Effect.result(ask(block)),
            Effect.result(
              Effect.forEach(questions, ({ address, storageKeys }) => eth.getProof(address, storageKeys, block), {
                concurrency: "unbounded"
              })
            )
          ],
          { concurrency: 2 }
        ),
      ask(parameter),
      Effect.fnUntraced(function* ([said, proofs], located): Effect.fn.Return<Verdict<A>, ReorgFailure> {
        const answer = yield* Effect.fromResult(said)
        if (Result.isFailure(proofs)) return yield* unproven(answer, proofs.failure)
        const accounts = Result.all(proofs.success.map((answer, i) => check(answer, questions[i]!, located)))
        return yield* Effect.fromResult(
          Result.flatMap(accounts, (accounts) =>
            Result.mapError(verify(answer, accounts), (refuted) => aboutAnother(refuted, located))
          )
        )
      })
    )

  /** Works as `answered`, for one account. */
  const readOne = <A>(
    method: string,
    parameter: BlockParameter.BlockParameter,
    question: Question,
    ask: (block: BlockParameter.BlockParameter) => VerdictRead<A>,
    verify: (answer: A, account: Verified<AccountProof.AccountProof>) => Result.Result<Verified<A>, RefutedError>
  ): VerdictRead<Verdict<A>> =>
    retryOnReorg(
      method,
      read(parameter, [question], ask, (answer, [account]) => verify(answer, account!))
    )

  const prove = (
    question: Question,
    parameter: BlockParameter.BlockParameter
  ): ReorgRead<Verdict<AccountProof.AccountProof>> => {
    const { address, storageKeys } = question
    return answered(
      parameter,
      (block) => Effect.map(Effect.result(eth.getProof(address, storageKeys, block)), (outcome) => [outcome] as const),
      eth.getProof(address, storageKeys, parameter),
      ([outcome], located) => Effect.fromResult(Result.flatMap(outcome, (answer) => check(answer, question, located)))
    )
  }

  // the client has checked the texts, and padded each key to 32 bytes
  const question = (address: Input.Address, keys: ReadonlyArray<Input.StorageKey> = []): Question => ({
    address: address as Address.Address,
    storageKeys: keys as ReadonlyArray<StorageKey.StorageKey>
  })
  return {
    getProof: (address, storageKeys, parameter = "latest") =>
      retryOnReorg("eth_getProof", prove(question(address, storageKeys), parameter)),
    getBalance: (address, parameter = "latest") =>
      readOne("eth_getBalance", parameter, question(address), (block) => eth.getBalance(address, block), verifyBalance),
    getCode: (address, parameter = "latest") =>
      readOne("eth_getCode", parameter, question(address), (block) => eth.getCode(address, block), verifyCode),
    getTransactionCount: (address, parameter = "latest") =>
      readOne(
        "eth_getTransactionCount",
        parameter,
        question(address),
        (block) => eth.getTransactionCount(address, block),
        verifyTransactionCount
      ),
    getStorageAt: (address, position, parameter = "latest") =>
      readOne(
        "eth_getStorageAt",
        parameter,
        question(address, [position]),
        (block) => eth.getStorageAt(address, position, block),
        (word, account) => verifyStorageAt(word, position as StorageKey.StorageKey, account)
      ),
    getStorageValues: (slots, parameter = "latest") => {
      const detail = faultOf(slots)
      if (detail !== undefined) {
        const reason = new EncodeError({ path: ["slots"], detail })
        return Effect.fail(new JsonRpcError({ method: "eth_getStorageValues", reason }))
      }
      return retryOnReorg(
        "eth_getStorageValues",
        read(
          parameter,
          Object.entries(slots).map(([address, keys]) => question(address as Input.Address, keys)),
          (block) => eth.getStorageValues(slots, block),
          (values, accounts) => verifyStorageValues(values, slots, accounts)
        )
      )
    }
  }
}

/**
 * Returns the fault of a request for words that no answer can satisfy. Nodes refuse a request for no slot, and answer one
 * of two lists for the same account.
 */
const faultOf = (slots: Readonly<Record<string, ReadonlyArray<unknown>>>): string | undefined => {
  const names = Object.keys(slots)
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) return "names an account twice"
  return Object.values(slots).some((keys) => keys.length > 0) ? undefined : "names no slot"
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

/** Returns the answer as a claim if the node has no proofs, which is not a lie. Any other fault fails the read. */
const unproven = <A>(answer: A, error: JsonRpcError | RefutedError): VerdictRead<Verdict<A>> =>
  isUnsupported(error) ? Effect.succeed(claim(answer, EthReason.ProofRefused({ error }))) : Effect.fail(error)
