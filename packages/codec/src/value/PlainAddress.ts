/**
 * Addresses without checksums: 20 bytes as branded text.
 *
 * `Address` has the same types and functions, and checksums, which need a hash function. A bundler that splits a program
 * loads a module as a whole, so a page that only reads addresses loads 8 kB less with this module.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as explainHex from "../hex/explain.ts"
import * as Hex from "../hex/Hex.ts"
import * as hexCodec from "../hex/hexConversion.ts"
import { HexError } from "../hex/HexError.ts"
import * as HexSchema from "../hex/hexSchema.ts"
import * as byHand from "../wire/byHand.ts"

/**
 * `0x` text of 20 bytes. Its case is kept.
 */
export type Address = Hex.Hex & Brand.Brand<"Address">

/**
 * Schema of `0x` text of 20 bytes. Its case is kept.
 *
 * ```ts import.meta.vitest
 * import { PlainAddress } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Schema.decodeUnknownOption(PlainAddress.Address)
 * decode("0x00000000219ab540356cBB839Cbe05303d7705Fa")._tag // => "Some"
 * decode("0x1234")._tag // => "None"
 * ```
 */
export const Address: Schema.Codec<Address, string> = /* @__PURE__ */ byHand.checked(
  () => HexSchema.data(20, "Address").pipe(Schema.brand("Address")),
  (value) => isAddress(value)
)

/**
 * True if the value is `0x` text of 20 bytes, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { PlainAddress } from "@plumbline/codec"
 *
 * PlainAddress.isAddress("0x00000000219ab540356cBB839Cbe05303d7705Fa") // => true
 * PlainAddress.isAddress("0x1234") // => false
 * ```
 */
export const isAddress = (value: unknown): value is Address => typeof value === "string" && hexCodec.isData(value, 20)

/**
 * Checks that the text is 20 bytes, and returns it unchanged. The case is ignored: see `Address.isChecksumValid`.
 *
 * Fails with {@link HexError}.
 *
 * ```ts import.meta.vitest
 * import { PlainAddress } from "@plumbline/codec"
 *
 * PlainAddress.fromHex("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")._tag // => "Success"
 * PlainAddress.fromHex("0x1234")._tag // => "Failure"
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
 * import { PlainAddress } from "@plumbline/codec"
 *
 * PlainAddress.fromBytes(new Uint8Array(20))._tag // => "Success"
 * PlainAddress.fromBytes(new Uint8Array(32))._tag // => "Failure"
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
 * import { PlainAddress } from "@plumbline/codec"
 *
 * const address = PlainAddress.fromHexUnsafe("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
 * PlainAddress.equals(address, PlainAddress.fromHexUnsafe("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")) // => true
 * ```
 */
export const equals = (a: Address, b: Address): boolean => Hex.equals(a, b)

/** The ids of the chains that use the checksum of EIP-1191: Rootstock's main and test network. */
export const EIP_1191_CHAINS: ReadonlyArray<bigint> = [30n, 31n]
