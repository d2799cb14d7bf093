/**
 * Accounts: 20 bytes as branded text, and their checksums.
 */
import * as PlainKeccak from "../hash/PlainKeccak.ts"
import { type Address, EIP_1191_CHAINS } from "./PlainAddress.ts"

export {
  Address,
  EIP_1191_CHAINS,
  equals,
  fromBytes,
  fromBytesUnsafe,
  fromHex,
  fromHexUnsafe,
  isAddress,
  toBytes
} from "./PlainAddress.ts"

/**
 * Returns the address with the upper and lower case of EIP-55: a letter is upper case if the Keccak-256 of the
 * lower-case digits has a hex digit above 7 at its position. With a chain id, the digits are hashed as EIP-1191 says,
 * for chains that use it: 30 and 31 (Rootstock).
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * const address = Address.fromHexUnsafe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
 * Address.checksum(address) // => "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
 * ```
 */
export const checksum = (address: Address, chainId?: bigint): Address => {
  const digits = address.slice(2).toLowerCase()
  const hash = PlainKeccak.hash(new TextEncoder().encode(chainId === undefined ? digits : `${chainId}0x${digits}`))
  let out = "0x"
  for (let i = 0; i < 40; i++) {
    const nibble = (hash[i >> 1]! >> (i % 2 === 0 ? 4 : 0)) & 0xf
    out += nibble > 7 ? digits[i]!.toUpperCase() : digits[i]!
  }
  return out as Address
}

/**
 * True if the upper and lower case of the letters is a checksum of the address: that of EIP-55, or that of EIP-1191 for
 * one of its chains.
 *
 * Text that is all in lower case or all in upper case has no checksum and is valid, as EIP-55 says. About 1 in 1,300
 * mistyped mixed-case addresses passes.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * const good = Address.fromHexUnsafe("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
 * Address.isChecksumValid(good) // => true
 * const bad = Address.fromHexUnsafe("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")
 * Address.isChecksumValid(bad) // => false
 * ```
 */
export const isChecksumValid = (address: Address): boolean => {
  const digits = address.slice(2)
  return (
    digits === digits.toLowerCase() ||
    digits === digits.toUpperCase() ||
    checksum(address) === address ||
    EIP_1191_CHAINS.some((chainId) => checksum(address, chainId) === address)
  )
}
