/**
 * Accounts: 20 bytes as branded text.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Keccak256 from "../hash/Keccak256.ts"
import * as hexCodec from "../hex/convert.ts"
import * as explainHex from "../hex/explain.ts"
import * as Hex from "../hex/Hex.ts"
import { HexError } from "../hex/HexError.ts"
import * as hexSchema from "../hex/schema.ts"
import * as byHand from "../wire/byHand.ts"

/**
 * `0x` text of 20 bytes. Its case is kept.
 */
export type Address = Hex.Hex & Brand.Brand<"Address">

/**
 * Schema of `0x` text of 20 bytes. Its case is kept.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Schema.decodeUnknownOption(Address.Address)
 * decode("0x00000000219ab540356cBB839Cbe05303d7705Fa")._tag // => "Some"
 * decode("0x1234")._tag // => "None"
 * ```
 */
export const Address: Schema.Codec<Address, string> = /* @__PURE__ */ byHand.checked(
  () => hexSchema.data(20, "Address").pipe(Schema.brand("Address")),
  (value) => isAddress(value)
)

/**
 * True if the value is `0x` text of 20 bytes, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * Address.isAddress("0x00000000219ab540356cBB839Cbe05303d7705Fa") // => true
 * Address.isAddress("0x1234") // => false
 * ```
 */
export const isAddress = (value: unknown): value is Address => typeof value === "string" && hexCodec.isData(value, 20)

/**
 * Checks that the text is 20 bytes, and returns it unchanged. The case is ignored: see {@link isChecksumValid}.
 *
 * Fails with {@link HexError}.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * Address.fromHex("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")._tag // => "Success"
 * Address.fromHex("0x1234")._tag // => "Failure"
 * ```
 */
export const fromHex = (hex: string): Result.Result<Address, HexError> =>
  isAddress(hex) ? Result.succeed(hex) : Result.fail(explainHex.explain(hex, 20))

/**
 * Does the same as {@link fromHex}, but throws {@link HexError}.
 */
export const fromHexUnsafe = (hex: string): Address => {
  if (isAddress(hex)) return hex
  throw explainHex.explain(hex, 20)
}

/**
 * Returns the lower-case text of exactly 20 bytes. Fails with {@link HexError} `WrongSize`.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * Address.fromBytes(new Uint8Array(20))._tag // => "Success"
 * Address.fromBytes(new Uint8Array(32))._tag // => "Failure"
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<Address, HexError> =>
  bytes.length === 20
    ? Result.succeed(Hex.fromBytes(bytes) as Address)
    : Result.fail(new HexError({ reason: "WrongSize", index: 0, size: bytes.length, expectedSize: 20 }))

/**
 * Does the same as {@link fromBytes}, but throws {@link HexError}.
 */
export const fromBytesUnsafe = (bytes: Uint8Array): Address => Result.getOrThrow(fromBytes(bytes))

/**
 * Returns the 20 bytes.
 */
export const toBytes = (value: Address): Uint8Array<ArrayBuffer> => Hex.toBytesUnsafe(value)

/**
 * True if both addresses are the same account, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { Address } from "@plumbline/codec"
 *
 * const address = Address.fromHexUnsafe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
 * Address.equals(address, Address.checksum(address)) // => true
 * ```
 */
export const equals = (a: Address, b: Address): boolean => Hex.equals(a, b)

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
  const hash = Keccak256.hash(new TextEncoder().encode(chainId === undefined ? digits : `${chainId}0x${digits}`))
  let out = "0x"
  for (let i = 0; i < 40; i++) {
    const nibble = (hash[i >> 1]! >> (i % 2 === 0 ? 4 : 0)) & 0xf
    out += nibble > 7 ? digits[i]!.toUpperCase() : digits[i]!
  }
  return out as Address
}

/** The ids of the chains that use the checksum of EIP-1191: Rootstock's main and test network. */
export const EIP_1191_CHAINS: ReadonlyArray<bigint> = [30n, 31n]

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
