/**
 * ENS names: the normal form, the node of a name in the registry, and the form in which contracts take a name.
 *
 * Sources: ENSIP-1 (namehash), ENSIP-10 (names in the encoding of DNS), ENSIP-15 (normal form). The rules of ENSIP-15 are
 * those of `@adraffy/ens-normalize`, whose version decides which version of Unicode counts.
 */
import { ens_normalize } from "@adraffy/ens-normalize"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"

import { EnsNameError } from "./EnsNameError.ts"

export { EnsNameError } from "./EnsNameError.ts"

/** A name in its normal form. It has at least one label, and no label is empty. */
export type EnsName = string & Brand.Brand<"EnsName">

/** Maximum length of a text that is read as a name, in UTF-16 code units. */
export const MAX_LENGTH = 1024

/** Maximum size of a label, in bytes of UTF-8: the encoding of ENSIP-10 has one byte for it. */
export const MAX_LABEL = 255

/**
 * Reads a name, and returns its normal form. Text that has no normal form is refused; it is never shortened or mapped by
 * older rules.
 *
 * The first text with other characters than letters and digits of ASCII, single hyphens and dots unpacks the tables of
 * Unicode. This holds the thread for many times as long as reading a name does, so a server can read one at its start.
 *
 * Fails with `EnsNameError`.
 *
 * ```ts import.meta.vitest
 * import { EnsName } from "@plumbline/ens"
 * import { Result } from "effect"
 *
 * EnsName.fromText("Alice.ETH") // => Result.succeed("alice.eth")
 * Result.isFailure(EnsName.fromText("a_b.eth")) // => true
 * ```
 */
export const fromText = (text: string): Result.Result<EnsName, EnsNameError> => {
  if (text === "") return fail("Empty")
  if (text.length > MAX_LENGTH) return fail("TooLong")
  if (PLAIN.test(text)) return bounded(text.toLowerCase())
  return Result.flatMap(
    Result.try({
      try: () => ens_normalize(text),
      catch: (error) =>
        new EnsNameError({
          reason: text.split(".").includes("") ? "Empty" : "NotNormalizable",
          // the library puts marks of direction (U+200E) around parts of the name
          ...(error instanceof Error ? { detail: error.message.replaceAll("\u200e", "") } : {})
        })
    }),
    bounded
  )
}

/**
 * Names of letters and digits of ASCII, with single hyphens between them. Only their upper case has another normal form,
 * so they do not need the library, which unpacks its tables when it is first called.
 */
const PLAIN = /^[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*$/

const bounded = (name: string): Result.Result<EnsName, EnsNameError> => {
  const labels = name.split(".").map((label) => utf8.encode(label).length)
  if (labels.includes(0)) return fail("Empty")
  return labels.some((size) => size > MAX_LABEL) ? fail("TooLong") : Result.succeed(name as EnsName)
}

/** Works as `fromText`, but throws `EnsNameError`. */
export const fromTextUnsafe = (text: string): EnsName => Result.getOrThrow(fromText(text))

/**
 * Reads a name that must be in its normal form already.
 *
 * ```ts import.meta.vitest
 * import { EnsName } from "@plumbline/ens"
 * import { Result } from "effect"
 *
 * const refused = EnsName.fromNormalized("Alice.eth")
 * Result.isFailure(refused) && refused.failure.reason // => "NotNormalized"
 * ```
 */
export const fromNormalized = (text: string): Result.Result<EnsName, EnsNameError> =>
  Result.flatMap(fromText(text), (name) => (name === text ? Result.succeed(name) : fail("NotNormalized")))

/**
 * Returns the node of a name: its key in the registry (ENSIP-1).
 *
 * ```ts import.meta.vitest
 * import { EnsName } from "@plumbline/ens"
 *
 * const name = EnsName.fromTextUnsafe("eth")
 * EnsName.namehash(name) // => "0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae"
 * ```
 */
export const namehash = (name: EnsName): Hash32.Hash32 => {
  const pair = new Uint8Array(64)
  for (const label of name.split(".").toReversed()) {
    pair.set(Keccak256.hash(utf8.encode(label)), 32)
    pair.set(Keccak256.hash(pair))
  }
  return Hash32.fromBytesUnsafe(pair.slice(0, 32))
}

/**
 * Returns the bytes in which contracts take a name: each label after a byte with its size, and a zero at the end
 * (ENSIP-10).
 *
 * ```ts import.meta.vitest
 * import { EnsName } from "@plumbline/ens"
 *
 * EnsName.toDns(EnsName.fromTextUnsafe("a.eth")) // => "0x01610365746800"
 * ```
 */
export const toDns = (name: EnsName): Hex.Hex => {
  const labels = name.split(".").map((label) => utf8.encode(label))
  return Hex.fromBytes(Uint8Array.from([...labels.flatMap((label) => [label.length, ...label]), 0]))
}

/**
 * Returns the part of a name that begins at this byte of its encoding; undefined if no label begins there.
 *
 * ```ts import.meta.vitest
 * import { EnsName } from "@plumbline/ens"
 *
 * const name = EnsName.fromTextUnsafe("a.b.eth")
 * EnsName.fromOffset(name, 2) // => "b.eth"
 * EnsName.fromOffset(name, 3) // => undefined
 * ```
 */
export const fromOffset = (name: EnsName, offset: number): EnsName | undefined => {
  const labels = name.split(".")
  let at = 0
  for (const [i, label] of labels.entries()) {
    if (at === offset) return labels.slice(i).join(".") as EnsName
    at += 1 + utf8.encode(label).length
  }
  return undefined
}

const utf8 = new TextEncoder()

const fail = (reason: EnsNameError["reason"]): Result.Result<never, EnsNameError> =>
  Result.fail(new EnsNameError({ reason }))
