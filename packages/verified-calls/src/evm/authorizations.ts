/**
 * Applies the authorization list of a transaction: each account that signed a valid permission runs the code of the named
 * address from then on.
 *
 * Source: EIP-7702 (behaviour, steps 1 to 9).
 */
import { Account, type Address, createAddressFromString, eoaCode7702RecoverAuthority } from "@ethereumjs/util"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Quantity from "@plumbline/codec/value/Quantity"
import type { Authorization } from "@plumbline/eth-methods/model/CallRequest"

import { MAX_NONCE } from "../rules/callOverrides.ts"
import * as TransactionGas from "../rules/transactionGas.ts"
import type { Pace } from "./pace.ts"
import type { ProvenStateManager } from "./provenStateManager.ts"

/** Applies the list. Calls `warm` with each signer, and returns the gas that is given back. */
export const apply = async (
  list: ReadonlyArray<Authorization>,
  chainId: bigint,
  state: ProvenStateManager,
  turn: Pace["turn"],
  warm: (address: string) => void
): Promise<bigint> => {
  let refund = 0n
  for (const authorization of list) {
    if (authorization.chainId !== 0n && authorization.chainId !== chainId) continue
    if (authorization.nonce >= MAX_NONCE) continue
    // recovering takes about a millisecond
    await turn()
    const authority = signer(authorization)
    if (authority === undefined) continue
    warm(authority.toString())
    const account = await state.getAccount(authority)
    const code = await state.getCode(authority)
    if (code.length > 0 && !isDelegation(code)) continue
    if ((account?.nonce ?? 0n) !== authorization.nonce) continue
    if (account !== undefined) refund += TransactionGas.AUTHORIZATION_REFUND
    const signed = account ?? new Account()
    signed.nonce += 1n
    await state.putAccount(authority, signed)
    const target = authorization.address.toLowerCase()
    await state.putCode(
      authority,
      BigInt(target) === 0n ? new Uint8Array(0) : Hex.toBytesUnsafe(`0xef0100${target.slice(2)}`)
    )
  }
  return refund
}

/** The signers of the permissions so far, because a call runs several times. */
const signers = new WeakMap<Authorization, { readonly address: Address | undefined }>()

/** Recovers the account that signed a permission; undefined if the signature is not valid. */
const signer = (authorization: Authorization): Address | undefined => {
  let known = signers.get(authorization)
  if (known === undefined) signers.set(authorization, (known = { address: recover(authorization) }))
  return known.address
}

const recover = ({ address, chainId, nonce, r, s, yParity }: Authorization): Address | undefined => {
  if (yParity > 1n || BigInt(s) > HALF_ORDER) return undefined
  try {
    return eoaCode7702RecoverAuthority([
      Quantity.toBytes(chainId),
      createAddressFromString(address.toLowerCase()).bytes,
      Quantity.toBytes(nonce),
      Quantity.toBytes(yParity),
      Quantity.toBytes(BigInt(r)),
      Quantity.toBytes(BigInt(s))
    ])
  } catch {
    return undefined
  }
}

const isDelegation = (code: Uint8Array): boolean =>
  code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00

/** Half the order of secp256k1: a higher `s` is not valid (EIP-2). */
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
