/**
 * The `r` and `s` of a signature, kept as sent.
 *
 * They are integers below 2^256. The interface and some nodes pad them to 32 bytes, others (geth, anvil) send
 * quantities without leading zeros, which may have an odd number of digits. So the text is kept, and `toBigInt` reads
 * either form.
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import { isDigits, SomeDigits } from "./wordDigits.ts"

/** `0x` and 1 to 64 hex digits, as sent. */
export type SignatureScalar = Hex.Hex

/** Wire scalar, which stays text after decoding. */
export const SignatureScalar: Schema.Codec<SignatureScalar, string> = SomeDigits.pipe(
  Schema.refine((_text): _text is SignatureScalar => true)
).annotate({ identifier: "SignatureScalar" })

/** True if the value is `0x` and 1 to 64 hex digits. */
export const isSignatureScalar = (value: unknown): value is SignatureScalar => isDigits(value) && value.length > 2

/**
 * Returns the integer that the text encodes.
 *
 * ```ts import.meta.vitest
 * import { SignatureScalar } from "@plumbline/eth-methods"
 *
 * SignatureScalar.toBigInt("0x00ff") // => 255n
 * ```
 */
export const toBigInt = (scalar: SignatureScalar): bigint => BigInt(scalar)
