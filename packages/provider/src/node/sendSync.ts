/** Sends a transaction, and waits for its proven receipt (EIP-7966). The node needs only `eth_sendRawTransaction`. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** The name of the method. */
export const SEND_SYNC = "eth_sendRawTransactionSync"

/** Time to wait for a block if the caller names none, in milliseconds, as in geth. */
const WAIT = 20_000

/** Maximum time that a caller can wait, in milliseconds. */
const MAX_WAIT = 60_000

/** Milliseconds between two questions for the receipt. */
const PAUSE = 500

/** EIP-7966: the transaction was sent, and no block included it in time. `data` is its hash. */
const TIMED_OUT = 4

type Read<A> = Effect.Effect<A, JsonRpcError | RefutedError>

/**
 * Returns the verdict on the receipt of a transaction that `send` sends. `receiptOf` reads the receipt; it is undefined
 * as long as no block that the trusted authority names includes the transaction.
 */
export const sendSync = Effect.fnUntraced(function* (
  send: Read<Hash32.Hash32>,
  receiptOf: (hash: Hex.Hex) => Read<Verdict<unknown> | undefined>,
  timeout: number = WAIT
): Effect.fn.Return<Verdict<unknown>, JsonRpcError | RefutedError> {
  const end = (yield* Clock.currentTimeMillis) + Math.min(timeout, MAX_WAIT)
  const hash = yield* send
  for (;;) {
    const receipt = yield* receiptOf(hash)
    if (receipt !== undefined) return receipt
    const left = end - (yield* Clock.currentTimeMillis)
    if (left <= 0) {
      const message = "the transaction was sent, and no block that is known here included it in time"
      return yield* new JsonRpcError({
        method: SEND_SYNC,
        reason: new RemoteError({ code: TIMED_OUT, message, data: hash })
      })
    }
    yield* Effect.sleep(Math.min(PAUSE, left))
  }
})
