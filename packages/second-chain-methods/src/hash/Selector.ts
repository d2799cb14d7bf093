/**
 * Selectors: the numbers by which a call names a contract's function.
 *
 * Source: Starknet's documentation of entry points and of its Keccak.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"

import * as Felt from "../model/Felt.ts"

/**
 * Returns the selector of a function: the low 250 bits of the Keccak-256 of its ASCII name.
 *
 * ```ts import.meta.vitest
 * import { Selector } from "@plumbline/second-chain-methods"
 *
 * Selector.of("transfer") // => "0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e"
 * ```
 */
export const of = (name: string): Felt.Felt =>
  Felt.fromBigIntUnsafe(BigInt.asUintN(250, BigInt(Keccak256.hashHex(new TextEncoder().encode(name)))))
