/** Tells a contract, an account without code and an address without an account apart, in words that every screen uses. */
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type { AccountState } from "@plumbline/storage-layout/read/ContractStorage"
import type * as Evidence from "@plumbline/verdict/Evidence"

import type { VerdictName } from "../look/VerdictMark.tsx"

/** An account as a node's proof shows it, and the length of its code. */
export interface ReadAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly codeBytes: number
  readonly proven: ReadonlyArray<Evidence.Evidence>
}

/**
 * Returns the state of an account. Without evidence, an account whose fields are empty is absent, because no account has
 * been empty since EIP-161.
 */
export const of = ({ balance, codeBytes, nonce, proven }: ReadAccount): AccountState => {
  if (codeBytes > 0) return "contract"
  const isAbsent = proven.some(EthEvidence.Account.is) ? EthEvidence.isAbsent(proven) : balance === 0n && nonce === 0n
  return isAbsent ? "absent" : "without code"
}

/** The noun for each state, at the beginning of a sentence. */
export const NAMES: Readonly<Record<AccountState, string>> = {
  contract: "A contract",
  "without code": "An account",
  absent: "Absent"
}

/** Returns the sentence beside the verdict about an account. */
export const sentenceOf = (state: AccountState, word: VerdictName): string => {
  const is = state === "absent" ? "There is no account at this address" : "The account is"
  return word === "VERIFIED"
    ? `${is} in the state of the block that you trust.`
    : `${is} in the state of this block, but only the node says that the block is on the chain.`
}

/** Returns the warning above an account's fields, variables or functions; undefined if there is nothing to warn of. */
export const warningOf = (state: AccountState, read: "field" | "variable" | "function"): string | undefined => {
  if (state !== "contract" && read === "function") {
    return "There is no code at this address, so a call of it returns nothing. Check the address."
  }
  if (state === "absent") return `There is no account at this address: each ${read} reads as zero. Check the address.`
  return state === "without code" && read === "variable"
    ? "The account has no code, so it is not a contract. Check the address."
    : undefined
}
