/**
 * The `r` and `s` of a signature, kept as sent.
 *
 * They are integers below 2^256. The interface and some nodes pad them to 32 bytes, others (geth, anvil) send quantities
 * without leading zeros, which may have an odd number of digits; so the text is kept and `toBigInt` reads either.
 */
import * as Hex from "@plumbline/codec/Hex"
import * as Schema from "effect/Schema"

/** `0x` and 1 to 64 hex digits, as sent. */
export type SignatureScalar = Hex.Hex

/** Wire scalar, kept as text. */
export const SignatureScalar: Schema.Codec<SignatureScalar, string> = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/u, { expected: "0x and 1 to 64 hex digits" })),
  Schema.refine((_text): _text is SignatureScalar => true)
).annotate({ identifier: "SignatureScalar" })

/** Whether the value is `0x` and 1 to 64 hex digits. */
export const isSignatureScalar = (value: unknown): value is SignatureScalar =>
  typeof value === "string" &&
  value.length > 2 &&
  value.length <= 66 &&
  // an odd number of digits is data with one more
  Hex.isHex(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`) &&
  value.startsWith("0x")

/**
 * The integer that the text stands for.
 *
 * ```ts import.meta.vitest
 * import { SignatureScalar } from "@plumbline/eth-methods"
 *
 * SignatureScalar.toBigInt("0x00ff") // => 255n
 * ```
 */
export const toBigInt = (scalar: SignatureScalar): bigint => BigInt(scalar)
