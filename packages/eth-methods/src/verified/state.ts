/** The state after a block, proven from its stateRoot: every answer is compared with a proof of the same block. */
import type * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Refuted } from "@plumbline/verdict/Refuted"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnwilling } from "../client/unwilling.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import { verifyAccountProof } from "../proof/accountProof.ts"
import * as EthReason from "../proof/EthReason.ts"
import {
  verifyBalance,
  verifyCode,
  verifyStorageAt,
  verifyStorageValues,
  verifyTransactionCount
} from "../proof/state.ts"
import type { Client, Read } from "./client.ts"
import type { Chain, Found } from "./locate.ts"
import { type Failure, type Moved, moved, steady } from "./moved.ts"
import { settle } from "./tie.ts"

type Methods = Pick<
  Client,
  "getBalance" | "getCode" | "getTransactionCount" | "getStorageAt" | "getStorageValues" | "getProof"
>

/** An account and the slots that are asked for. */
interface Question {
  readonly address: Address.Address
  readonly storageKeys: ReadonlyArray<StorageKey.StorageKey>
}

export const make = (chain: Chain): Methods => {
  const { eth } = chain
  /**
   * Some nodes take no object for a block: then the number is sent, and the proof tells if it is about another block.
   */
  let takesHashes = true

  /**
   * Asks about the very block that was located, by its hash if the node supports it. If the caller wants to know that
   * the block is on the main chain, the node decides that.
   */
  const at = <A>(
    located: Found<Block.WithHashes>,
    parameter: BlockParameter.BlockParameter,
    ask: (block: BlockParameter.BlockParameter) => Read<A>
  ): Read<A> => {
    const byNumber = Effect.suspend(() => ask(located.verdict.value.number!))
    if (!takesHashes) return byNumber
    const canonical = typeof parameter === "object" && "blockHash" in parameter && parameter.requireCanonical === true
    const byHash = { blockHash: located.hash, ...(canonical ? { requireCanonical: true } : {}) }
    return Effect.catch(ask(byHash), (error) =>
      error._tag === "JsonRpcError" && error.reason._tag === "RemoteError" && refusesObject.has(error.reason.kind)
        ? Effect.map(byNumber, (answer) => {
            takesHashes = false
            return answer
          })
        : Effect.fail(error)
    )
  }

  /**
   * Excuses a contradiction at a node that takes no hash: its answer may be about another block than the located one.
   */
  const aboutAnother = (refuted: Refuted, located: Found<Block.WithHashes>): Refuted | Moved =>
    takesHashes
      ? refuted
      : moved(`block ${located.verdict.value.number} was ${located.hash}, and ${refuted.check} does not fit it`)

  const proof = (
    located: Found<Block.WithHashes>,
    parameter: BlockParameter.BlockParameter,
    { address, storageKeys }: Question
  ) => at(located, parameter, (block) => eth.getProof(address, storageKeys, block))

  const check = (answer: AccountProof.AccountProof, question: Question, located: Found<Block.WithHashes>) =>
    Result.mapError(
      verifyAccountProof(answer, question, located.verdict as Verified<Block.WithHashes>),
      // a proof that begins at the block's own root is about this block, whatever else is wrong with it
      (refuted) => (isRoot(refuted) && answer.accountProof.length > 0 ? aboutAnother(refuted, located) : refuted)
    )

  const read = Effect.fnUntraced(function* <A>(
    parameter: BlockParameter.BlockParameter,
    questions: ReadonlyArray<Question>,
    ask: (block: BlockParameter.BlockParameter) => Read<A>,
    verify: (
      answer: A,
      accounts: ReadonlyArray<Verified<AccountProof.AccountProof>>
    ) => Result.Result<Verified<A>, Refuted>
  ): Effect.fn.Return<Verdict<A>, Failure> {
    const located = yield* chain.place(parameter)
    if (located._tag === "Missing") return claim(yield* ask(parameter), located.reason)
    const [answer, proofs] = yield* Effect.all(
      [
        at(located, parameter, ask),
        Effect.result(
          Effect.forEach(questions, (question) => proof(located, parameter, question), { concurrency: "unbounded" })
        )
      ],
      { concurrency: 2 }
    )
    if (Result.isFailure(proofs)) return yield* unproven(answer, proofs.failure)
    const accounts = Result.all(proofs.success.map((answer, i) => check(answer, questions[i]!, located)))
    return settle(
      located.tie,
      yield* Effect.fromResult(
        Result.flatMap(accounts, (accounts) =>
          Result.mapError(verify(answer, accounts), (refuted) => aboutAnother(refuted, located))
        )
      )
    )
  })

  /** The same for one account. */
  const readOne = <A>(
    method: string,
    parameter: BlockParameter.BlockParameter,
    question: Question,
    ask: (block: BlockParameter.BlockParameter) => Read<A>,
    verify: (answer: A, account: Verified<AccountProof.AccountProof>) => Result.Result<Verified<A>, Refuted>
  ): Read<Verdict<A>> =>
    steady(
      method,
      read(parameter, [question], ask, (answer, [account]) => verify(answer, account!))
    )

  const prove = Effect.fnUntraced(function* (
    question: Question,
    parameter: BlockParameter.BlockParameter
  ): Effect.fn.Return<Verdict<AccountProof.AccountProof>, Failure> {
    const { address, storageKeys } = question
    const located = yield* chain.place(parameter)
    if (located._tag === "Missing") return claim(yield* eth.getProof(address, storageKeys, parameter), located.reason)
    const answer = yield* proof(located, parameter, question)
    return settle(located.tie, yield* Effect.fromResult(check(answer, question, located)))
  })

  const noSlots = (address: Address.Address): Question => ({ address, storageKeys: [] })
  return {
    getProof: (address, storageKeys, parameter = "latest") =>
      steady("eth_getProof", prove({ address, storageKeys }, parameter)),
    getBalance: (address, parameter = "latest") =>
      readOne("eth_getBalance", parameter, noSlots(address), (block) => eth.getBalance(address, block), verifyBalance),
    getCode: (address, parameter = "latest") =>
      readOne("eth_getCode", parameter, noSlots(address), (block) => eth.getCode(address, block), verifyCode),
    getTransactionCount: (address, parameter = "latest") =>
      readOne(
        "eth_getTransactionCount",
        parameter,
        noSlots(address),
        (block) => eth.getTransactionCount(address, block),
        verifyTransactionCount
      ),
    getStorageAt: (address, position, parameter = "latest") =>
      readOne(
        "eth_getStorageAt",
        parameter,
        { address, storageKeys: [position] },
        (block) => eth.getStorageAt(address, position, block),
        (word, account) => verifyStorageAt(word, position, account)
      ),
    getStorageValues: (slots, parameter = "latest") =>
      steady(
        "eth_getStorageValues",
        read(
          parameter,
          Object.entries(slots).map(([address, storageKeys]) => ({ address: address as Address.Address, storageKeys })),
          (block) => eth.getStorageValues(slots, block),
          (values, accounts) => verifyStorageValues(values, slots, accounts)
        )
      )
  }
}

/** True if the first node of the proof is not that of the block's state root. */
const isRoot = ({ at }: Refuted): boolean => at?.proof === "accountProof" && at.node === 0

/** Kinds of errors by which a node says that it does not understand an object in the place of a block. */
const refusesObject: ReadonlySet<string> = new Set(["invalidParams", "invalidRequest"])

/** A node that gives no proof has not lied: what it answered stays a claim. A fault on the way is a fault. */
const unproven = <A>(answer: A, error: JsonRpcError | Refuted): Read<Verdict<A>> =>
  isUnwilling(error) ? Effect.succeed(claim(answer, EthReason.ProofRefused({ error }))) : Effect.fail(error)
