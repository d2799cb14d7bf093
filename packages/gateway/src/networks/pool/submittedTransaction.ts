/** Finds out whether a node has a submitted transaction whose acceptance is unknown. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as SentTransaction from "@plumbline/eth-methods/model/SentTransaction"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"

import { callOf } from "./nodeCall.ts"
import * as PoolCall from "./poolCall.ts"
import type { UncertainSubmission, PoolFailover } from "./poolFailover.ts"
import type { PoolMember } from "./poolMember.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

/** The method for submitting transactions whose hashes this module can compute. */
export const SEND = "eth_sendRawTransaction"

/** The method for finding a transaction by its hash. */
const LOOK_UP = "eth_getTransactionByHash"

/**
 * Returns the hash if a node has the transaction that another node may have accepted. The node that answered last is
 * asked first; nodes that are down are asked last.
 */
export const lookUp = (
  params: ReadonlyArray<unknown>,
  pool: ReadonlyArray<PoolMember>,
  { tryTimeout }: ResolvedPoolSettings,
  tries: PoolFailover
): UncertainSubmission<Uint8Array> =>
  Effect.fnUntraced(function* (fault, last, clock, end) {
    const hash = hashOf(params)
    if (hash === undefined) return yield* Effect.fail(fault)
    const others = pool.filter((member) => member !== last).toSorted((a, b) => Number(a.isDown) - Number(b.isDown))
    for (const member of [last, ...others]) {
      const now = Monotonic.millis(clock)
      const left = Math.min(end - now, tryTimeout)
      if (left <= 0) break
      if (member.barrier(looking, now) !== undefined) continue
      const asked = callOf(member, LOOK_UP, [hash], left)
      const exit = yield* Effect.exit(tries.attempt(member, asked, looking, clock, left))
      if (Exit.isSuccess(exit) && isIt(exit.value, hash)) return encoder.encode(`"${hash}"`)
    }
    return yield* Effect.fail(fault)
  })

const looking = PoolCall.foreign(LOOK_UP, "read", true).plain

/** Returns the hash of a submitted transaction. */
const hashOf = ([sent]: ReadonlyArray<unknown>): Hex.Hex | undefined =>
  Hex.isHex(sent) ? SentTransaction.hash(Hex.toBytesUnsafe(sent)) : undefined

/** True if the answer is the transaction with this hash. */
const isIt = (answer: Uint8Array, hash: Hex.Hex): boolean => {
  let transaction: unknown
  try {
    transaction = JSON.parse(decoder.decode(answer))
  } catch {
    return false
  }
  return Predicate.hasProperty(transaction, "hash") && Hex.isHex(transaction.hash) && Hex.equals(transaction.hash, hash)
}

const decoder = new TextDecoder()

const encoder = new TextEncoder()
