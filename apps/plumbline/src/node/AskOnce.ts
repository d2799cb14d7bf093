/**
 * Gives a command one view of the chain: each question is sent once, and a repeated question gets the same answer.
 *
 * So the whole output of a command is about one block, even if `latest` moves on while the command reads. Blocks that
 * were read to find the block are not read again to prove it.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"

/** Makes the middleware. It keeps every answer, so use it for one command only. */
export const make: Transport.Middleware = (transport) => {
  const asked = new Map<string, Effect.Effect<unknown, JsonRpcError>>()
  const call: Transport.Transport["Service"]["call"] = (question) =>
    Effect.suspend(() => {
      const key = JSON.stringify([question.method, question.params])
      const answer = asked.get(key) ?? Effect.runSync(Effect.cached(transport.call(question)))
      asked.set(key, answer)
      return answer
    })
  return { call, callAll: Transport.oneByOne(call) }
}
