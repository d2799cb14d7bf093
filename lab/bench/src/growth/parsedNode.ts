/** A node in this process that answers with parsed values, and the client over it. */
import { EthClient } from "@plumbline/eth-methods"
import { Transport } from "@plumbline/jsonrpc-core"
import { Effect, Result } from "effect"

interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Answers each call of a client with a function. Counts the packets, each of which has one call or more. */
export const answering = (answer: (call: Call) => unknown) => {
  const counted = { calls: 0, packets: 0 }
  const one = (call: Call): unknown => {
    counted.calls++
    return answer(call)
  }
  const transport: Transport.Transport["Service"] = {
    call: (call) =>
      Effect.sync(() => {
        counted.packets++
        return one(call)
      }),
    callAll: (calls) =>
      Effect.sync(() => {
        counted.packets++
        return calls.map((call) => Result.succeed(one(call)))
      })
  }
  const client = Effect.runSync(Effect.provideService(EthClient.make, Transport.Transport, transport))
  return { client, counted, transport }
}
