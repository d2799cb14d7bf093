/** Hashes a transaction without blocking a program that serves other callers. */
import * as Effect from "effect/Effect"

import type * as Broadcast from "../model/Broadcast.ts"
import * as Felt from "../model/Felt.ts"
import * as Transaction from "../model/Transaction.ts"
import { formsOf, type HashableTransaction, hashOf } from "./hashForms.ts"
import { pedersenSlices } from "./pedersen.ts"
import { poseidonSlices } from "./poseidon.ts"
import type { Slices } from "./slices.ts"

/**
 * Computes `transactionHash`, for a program that serves other callers. A thousand felts of calldata take 60 ms (version
 * 3) or 300 ms (version 1), so the event loop gets a turn about every 5 ms.
 *
 * ```ts import.meta.vitest
 * import { Felt, transactionHash } from "@plumbline/second-chain-methods"
 * import { transactionHashInTurns } from "@plumbline/second-chain-methods/hash/TransactionHashInTurns"
 * import { Effect } from "effect"
 *
 * const felt = Felt.fromHexUnsafe
 * const invoke = {
 *   type: "INVOKE" as const,
 *   version: "0x1" as const,
 *   sender_address: felt("0x1"),
 *   calldata: Array.from({ length: 50 }, () => felt("0x2")),
 *   max_fee: felt("0x3"),
 *   nonce: felt("0x4"),
 *   signature: []
 * }
 * const hash = await Effect.runPromise(transactionHashInTurns(invoke, felt("0x534e5f4d41494e")))
 * hash === transactionHash(invoke, felt("0x534e5f4d41494e")) // => true
 * ```
 */
export const transactionHashInTurns = (
  transaction: Transaction.KnownTransaction | Broadcast.Invoke | Broadcast.DeployAccount,
  chainId: Felt.Felt
): Effect.Effect<Felt.Felt> =>
  Effect.map(calldataHashOf(transaction), (calldataHash) =>
    Felt.fromBigIntUnsafe(hashOf(formsOf(transaction, Felt.toBigInt(chainId), calldataHash).forms[0]!))
  )

/** Hashes the calldata of an INVOKE v1 or v3, which may be long. Returns undefined for the other kinds. */
const calldataHashOf = (hashable: HashableTransaction): Effect.Effect<bigint | undefined> => {
  const { kind, transaction } = Transaction.caseOf(hashable as Transaction.Transaction)
  switch (kind) {
    case "INVOKE v1":
      return inTurns(pedersenSlices(transaction.calldata.map(Felt.toBigInt), 16))
    case "INVOKE v3":
      return inTurns(poseidonSlices(transaction.calldata.map(Felt.toBigInt), 64))
    default:
      return Effect.succeed(undefined)
  }
}

/** Runs the slices with a turn of the event loop after each, and returns their result. */
const inTurns = <A>(slices: Slices<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const { done, value } = slices.next()
    return done === true ? Effect.succeed(value) : Effect.andThen(Effect.yieldNow, inTurns(slices))
  })
