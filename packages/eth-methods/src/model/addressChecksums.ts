/** Finds mistyped addresses in arguments. The upper and lower case of an address is its checksum (EIP-55, EIP-1191). */
import * as PlainKeccak from "@plumbline/codec/hash/PlainKeccak"
import * as Address from "@plumbline/codec/value/PlainAddress"
import type { ArgumentFault } from "@plumbline/jsonrpc-core/method/Method"

/**
 * Returns the fault of a method's argument if an address in it has a wrong checksum. An address that is all in lower
 * case or all in upper case has no checksum. Addresses are looked for where methods have them: as property names, and
 * under the field names that hold an address. Other data of 20 bytes is ignored.
 */
export const fault = (argument: unknown): ArgumentFault | undefined => {
  const path = find(argument, true)
  return path === undefined ? undefined : { path, detail: DETAIL }
}

/** The message about an address with a wrong checksum. */
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
  if (differs(text.slice(2))) return true
  if (right.size === MAX_KEPT) right.clear()
  right.add(text)
  return false
}

/** True if the digits have upper and lower case, but not the case that their checksum requires. */
const differs = (digits: string): boolean => {
  const lower = digits.toLowerCase()
  if (digits === lower || digits === digits.toUpperCase()) return false
  return HASHED_BEFORE.every((before) => hasOther(digits, lower, before))
}

/** The texts that are hashed before the digits: none (EIP-55), or the chain's id and `0x` (EIP-1191). */
const HASHED_BEFORE = ["", ...Address.EIP_1191_CHAINS.map((chainId) => `${chainId}0x`)]

const hasOther = (digits: string, lower: string, before: string): boolean => {
  const hash = PlainKeccak.hashHex(encoder.encode(before + lower))
  for (let i = 0; i < digits.length; i++) {
    const isUpper = digits[i] !== lower[i]
    const isLetter = lower[i]! > "9"
    if (isLetter && isUpper !== hash[2 + i]! > "7") return true
  }
  return false
}

const encoder = new TextEncoder()

/**
 * Addresses without a wrong checksum. A program often uses the same addresses again. Hashing an address takes
 * microseconds, and looking for upper-case letters takes ten times as long as looking into this set.
 */
const right = new Set<string>()

const MAX_KEPT = 4096
