/** The reason why a name gave no answer. Nothing is refuted by it, and it never means that a record is absent. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as Data from "effect/Data"

import type { ContentHashError } from "../content/ContentHashError.ts"
import type { EnsNameError } from "../name/EnsNameError.ts"
import type { GatewayFailure, OffchainFailure } from "../offchain/OffchainFailure.ts"

/** The cause. */
export type EnsErrorReason =
  /** An argument other than the name is out of its bounds, so no call was made. */
  | { readonly _tag: "Argument"; readonly argument: "address" | "coinType" | "key" }
  /** There is no contract at the address of the Universal Resolver, so the chain or the address is wrong. */
  | { readonly _tag: "NoUniversalResolver"; readonly address: Address.Address }
  /** The record is outside the chain, and the option `ccip` does not allow to ask its gateways. */
  | { readonly _tag: "OffchainNotAllowed"; readonly hosts: ReadonlyArray<string> }
  | OffchainFailure
  /** The resolver reverted, with these bytes. A resolver without the asked function may revert with none. */
  | { readonly _tag: "ResolverReverted"; readonly data: Hex.Hex }
  /** The Universal Resolver reverted with an error that has no meaning here, or ended in another way. */
  | { readonly _tag: "CallFailed"; readonly data: Hex.Hex | undefined; readonly halt: string | undefined }
  /** The returned bytes are not the encoding of the record. */
  | { readonly _tag: "Malformed"; readonly data: Hex.Hex }
  | { readonly _tag: "ContentHash"; readonly error: ContentHashError }
  /** The name that the address claims is not a name in its normal form. */
  | { readonly _tag: "PrimaryName"; readonly error: EnsNameError }

/**
 * A name has no proven answer.
 *
 * ```ts import.meta.vitest
 * import { EnsError } from "@plumbline/ens"
 *
 * const reason = { _tag: "ResolverReverted", data: "0x08c379a0" } as const
 * const error = new EnsError.EnsError({ subject: "alice.eth", record: "addr", reason })
 * error.message // => "addr of alice.eth: its resolver reverted"
 * ```
 */
export class EnsError extends Data.TaggedError("EnsError")<{
  /** The name, or the address whose name was asked for. */
  readonly subject: string
  readonly record: string
  readonly reason: EnsErrorReason
}> {
  override get message(): string {
    return `${this.record} of ${this.subject}: ${sentenceOf(this.reason)}`
  }
}

const sentenceOf = (reason: EnsErrorReason): string => {
  switch (reason._tag) {
    case "Argument":
      return ARGUMENTS[reason.argument]
    case "NoUniversalResolver":
      return `there is no Universal Resolver at ${reason.address}. Name the chain, or the contract's address on it`
    case "OffchainNotAllowed": {
      const at = reason.hosts.length === 0 ? "" : `, at ${reason.hosts.join(", ")}`
      return `it is outside the chain${at}. Allow CCIP-Read to ask there; the gateway then learns the name`
    }
    case "Gateway":
      return `no gateway answered${reason.failures.map((failure) => `; ${saidOf(failure)}`).join("")}`
    case "LookupRefused":
      return `its contract's request for gateways is refused: ${REFUSALS[reason.check]}`
    case "ResolverReverted":
      return reason.data === "0x"
        ? "its resolver reverted and gives no reason: it fails, or has no such records"
        : "its resolver reverted"
    case "CallFailed":
      return reason.halt === undefined ? "the Universal Resolver reverted" : `the call failed: ${reason.halt}`
    case "Malformed":
      return "the resolver returned bytes that are not such a record"
    case "ContentHash":
    case "PrimaryName":
      return reason.error.message
  }
}

const ARGUMENTS = {
  address: "the address must be 0x and 40 hex digits",
  coinType: "the coin type must be a whole number below 2^256",
  key: "the key must be a text of at most 1024 characters"
} as const

const saidOf = ({ fault, host = "no host", status }: GatewayFailure): string =>
  `${host}: ${status === undefined ? FAULTS[fault] : `HTTP ${status}`}`

const FAULTS = {
  Status: "a failing status",
  Unreachable: "no answer",
  TimedOut: "no whole answer in time",
  TooLarge: "an answer that is too large",
  Malformed: "an answer without data",
  RefusedUrl: "its URL is refused: it must be https without a user name, and not too long"
} as const

const REFUSALS = {
  sender: "the sender is another contract",
  lookups: "one lookup leads to too many others",
  requests: "it needs too many requests",
  time: "its requests take too long",
  depth: "its batches are nested too deep",
  malformed: "it does not have the form of EIP-3668",
  bytes: "its data are too large"
} as const
