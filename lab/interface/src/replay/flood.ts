/** The honest node under a flood: slow, over its limit, unavailable or silent. */
import { JsonRpcError as Failure, RemoteError, TransportError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Transport, WireCall } from "@plumbline/jsonrpc-core/transport/Transport"
import { type Node, type Params } from "@plumbline/lies/src/eth/liars/node.ts"
import type * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

/** The number of calls that the nodes work on now. Calls that wait for the time to pass are not among them. */
export interface Load {
  working: number
}

/** Shares of the requests, and the longest time of a slow one, in milliseconds. The rest is answered in less than 300 ms. */
const SLOW = 0.4
const LONGEST = 3000
const REFUSED = 0.1
const UNAVAILABLE = 0.05
const SILENT = 0.02

/** Returns the transport to a flooded node. A packet of calls is one request. */
export const flooded = (node: Node, random: Random.Random, load: Load): Transport["Service"] => {
  /** Draws the fate of one request: a failure, or the time until its answers. */
  const request = <A>(
    answers: Effect.Effect<A>,
    failed: (reason: RemoteError | TransportError) => A
  ): Effect.Effect<A> =>
    Effect.suspend(() => {
      const draw = random()
      const delay = random()
      if (draw < SILENT) return Effect.never
      const fail = (reason: RemoteError | TransportError) => Effect.as(Effect.sleep(20), failed(reason))
      if (draw < SILENT + REFUSED) return fail(new RemoteError({ code: -32005, message: "rate limit exceeded" }))
      if (draw < SILENT + REFUSED + UNAVAILABLE) return fail(new TransportError({ detail: "503", retryable: true }))
      const isSlow = draw < SILENT + REFUSED + UNAVAILABLE + SLOW
      return Effect.andThen(Effect.sleep(isSlow ? 300 + delay * (LONGEST - 300) : 20 + delay * 280), answers)
    })
  const failure = (method: string, reason: RemoteError | TransportError) => Result.fail(new Failure({ method, reason }))
  const answer = ({ method, params }: WireCall) => Effect.result(answered(node, method, params as Params, load))
  return {
    call: (asked) =>
      Effect.flatMap(
        request(answer(asked), (reason) => failure(asked.method, reason)),
        Effect.fromResult
      ),
    callAll: (asked) =>
      request(Effect.forEach(asked, answer), (reason) => asked.map(({ method }) => failure(method, reason)))
  }
}

/** Returns the node's answer, and counts the work. */
export const answered = (node: Node, method: string, params: Params, load: Load): Effect.Effect<unknown, Failure> =>
  Effect.acquireUseRelease(
    Effect.sync(() => load.working++),
    () =>
      Effect.tryPromise({
        try: () => node(method, params),
        catch: (error) => {
          if (!(error instanceof RemoteError)) throw error
          return new Failure({ method, reason: error })
        }
      }),
    () => Effect.sync(() => load.working--)
  )
