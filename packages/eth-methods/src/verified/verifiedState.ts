/** Proves the state after a block from its stateRoot: every answer is compared with a proof for the same block. */
import type * as Address from "@plumbline/codec/value/Address"
import { EncodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { isUnsupported } from "../client/unsupportedReads.ts"
import type * as AccountProof from "../model/AccountProof.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import type * as Input from "../model/Input.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import * as EthReason from "../proof/EthReason.ts"
import {
  verifyBalance,
  verifyCode,
  verifyStorageAt,
  verifyStorageValues,
  verifyTransactionCount
} from "../proof/verifyState.ts"
import type { BlockLocator } from "./blockLocator.ts"
import { type ReorgFailure, type ReorgRead, retryOnReorg } from "./reorgRetry.ts"
import { StateAnswers, type StateQuestion } from "./stateAnswers.ts"
import type { Client, VerdictRead } from "./verdictClient.ts"

type Methods = Pick<
  Client,
  "getBalance" | "getCode" | "getTransactionCount" | "getStorageAt" | "getStorageValues" | "getProof"
>

export const make = (chain: BlockLocator): Methods => {
  const { eth } = chain
  const answers = new StateAnswers(chain)

  const read = <A>(
    parameter: BlockParameter.BlockParameter,
    questions: ReadonlyArray<StateQuestion>,
    ask: (block: BlockParameter.BlockParameter) => VerdictRead<A>,
    verify: (
      answer: A,
      accounts: ReadonlyArray<Verified<AccountProof.AccountProof>>
    ) => Result.Result<Verified<A>, RefutedError>
  ): ReorgRead<Verdict<A>> =>
    answers.read(
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
        const accounts = Result.all(proofs.success.map((answer, i) => answers.check(answer, questions[i]!, located)))
        return yield* Effect.fromResult(
          Result.flatMap(accounts, (accounts) =>
            Result.mapError(verify(answer, accounts), (refuted) => answers.aboutAnother(refuted, located))
          )
        )
      })
    )

  /** Works as `read`, for one account. */
  const readOne = <A>(
    method: string,
    parameter: BlockParameter.BlockParameter,
    question: StateQuestion,
    ask: (block: BlockParameter.BlockParameter) => VerdictRead<A>,
    verify: (answer: A, account: Verified<AccountProof.AccountProof>) => Result.Result<Verified<A>, RefutedError>
  ): VerdictRead<Verdict<A>> =>
    retryOnReorg(
      method,
      read(parameter, [question], ask, (answer, [account]) => verify(answer, account!))
    )

  return {
    getProof: (address, storageKeys, parameter = "latest") =>
      retryOnReorg("eth_getProof", prove(chain, answers, question(address, storageKeys), parameter)),
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

const prove = (
  { eth }: BlockLocator,
  answers: StateAnswers,
  question: StateQuestion,
  parameter: BlockParameter.BlockParameter
): ReorgRead<Verdict<AccountProof.AccountProof>> => {
  const { address, storageKeys } = question
  return answers.read(
    parameter,
    (block) => Effect.map(Effect.result(eth.getProof(address, storageKeys, block)), (outcome) => [outcome] as const),
    eth.getProof(address, storageKeys, parameter),
    ([outcome], located) =>
      Effect.fromResult(Result.flatMap(outcome, (answer) => answers.check(answer, question, located)))
  )
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

/** Returns the answer as a claim if the node has no proofs, which is not a lie. Any other fault fails the read. */
const unproven = <A>(answer: A, error: JsonRpcError | RefutedError): VerdictRead<Verdict<A>> =>
  isUnsupported(error) ? Effect.succeed(claim(answer, EthReason.ProofRefused({ error }))) : Effect.fail(error)

/** Makes a question. The client has checked the texts, and padded each key to 32 bytes. */
const question = (address: Input.Address, keys: ReadonlyArray<Input.StorageKey> = []): StateQuestion => ({
  address: address as Address.Address,
  storageKeys: keys as ReadonlyArray<StorageKey.StorageKey>
})
