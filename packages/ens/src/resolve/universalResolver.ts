/**
 * The calls of the Universal Resolver, and the meaning of their outcomes (ENSIP-23).
 *
 * Gateways are named by `x-batch-gateway:true`, so the contract hands batches of requests to the reader.
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as Result from "effect/Result"

import * as Abi from "../coding/abiCoding.ts"
import * as EnsName from "../name/EnsName.ts"
import type { GatewayFailure } from "../offchain/OffchainFailure.ts"
import * as OffchainLookup from "../offchain/offchainLookup.ts"
import type { EnsErrorReason } from "./EnsError.ts"
import type { Absence } from "./EnsEvidence.ts"

/** The bytes that the contract returned, or the reason why there is no value. */
export type Outcome =
  | { readonly _tag: "Returned"; readonly data: Hex.Hex }
  | { readonly _tag: "Absent"; readonly absence: Absence; readonly resolver: Address.Address | undefined }

const GATEWAYS = [OffchainLookup.LOCAL_BATCH]

/** Returns the data of `resolveWithGateways(bytes,bytes,string[])`. `call` is the data of the resolver's own function. */
export const resolve = (name: EnsName.EnsName, call: Hex.Hex): Hex.Hex =>
  Abi.encode("0xa1472844", [Abi.bytes, Abi.bytes, Abi.strings], [EnsName.toDns(name), call, GATEWAYS])

/** Reads what `resolve` returned: the resolver's answer, and its address. */
export const resolved = (data: Hex.Hex): readonly [answer: Hex.Hex, resolver: Address.Address] | undefined => {
  const values = Abi.decode([Abi.bytes, Abi.address], data)
  return values === undefined ? undefined : [values[0], plain(values[1])]
}

/** Returns the data of `reverseWithGateways(bytes,uint256,string[])`. */
export const reverse = (address: Hex.Hex, coinType: bigint): Hex.Hex =>
  Abi.encode("0xb7d6ca64", [Abi.bytes, Abi.uint256, Abi.strings], [address, coinType, GATEWAYS])

/** Reads what `reverse` returned: the name, and the resolver of the name that stands for the address. */
export const reversed = (data: Hex.Hex): readonly [name: string, resolver: Address.Address] | undefined => {
  const values = Abi.decode([Abi.string, Abi.address, Abi.address], data)
  return values === undefined ? undefined : [values[0], plain(values[2])]
}

/** Returns the data of `findResolver(bytes)`. */
export const findResolver = (name: EnsName.EnsName): Hex.Hex =>
  Abi.encode("0xa1cbcbaf", [Abi.bytes], [EnsName.toDns(name)])

/** Reads what `findResolver` returned: the resolver, and the byte of the name at which its own name begins. */
export const foundResolver = (data: Hex.Hex): readonly [resolver: Address.Address, offset: bigint] | undefined => {
  const values = Abi.decode([Abi.address, Abi.bytes32, Abi.uint256], data)
  return values === undefined ? undefined : [plain(values[0]), values[2]]
}

/** viem gives addresses with a checksum; all answers here are in lower case. */
const plain = (address: string): Address.Address => Address.fromHexUnsafe(address.toLowerCase())

/** Returns the meaning of a call's outcome. `failures` are those of gateways, if any were asked. */
export const outcomeOf = (
  outcome: CallOutcome,
  universalResolver: Address.Address,
  failures: ReadonlyArray<GatewayFailure>
): Result.Result<Outcome, EnsErrorReason> => {
  if (outcome._tag === "Halted") {
    return Result.fail({ _tag: "CallFailed", data: undefined, halt: outcome.halt })
  }
  const { data } = outcome
  if (outcome._tag === "Returned") {
    // an account without code returns nothing, whatever it is asked
    return data === "0x"
      ? Result.fail({ _tag: "NoUniversalResolver", address: universalResolver })
      : Result.succeed({ _tag: "Returned", data })
  }
  const absent = (absence: Absence, resolver?: Address.Address): Result.Result<Outcome, EnsErrorReason> =>
    Result.succeed({ _tag: "Absent", absence, resolver })
  const unknown = (): Result.Result<never, EnsErrorReason> => Result.fail({ _tag: "CallFailed", data, halt: undefined })
  switch (Abi.selectorOf(data)) {
    case RESOLVER_NOT_FOUND:
      return absent("NoResolver")
    case RESOLVER_NOT_CONTRACT: {
      const resolver = Abi.decodeBody([Abi.bytes, Abi.address], data)?.[1]
      return resolver === undefined ? unknown() : absent("NoContract", plain(resolver))
    }
    case UNSUPPORTED_PROFILE:
      return absent("NoProfile")
    case ADDRESS_MISMATCH:
      return absent("OtherAddress")
    case RESOLVER_ERROR: {
      const inner = Abi.decodeBody([Abi.bytes], data)?.[0]
      return inner === undefined ? unknown() : Result.fail({ _tag: "ResolverReverted", data: inner })
    }
    case OffchainLookup.HTTP_ERROR:
      return failures.length === 0 ? unknown() : Result.fail({ _tag: "Gateway", failures })
    default:
      return unknown()
  }
}

const RESOLVER_NOT_FOUND = "0x77209fe8"
const RESOLVER_NOT_CONTRACT = "0x1e9535f2"
const UNSUPPORTED_PROFILE = "0x7b1c461b"
const RESOLVER_ERROR = "0x95c0c752"
const ADDRESS_MISMATCH = "0xef9c03ce"
