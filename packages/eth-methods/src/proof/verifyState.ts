/**
 * Proves answers about the state after a block from a proven account: balance, nonce, code and storage.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as AccountProof from "../model/AccountProof.ts"
import type * as Input from "../model/Input.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import type * as StorageValues from "../model/StorageValues.ts"
import type * as StorageWord from "../model/StorageWord.ts"
import { toNumber } from "../model/wordDigits.ts"
import * as EthEvidence from "./EthEvidence.ts"

/** Proves the answer of eth_getBalance. Fails with `RefutedError` `balance`. */
export const verifyBalance = (
  balance: bigint,
  account: Verified<AccountProof.AccountProof>
): Result.Result<Verified<bigint>, RefutedError> =>
  balance === account.value.balance
    ? Result.succeed(of(balance, account, EthEvidence.OfAccount({ field: "balance" })))
    : Result.fail(refute("balance", account.value.balance, balance))

/** Proves the answer of eth_getTransactionCount. Fails with `RefutedError` `nonce`. */
export const verifyTransactionCount = (
  nonce: bigint,
  account: Verified<AccountProof.AccountProof>
): Result.Result<Verified<bigint>, RefutedError> =>
  nonce === account.value.nonce
    ? Result.succeed(of(nonce, account, EthEvidence.OfAccount({ field: "nonce" })))
    : Result.fail(refute("nonce", account.value.nonce, nonce))

/**
 * Proves the answer of eth_getCode: its Keccak-256 is the `codeHash` of the proven account, or there is no code and no
 * account.
 *
 * An account that delegates to another address (EIP-7702) has 0xef0100 and that address as its code.
 *
 * Fails with `RefutedError` `code hash`.
 */
export const verifyCode = (
  code: Hex.Hex,
  account: Verified<AccountProof.AccountProof>
): Result.Result<Verified<Hex.Hex>, RefutedError> => {
  const { codeHash } = account.value
  const got = Keccak256.hashHex(Hex.toBytesUnsafe(code))
  // only an account that is proven absent may have zeros here
  const expected = codeHash === Hash32.ZERO ? Keccak256.EMPTY : codeHash
  return Hex.equals(got, expected)
    ? Result.succeed(of(code, account, EthEvidence.OfAccount({ field: "code" })))
    : Result.fail(refute("code hash", expected, got))
}

/**
 * Proves the answer of eth_getStorageAt from the proof of an account that includes this slot.
 *
 * Fails with `RefutedError`: `storage`, and `storageProof` if the account was proven without the slot.
 */
export const verifyStorageAt = (
  word: StorageWord.StorageWord,
  position: StorageKey.StorageKey,
  account: Verified<AccountProof.AccountProof>
): Result.Result<Verified<StorageWord.StorageWord>, RefutedError> => {
  const wrong = checkWord(word, position, account.value, "storage")
  return wrong === undefined ? Result.succeed(of(word, account, EthEvidence.Word({ position }))) : Result.fail(wrong)
}

/**
 * Proves the answer of eth_getStorageValues from the proofs of its accounts, all of one block, in any order.
 *
 * Fails with `RefutedError`: `accounts` (one is missing, or is of another block), `values` (not the requested accounts),
 * `values[<address>]` (the number of words), `values[<address>][i]`, and `storageProof` if an account was proven
 * without a slot.
 */
export const verifyStorageValues = (
  values: StorageValues.StorageValues,
  question: StorageValues.StorageValuesRequest,
  accounts: ReadonlyArray<Verified<AccountProof.AccountProof>>
): Result.Result<Verified<StorageValues.StorageValues>, RefutedError> => {
  const [first] = accounts
  if (first === undefined) return Result.fail(refute("accounts", "one at least", "none"))
  const stray = accounts.find((account) => !Anchor.equals(account.anchor, first.anchor))
  if (stray !== undefined) return Result.fail(refute("accounts", first.anchor.hash, stray.anchor.hash))
  const byAddress = new Map(accounts.map(({ value }) => [value.address.toLowerCase(), value]))
  const answers = new Map(Object.entries(values).map(([address, words]) => [address.toLowerCase(), words]))
  const asked = Object.entries(question)
  if (answers.size !== asked.length || Object.keys(values).length !== asked.length) {
    return Result.fail(refute("values", `${asked.length} accounts`, `${Object.keys(values).length} accounts`))
  }
  for (const [address, positions] of asked) {
    const account = byAddress.get(address.toLowerCase())
    if (account === undefined) return Result.fail(refute("accounts", address, "nothing"))
    const words = answers.get(address.toLowerCase())
    if (words === undefined) return Result.fail(refute("values", address, "nothing"))
    const path = `values[${address}]`
    if (words.length !== positions.length) {
      return Result.fail(refute(path, `${positions.length} words`, `${words.length} words`))
    }
    for (const [i, position] of positions.entries()) {
      const wrong = checkWord(words[i]!, position, account, `${path}[${i}]`)
      if (wrong !== undefined) return Result.fail(wrong)
    }
  }
  return Result.succeed(of(values, first, EthEvidence.Words({ accounts: asked.length })))
}

const checkWord = (
  word: StorageWord.StorageWord,
  position: Input.StorageKey,
  account: AccountProof.AccountProof,
  path: string
): RefutedError | undefined => {
  const slot = toNumber(position)
  const proof = account.storageProof.find((proof) => AccountProof.keyOf(proof) === slot)
  if (proof === undefined) return refute("storageProof", position, "a proof of other slots")
  return BigInt(word) === proof.value ? undefined : refute(path, proof.value, word)
}

/** Adds the evidence of a part of an account. The parts of an absent account are proven by its absence alone. */
const of = <A>(value: A, { anchor, proven }: Verified<AccountProof.AccountProof>, part: Evidence): Verified<A> =>
  Proven.make({ value, anchor, proven: EthEvidence.isAbsent(proven) ? proven : [...proven, part], claimed: [] })
