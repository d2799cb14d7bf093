/** The checksums in the case of addresses (EIP-55): which of a program's addresses are mistyped. */
import * as PlainKeccak from "@plumbline/codec/hash/PlainKeccak"
import * as Address from "@plumbline/codec/value/Address"
import type { Fault } from "@plumbline/jsonrpc-core/method/Method"

/**
 * Returns the fault of an argument of a method: an address in it has a wrong checksum. An address that is all in lower
 * case or all in upper case has none. Addresses are looked for where methods have them: as a name of an object, and
 * under the names of fields that hold one. Other data of 20 bytes is none.
 */
export const fault = (argument: unknown): Fault | undefined => {
  const path = find(argument, true)
  return path === undefined ? undefined : { path, detail: DETAIL }
}

/** The fault of an address with a wrong checksum. */
export const DETAIL =
  "the checksum of the address is wrong (EIP-55). Compare the address with its source, or write it in lower case to skip the checksum"

/** The fields of arguments that hold an address, or several. */
const FIELDS: ReadonlySet<string> = new Set(["address", "from", "to", "feeRecipient", "movePrecompileToAddress"])

const find = (value: unknown, isAddress: boolean): ReadonlyArray<string | number> | undefined => {
  if (typeof value === "string") return isAddress && isWrong(value) ? [] : undefined
  if (typeof value !== "object" || value === null) return undefined
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const path = find(item, isAddress)
      if (path !== undefined) return [index, ...path]
    }
    return undefined
  }
  for (const [name, inside] of Object.entries(value)) {
    const path = isWrong(name) ? [] : find(inside, FIELDS.has(name))
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}

const LENGTH = 42

/** True if the text is an address whose checksum is wrong. */
export const isWrong = (text: string): boolean => {
  if (text.length !== LENGTH || right.has(text) || !Address.isAddress(text)) return false
  const digits = text.slice(2)
  const lower = digits.toLowerCase()
  if (digits === lower || digits === digits.toUpperCase()) return false
  const hash = PlainKeccak.hashHex(encoder.encode(lower))
  for (let i = 0; i < digits.length; i++) {
    const isUpper = digits[i] !== lower[i]
    const isLetter = lower[i]! > "9"
    if (isLetter && isUpper !== hash[2 + i]! > "7") return true
  }
  if (right.size === MAX_KEPT) right.clear()
  right.add(text)
  return false
}

const encoder = new TextEncoder()

/** Addresses whose checksum was right: a program asks for the same ones again, and a hash takes microseconds. */
const right = new Set<string>()

const MAX_KEPT = 4096
