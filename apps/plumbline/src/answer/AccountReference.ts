/**
 * The accounts and slots that a person types.
 */
import * as Address from "@plumbline/codec/value/Address"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"

/**
 * Parses an address. A wrong checksum (EIP-55) is refused, because a mistyped address would be proven to be empty. `what`
 * names the argument in the error.
 */
export const address = (text: string, what = "address"): Result.Result<Address.Address, UsageError> =>
  Result.flatMap(
    Result.mapError(Address.fromHex(text), () =>
      usage(`${what} must be 0x and 40 hex digits${/^[0-9a-f]{40}$/iu.test(text) ? WITHOUT_0X : digitsOf(text)}`)
    ),
    (address) =>
      Address.isChecksumValid(address)
        ? Result.succeed(address)
        : Result.fail(
            usage(`${what}: its upper and lower case do not fit its digits (EIP-55), so one of them is mistyped`)
          )
  )

/** An account: its address, or the ENS name of it. */
export type AccountReference =
  | { readonly _tag: "Address"; readonly address: Address.Address }
  | { readonly _tag: "Name"; readonly name: string }

/**
 * Parses an account. A text with a dot is a name, which is read when the chain is asked. The error of a word says that
 * too.
 */
export const parse = (text: string): Result.Result<AccountReference, UsageError> =>
  text.includes(".")
    ? Result.succeed({ _tag: "Name", name: text })
    : /^[g-z][\w-]*$/iu.test(text)
      ? Result.fail(usage("address must be 0x and 40 hex digits, or an ENS name with a dot, such as alice.eth"))
      : Result.map(address(text), (address) => ({ _tag: "Address", address }))

/** Parses a slot: a decimal or `0x` number, of at most 32 bytes. `what` names the argument in the error. */
export const slot = (text: string, what: string): Result.Result<StorageKey.StorageKey, UsageError> => {
  const number = WholeNumber.parse(text, 256)
  if (number !== undefined) return Result.succeed(StorageKey.fromSlot(number))
  if (/^[0-9]{78}$/u.test(text)) return Result.fail(usage(`${what}: the largest slot is 2^256 - 1, and this is larger`))
  const hint = /^[0-9a-f]*[a-f][0-9a-f]*$/iu.test(text) ? WITHOUT_0X : digitsOf(text)
  return Result.fail(usage(`${what} must be a number, decimal or 0x, or a word of 0x and 64 hex digits${hint}`))
}

const WITHOUT_0X = "; this has no 0x before it"

/** Returns the number of digits for the error, because losing digits is the commonest mistake. */
const digitsOf = (text: string): string =>
  /^0x[0-9a-fA-F]*$/u.test(text) ? `; this has ${text.length - 2} digit${text.length === 3 ? "" : "s"}` : ""

const usage = (problem: string): UsageError => new UsageError({ problem })
