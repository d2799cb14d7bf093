/**
 * The accounts that a caller changes for one run, as geth defines them.
 *
 * Source: geth (https://geth.ethereum.org/docs/interacting-with-geth/rpc/objects).
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import type { Overridden, OverriddenAccount } from "@plumbline/eth-methods/call/CallEngine"
import type { CallError } from "@plumbline/eth-methods/call/CallError"
import type * as CallOverrides from "@plumbline/eth-methods/model/CallOverrides"
import * as Result from "effect/Result"

import type { CallBounds } from "./CallBounds.ts"
import * as CallFailures from "./callFailures.ts"

/** The changes of one account. An absent field keeps its value. */
export interface AccountChange {
  /** In lower case. */
  readonly address: string
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  /** True if the changed slots are the whole storage: all others are zero. */
  readonly isWhole: boolean
  /** Changed slots as 32-byte words, by key in lower case. */
  readonly slots: ReadonlyMap<string, Hex.Hex>
}

/** Reads the overrides of accounts. */
export const read = (
  overrides: CallOverrides.StateOverride | undefined,
  bounds: CallBounds
): Result.Result<ReadonlyArray<AccountChange>, CallError> => {
  const changes = new Map<string, AccountChange>()
  for (const [name, override] of Object.entries(overrides ?? {})) {
    const address = name.toLowerCase()
    const { balance, code, movePrecompileToAddress, nonce, state, stateDiff } = override
    if (movePrecompileToAddress !== undefined) return unsupported("an override that moves a precompiled contract")
    if (isPrecompiled(address)) return unsupported("an override of a precompiled contract")
    if (changes.has(address)) return unsupported("two overrides of one account")
    if (state !== undefined && stateDiff !== undefined) return unsupported("an account with both state and stateDiff")
    if (nonce !== undefined && nonce > MAX_NONCE) return unsupported("a nonce of more than 64 bits")
    if (code !== undefined && Hex.size(code) > bounds.codeBytes) {
      return Result.fail(CallFailures.beyond("bytes of code", bounds.codeBytes))
    }
    const slots = new Map<string, Hex.Hex>()
    for (const [key, word] of Object.entries(state ?? stateDiff ?? {})) slots.set(key.toLowerCase(), word)
    changes.set(address, {
      address,
      balance,
      nonce,
      code: code === undefined ? undefined : Hex.toBytesUnsafe(code),
      isWhole: state !== undefined,
      slots
    })
  }
  return Result.succeed([...changes.values()])
}

/** True if an account's fields are all given, so that none of them is read. Its storage can still be. */
export const isGiven = ({ balance, code, nonce }: AccountChange): boolean =>
  balance !== undefined && nonce !== undefined && code !== undefined

/** Returns what the caller altered; undefined if that is nothing. */
export const overridden = (
  changes: ReadonlyArray<AccountChange>,
  block: CallOverrides.BlockOverride | undefined
): Overridden | undefined => {
  const accounts = changes.map(altered).filter(({ fields }) => fields.length > 0)
  const fields = fieldsOf(block)
  return accounts.length === 0 && fields.length === 0 ? undefined : { accounts, block: fields }
}

const altered = ({ address, balance, code, isWhole, nonce, slots }: AccountChange): OverriddenAccount => ({
  address: address as Address.Address,
  fields: [
    ...(balance === undefined ? [] : (["balance"] as const)),
    ...(nonce === undefined ? [] : (["nonce"] as const)),
    ...(code === undefined ? [] : (["code"] as const)),
    ...(isWhole ? (["state"] as const) : slots.size > 0 ? (["stateDiff"] as const) : [])
  ],
  slots: slots.size
})

/** Returns the names of the fields that a block override has. */
export const fieldsOf = (block: CallOverrides.BlockOverride | undefined): ReadonlyArray<string> =>
  Object.entries(block ?? {}).flatMap(([name, value]) => (value === undefined || value === null ? [] : [name]))

/** True for an address at which a fork up to Osaka has a precompiled contract. */
const isPrecompiled = (address: string): boolean => {
  const number = BigInt(address)
  return (number > 0n && number <= 0x11n) || number === 0x100n
}

/** The highest nonce. Its account makes no contract and signs nothing any more (EIP-2681, EIP-7702). */
export const MAX_NONCE = 2n ** 64n - 1n

const unsupported = (what: string): Result.Result<never, CallError> => Result.fail(CallFailures.unsupported(what))
