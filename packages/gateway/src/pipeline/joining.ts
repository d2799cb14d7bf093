/**
 * Joins the answers of a batch into one body. A large body is joined in pieces, because copying 64 MB takes longer than
 * a turn.
 */
import { Buffer } from "node:buffer"

import * as Message from "@plumbline/jsonrpc-core/message/Message"
import { CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Number of bytes that are copied in one turn of the event loop. */
export const PIECE = 4 * 1024 * 1024

/** Joins answers like `Message.join`: at once if the answers are small, otherwise in pieces. */
export const join = (packet: Message.Packet, answers: Message.Answers): Effect.Effect<Uint8Array | undefined> => {
  let bytes = 0
  for (const answer of answers) if (answer !== undefined) bytes += answer.length + 1
  if (packet._tag !== "Batch" || bytes <= PIECE) return Exit.succeed(Message.join(packet, answers))
  const out = Buffer.allocUnsafe(bytes + 1)
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
