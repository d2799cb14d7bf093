/**
 * Addresses, hashes and keys as programs write them: plain `0x` text, which each client checks before it sends anything.
 *
 * The branded values of `@plumbline/codec`, which this package returns, are such text too. A brand exists only for the
 * compiler, so the clients check every text, and accept a value from an answer unchanged.
 *
 * An address in mixed case must have the checksum of EIP-55 or EIP-1191. An address all in lower case or all in upper
 * case has no checksum, and is accepted. For a wrong text, the client sends nothing and fails with `JsonRpcError`, whose
 * reason is `EncodeError` with the path of the parameter.
 *
 * ```ts import.meta.vitest
 * import { EthClient } from "@plumbline/eth-methods"
 * import { Transport } from "@plumbline/jsonrpc-core"
 * import { Effect, Layer } from "effect"
 *
 * const node = Layer.succeed(Transport.Transport, {
 *   call: () => Effect.succeed("0x1bc16d674ec80000"),
 *   callAll: () => Effect.succeed([])
 * })
 * const ask = (address: `0x${string}`) =>
 *   EthClient.EthClient.use((eth) => eth.getBalance(address)).pipe(
 *     Effect.catch(({ message }) => Effect.succeed(message)),
 *     Effect.provide(EthClient.layer().pipe(Layer.provide(node)))
 *   )
 *
 * await Effect.runPromise(ask("0x00000000219ab540356cBB839Cbe05303d7705Fa")) // => 2_000_000_000_000_000_000n
 * const mistyped = await Effect.runPromise(ask("0x00000000219ab540356cBB839Cbe05303d7705fa"))
 * String(mistyped).startsWith("eth_getBalance: params.address: the checksum of the address is wrong") // => true
 * ```
 */
import * as Hash32_ from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Address_ from "@plumbline/codec/value/PlainAddress"
import type * as Schema from "effect/Schema"

import * as AddressChecksums from "./addressChecksums.ts"

/** An account: `0x` text of 20 bytes. */
export type Address = Address_.Address | Hex.Hex

/** Schema of {@link Address}. It accepts a wrong checksum, as nodes do. Only clients refuse one. */
export const Address: Schema.Codec<Address, string> = Address_.Address

/**
 * Returns the fault of a text that is not an address or has a wrong checksum; undefined if clients accept the text.
 *
 * ```ts import.meta.vitest
 * import { Input } from "@plumbline/eth-methods"
 *
 * Input.faultOfAddress("0x00000000219ab540356cBB839Cbe05303d7705Fa") // => undefined
 * Input.faultOfAddress("0x1234") // => "Expected 0x hex data of 20 bytes"
 * ```
 */
export const faultOfAddress = (text: string): string | undefined => {
  if (!Address_.isAddress(text)) return "Expected 0x hex data of 20 bytes"
  return AddressChecksums.isWrong(text) ? AddressChecksums.DETAIL : undefined
}

/** A hash, a root or a word: `0x` text of 32 bytes. */
export type Hash32 = Hash32_.Hash32 | Hex.Hex

/** Schema of {@link Hash32}. */
export const Hash32: Schema.Codec<Hash32, string> = Hash32_.Hash32

/** A storage key: `0x` and up to 64 hexadecimal digits. The number of digits may be odd. `0x0` and `0x` are slot 0. */
export type StorageKey = Hash32_.Hash32 | Hex.Hex

/**
 * Returns wire arguments with their addresses in lower case, for a program that forwards the arguments of its callers.
 * JSON-RPC requires no checksums, and nodes do not check them.
 *
 * Any other text of 20 bytes becomes lower case too, which leaves its bytes the same.
 *
 * ```ts import.meta.vitest
 * import { Input } from "@plumbline/eth-methods"
 *
 * const args = [{ to: "0x00000000219ab540356cBB839Cbe05303d7705FA" }, "latest"]
 * Input.withoutChecksums(args) // => [{ to: "0x00000000219ab540356cbb839cbe05303d7705fa" }, "latest"]
 * ```
 */
export const withoutChecksums = <A>(value: A): A => lower(value) as A

const lower = (value: unknown): unknown => {
  if (typeof value === "string") return Address_.isAddress(value) ? value.toLowerCase() : value
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(lower)
  return Object.fromEntries(Object.entries(value).map(([name, inside]) => [lower(name), lower(inside)]))
}
