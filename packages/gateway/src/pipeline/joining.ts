/**
 * Joins the answers of a batch into one body. A large body is joined in pieces, because copying 64 MB takes longer than
 * a turn.
 */
import { Buffer } from "node:buffer"

import type * as Message from "@plumbline/jsonrpc-core/message/Message"
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Number of bytes that are copied in one turn of the event loop. */
export const PIECE = 4 * 1024 * 1024

/** True if `join` should be used instead of `Message.join`. */
export const isLarge = (packet: Message.Packet, answers: Message.Answers): boolean =>
  packet._tag === "Batch" && sizeOf(answers) > PIECE

/** Returns the number of bytes of the answers and of the commas between them. */
const sizeOf = (answers: Message.Answers): number => {
  let bytes = 0
  for (const answer of answers) if (answer !== undefined) bytes += answer.length + 1
  return bytes
}

/** Joins the answers of a batch like `Message.join`, in pieces. */
export const join = (answers: Message.Answers): Effect.Effect<Uint8Array> => {
  const out = Buffer.allocUnsafe(sizeOf(answers) + 1)
  let at = 0
  let next = 0

  const copy = (): Effect.Effect<Uint8Array> => {
    const end = at + PIECE
    for (; next < answers.length && at < end; next++) {
      const answer = answers[next]
      if (answer === undefined) continue
      out[at] = at === 0 ? OPEN_BRACKET : COMMA
      out.set(answer, at + 1)
      at += answer.length + 1
    }
    if (next < answers.length) return Effect.flatMap(Effect.yieldNow, copy)
    out[at] = CLOSE_BRACKET
    return Exit.succeed(out)
  }
  return Effect.suspend(copy)
}
