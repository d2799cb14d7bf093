/**
 * One command, one look at the chain: each question is sent once, and whoever asks it again gets the same answer.
 *
 * So what a command says is all about one block, though `latest` moves on while it reads; and what was read to find the
 * block is not read again to prove it.
 */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"

/** The middleware. It forgets nothing, so it is for as long as one command. */
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
