/** The node behind the proxy: over HTTP, or over a WebSocket, on which the node pushes new heads. */
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as WebSocketTransport from "@plumbline/jsonrpc-core/webSocket/WebSocketTransport"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { WebSocket } from "ws"

import type { ChainFlags } from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import * as RetryPolicy from "../node/RetryPolicy.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as ForeignVerdicts from "./ForeignVerdicts.ts"

/**
 * Returns a transport to the node in the flags. Over a WebSocket the layer provides `Subscriptions` too. `found`, if
 * given, receives the number of verdicts that the node itself added to its answers.
 */
export const make = Effect.fnUntraced(function* (
  flags: ChainFlags & { readonly json: boolean },
  found: ((verdicts: number) => void) | undefined
) {
  const url = Option.getOrUndefined(flags.url)
  if (url === undefined || !/^wss?:/iu.test(Redacted.value(url))) {
    return yield* ChainNode.lasting(flags, (fetch) =>
      found === undefined ? fetch : ForeignVerdicts.watchingFetch(fetch, found)
    )
  }
  if (Option.isSome(flags.network)) {
    return yield* new UsageError({ problem: "--network: a ws:// URL names its network itself. Leave --network out" })
  }
  const webSocket = found === undefined ? WebSocket : ForeignVerdicts.watchingSocket(found)
  const policy = yield* Effect.fromResult(RetryPolicy.of(flags))
  return Transport.through(
    WebSocketTransport.layer({ url, timeout: policy.timeout, webSocket }),
    RetryPolicy.middleware(policy, yield* RetryPolicy.waitProgress(flags.json))
  )
})
