/**
 * Proves an account and its slots from the state root of a proven block (EIP-1186).
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import type { TrieProofError } from "@plumbline/merkle-trie/proof/TrieProofError"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as AccountProof from "../model/AccountProof.ts"
import type * as Block from "../model/Block.ts"
import type * as StorageKey from "../model/StorageKey.ts"
import { holds } from "./accountProofBatch.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { unknownFields } from "./unknownFields.ts"

/** The parameters of eth_getProof, without the block. */
export interface AccountProofQuestion {
  readonly address: Address.Address
  readonly storageKeys: ReadonlyArray<StorageKey.StorageKey>
}

/**
 * Proves an account and its slots from a proven block. It also proves that the account or a slot does not exist.
 *
 * **Details**
 *
 * The state root is taken from the block, never from the answer, and the storage root from the proven account. The
 * slots must be the requested ones, in the same order. An account that is proven absent must be all zeros. Its
 * `codeHash` and `storageHash` are zeros or the hashes of empty code and empty storage, because nodes differ. For any
 * account without storage, Geth before 1.13.5 answers with the hash of empty code. In that case the result has the
 * proven `codeHash` instead.
 *
 * Claimed: fields that are not part of the account or of a slot.
 *
 * Fails with `RefutedError`: `address`, `accountProof`, `account.<field>`, `storageProof`, `storageProof[i]`,
 * `storageProof[i].key`, `storageProof[i].value`.
 */
export const verifyAccountProof = (
  answer: AccountProof.AccountProof,
  question: AccountProofQuestion,
  block: Verified<Block.Block>
): Result.Result<Verified<AccountProof.AccountProof>, RefutedError> => {
  if (!Hex.equals(answer.address, question.address)) {
    return Result.fail(refute("address", question.address, answer.address))
  }
  if (isAbout(answer, question.storageKeys) && holds(answer, question.storageKeys, block.value.stateRoot)) {
    // in lower case, because the code below makes this text from the proven bytes
    return Result.succeed(proven(answer, Hash32.fromHexUnsafe(answer.storageHash.toLowerCase()), true, question, block))
  }
  const path = Keccak256.hash(Address.toBytes(question.address))
  const outcome = TrieProof.verify(Hash32.toBytes(block.value.stateRoot), path, answer.accountProof)
  if (Result.isFailure(outcome)) return Result.fail(broken("accountProof", outcome.failure))
  const account = outcome.success._tag === "Included" ? readAccount(outcome.success.value) : ABSENT
  if (account === undefined) {
    return Result.fail(refute("accountProof", "a leaf [nonce, balance, storageRoot, codeHash]", "something else"))
  }
  const value = withProvenCode(answer, account)
  const wrong = checkAccount(value, account) ?? checkSlots(answer, question.storageKeys, account.storageRoot)
  if (wrong !== undefined) return Result.fail(wrong)
  return Result.succeed(proven(value, account.storageRoot, account !== ABSENT, question, block))
}

const proven = (
  value: AccountProof.AccountProof,
  storageRoot: Hash32.Hash32,
  exists: boolean,
  { address }: AccountProofQuestion,
  { anchor, value: { stateRoot } }: Verified<Block.Block>
): Verified<AccountProof.AccountProof> => {
  const account = EthEvidence.Account({
    address,
    exists,
    proof: { root: stateRoot, key: address, nodes: value.accountProof }
  })
  const slots = value.storageProof
  return Proven.make({
    value,
    anchor,
    proven: slots.length === 0 ? [account] : [account, EthEvidence.Slots({ storageRoot, slots })],
    claimed: looseOf(value)
  })
}

/** Returns a claim for each field other than the account, its slots and their proofs. */
const looseOf = (value: AccountProof.AccountProof): ReadonlyArray<Claim.Claim> => {
  const loose = new Set<string>()
  for (const field of Object.keys(value)) if (!accountFields.has(field)) loose.add(field)
  unknownFields(value.storageProof, slotFields, "storageProof", loose)
  return Array.from(loose, (field) => Claim.of(field, EthReason.NotCovered({ by: "account" })))
}

const accountFields = new Set([
  "address",
  "balance",
  "codeHash",
  "nonce",
  "storageHash",
  "accountProof",
  "storageProof"
])
const slotFields = new Set(["key", "value", "proof"])

interface Account {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Hash32.Hash32
  readonly codeHash: Hash32.Hash32
}

const ABSENT: Account = { nonce: 0n, balance: 0n, storageRoot: Trie.EMPTY_ROOT, codeHash: Keccak256.EMPTY }

/**
 * Reads the account in a leaf of the state trie (Yellow Paper, section 4.1); `undefined` if the leaf is not an account.
 */
const readAccount = (leaf: Uint8Array): Account | undefined => {
  const decoded = Rlp.decode(leaf)
  if (Result.isFailure(decoded) || decoded.success instanceof Uint8Array || decoded.success.length !== 4)
    return undefined
  const [nonce, balance, storageRoot, codeHash] = decoded.success
  if (!(storageRoot instanceof Uint8Array) || storageRoot.length !== 32) return undefined
  if (!(codeHash instanceof Uint8Array) || codeHash.length !== 32) return undefined
  const count = readInteger(nonce)
  const wei = readInteger(balance)
  if (count === undefined || wei === undefined) return undefined
  return {
    nonce: count,
    balance: wei,
    storageRoot: Hash32.fromBytesUnsafe(storageRoot),
    codeHash: Hash32.fromBytesUnsafe(codeHash)
  }
}

const readInteger = (item: Rlp.Rlp | undefined): bigint | undefined => {
  const read = item instanceof Uint8Array ? Quantity.fromBytes(item) : undefined
  return read === undefined || Result.isFailure(read) ? undefined : read.success
}

/** Corrects the wrong codeHash of geth before 1.13.5 (its issue 28355). */
const withProvenCode = (answer: AccountProof.AccountProof, account: Account): AccountProof.AccountProof =>
  Hex.equals(account.storageRoot, Trie.EMPTY_ROOT) &&
  Hex.equals(answer.codeHash, Keccak256.EMPTY) &&
  !Hex.equals(account.codeHash, Keccak256.EMPTY)
    ? { ...answer, codeHash: account.codeHash }
    : answer

const checkAccount = (answer: AccountProof.AccountProof, account: Account): RefutedError | undefined => {
  if (answer.nonce !== account.nonce) return refute("account.nonce", account.nonce, answer.nonce)
  if (answer.balance !== account.balance) return refute("account.balance", account.balance, answer.balance)
  const zeroIsFine = account === ABSENT
  if (!Hex.equals(answer.codeHash, account.codeHash) && !(zeroIsFine && answer.codeHash === Hash32.ZERO)) {
    return refute("account.codeHash", account.codeHash, answer.codeHash)
  }
  if (!Hex.equals(answer.storageHash, account.storageRoot) && !(zeroIsFine && answer.storageHash === Hash32.ZERO)) {
    return refute("account.storageHash", account.storageRoot, answer.storageHash)
  }
  return undefined
}

const checkSlots = (
  answer: AccountProof.AccountProof,
  keys: ReadonlyArray<StorageKey.StorageKey>,
  storageRoot: Hash32.Hash32
): RefutedError | undefined => {
  if (answer.storageProof.length !== keys.length) {
    return refute("storageProof", `${keys.length} slots`, `${answer.storageProof.length} slots`)
  }
  const stray = strayKey(answer, keys)
  if (stray >= 0) return refute(`storageProof[${stray}].key`, keys[stray], answer.storageProof[stray]!.key)
  const paths = Keccak256.hashMany(keys.map(Hash32.toBytes))
  const outcomes = TrieProof.verifyAll(
    Hash32.toBytes(storageRoot),
    answer.storageProof.map(({ proof }, i) => ({ key: paths[i]!, nodes: proof }))
  )
  for (const [i, outcome] of outcomes.entries()) {
    if (Result.isFailure(outcome)) return broken(`storageProof[${i}]`, outcome.failure)
    const value = outcome.success._tag === "Included" ? readWord(outcome.success.value) : 0n
    if (value === undefined) return refute(`storageProof[${i}]`, "a leaf with a word", "something else")
    const said = answer.storageProof[i]!.value
    if (said !== value) return refute(`storageProof[${i}].value`, value, said)
  }
  return undefined
}

const isAbout = (answer: AccountProof.AccountProof, keys: ReadonlyArray<StorageKey.StorageKey>): boolean =>
  answer.storageProof.length === keys.length && strayKey(answer, keys) < 0

/** Returns the index of the first slot that was not requested at its position, or -1. */
const strayKey = (answer: AccountProof.AccountProof, keys: ReadonlyArray<StorageKey.StorageKey>): number =>
  // nodes echo the key as sent, padded or trimmed, so the numbers are compared
  answer.storageProof.findIndex((slot, i) => slot.key !== keys[i] && AccountProof.keyOf(slot) !== BigInt(keys[i]!))

/** Reads the word in a leaf of a storage trie: the RLP of its minimal bytes. */
const readWord = (leaf: Uint8Array): bigint | undefined => {
  const decoded = Rlp.decode(leaf)
  return Result.isFailure(decoded) ? undefined : readInteger(decoded.success)
}

const broken = (check: string, error: TrieProofError): RefutedError => {
  const at = (node: number) => ({ at: { proof: check, node } })
  switch (error._tag) {
    case "HashMismatch":
      return refute(`${check} node ${error.node}`, error.expected, error.got, at(error.node))
    case "MissingNode":
      return refute(`${check} node ${error.node}`, error.expected, "nothing", at(error.node))
    case "UnusedNodes":
      return refute(check, `${error.used} nodes`, `${error.got} nodes`)
    case "MalformedNode":
      return refute(`${check} node ${error.node}`, "a trie node", error.detail, at(error.node))
  }
}
