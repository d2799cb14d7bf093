/** Our clients: the clients of eth-methods over each of our transports. */
import type { Hash32 } from "@plumbline/codec"
import { EthClient, Verify } from "@plumbline/eth-methods"
import type * as JsonRpcError from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as HttpTransport from "@plumbline/jsonrpc-core/http/HttpTransport"
import * as UndiciTransport from "@plumbline/jsonrpc-core/http/UndiciTransport"
import * as Subscription from "@plumbline/jsonrpc-core/method/Subscription"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as WebSocketTransport from "@plumbline/jsonrpc-core/webSocket/WebSocketTransport"
import type { RefutedError } from "@plumbline/verdict"
import { Duration, Effect, Schema, Stream } from "effect"
import { Agent } from "undici"
import { WebSocket } from "ws"

import { absent, failed, gap, type Seen, shown, value } from "../clientObservation.ts"
import { type Client, MAX_BYTES, type Contender, type Options } from "../contender.ts"
import { question } from "../liveAnswers.ts"

type Carrier = Transport.Transport["Service"]

const { account, slot } = question
const at = BigInt(question.number)

/** Over `fetch`. */
export const overFetch: Contender = {
  over: "Http",
  open: (server, options) =>
    Effect.flatMap(HttpTransport.make({ url: server.httpUrl, ...bounds(options) }), over(options))
}

/** Over undici. */
export const overUndici: Contender = {
  over: "Http",
  open: (server, options) =>
    Effect.acquireRelease(
      Effect.sync(() => new Agent()),
      (agent) => Effect.promise(() => agent.destroy())
    ).pipe(
      Effect.flatMap((dispatcher) => UndiciTransport.make({ url: server.httpUrl, dispatcher, ...bounds(options) })),
      Effect.flatMap(over(options))
    )
}

/** Our clients over a WebSocket of the package `ws`. */
export const overWebSocket: Contender = {
  over: "WebSocket",
  open: (server, options) =>
    Effect.gen(function* () {
      const { heartbeat } = options
      const carrier = yield* WebSocketTransport.make({
        url: server.webSocketUrl,
        webSocket: WebSocket,
        heartbeat: heartbeat === undefined ? undefined : { interval: heartbeat, timeout: heartbeat },
        ...bounds(options)
      })
      return { ...(yield* over(options)(carrier)), heads: follow(carrier) }
    })
}

const newHeads = Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown })

const follow = (carrier: Subscriptions["Service"]): Stream.Stream<Seen> =>
  carrier.subscribe({ wire: newHeads.wire, params: [] }).pipe(
    Stream.map((event) => (event._tag === "Gap" ? gap : value(shown.head(event.value)))),
    Stream.catch((error) => Stream.succeed<Seen>(failed(kindOf(error), error)))
  )

const bounds = ({ patience }: Options) => ({
  maxBytes: MAX_BYTES,
  timeout: patience === undefined ? undefined : Duration.millis(patience)
})

const over =
  ({ batch, proven }: Options) =>
  (carrier: Carrier): Effect.Effect<Client> =>
    EthClient.make.pipe(
      Effect.provideService(Transport.Transport, batch ? Batching.make()(carrier) : carrier),
      Effect.map((eth) => (proven ? proving(eth) : plain(eth)))
    )

const plain = (eth: EthClient.Client): Client => ({
  transaction: (hash) => seen(eth.getTransactionByHash(hash), shown.transaction),
  block: (hash) => seen(eth.getBlockByHash(hash, { full: true }), shown.block),
  slot: seen(eth.getStorageAt(account, slot, at), shown.slot),
  account: seen(eth.getProof(account, [slot], at), shown.account)
})

/** Returns a client whose answers must be proven by the requested hash. */
const proving = (eth: EthClient.Client): Client => {
  const block = Effect.fnUntraced(function* (hash: Hash32.Hash32) {
    const block = yield* eth.getBlockByHash(hash, { full: true })
    return block && (yield* Effect.fromResult(Verify.block(block, hash)))
  })
  const transaction = Effect.fnUntraced(function* (hash: Hash32.Hash32) {
    const transaction = yield* eth.getTransactionByHash(hash)
    return transaction && (yield* Effect.fromResult(Verify.transaction(transaction, hash))).value
  })
  /** A word of storage has no hash. It is read with its proof, at a block that is proven first. */
  const proof = Effect.gen(function* () {
    const proven = yield* block(question.block)
    if (proven?._tag !== "VERIFIED") return null
    const answer = yield* eth.getProof(account, [slot], at)
    const result = Verify.account(answer, { address: account, storageKeys: [slot] }, proven)
    return (yield* Effect.fromResult(result)).value
  })
  return {
    transaction: (hash) => seen(transaction(hash), shown.transaction),
    block: (hash) =>
      seen(
        Effect.map(block(hash), (verdict) => verdict && verdict.value),
        shown.block
      ),
    slot: seen(
      Effect.map(proof, (proven) => proven?.storageProof[0]?.value ?? null),
      shown.slot
    ),
    account: seen(proof, shown.account)
  }
}

type Failure = JsonRpcError.JsonRpcError | RefutedError

const seen = <A>(read: Effect.Effect<A | null, Failure>, show: (result: A) => string): Effect.Effect<Seen> =>
  Effect.match(read, {
    onFailure: (error) => failed(kindOf(error), error),
    onSuccess: (result) => (result === null ? absent : value(show(result)))
  })

/** Returns the kind of an error from its types: the failure, its place, and whether and when the caller may retry. */
const kindOf = (error: Failure): string => {
  if (error._tag === "RefutedError") return `Refuted: ${error.check}`
  const { reason, retryAfter } = error
  return [
    [reason._tag, ...detailsOf(reason)].join(" "),
    ...(error.retryable ? ["retryable"] : []),
    ...(retryAfter === undefined ? [] : [`after ${wait(Duration.toSeconds(retryAfter))}`])
  ].join(", ")
}

/**
 * Shows a wait in seconds, or in minutes if it is ten minutes or more, because a long wait ends at a fixed date, and
 * becomes shorter while the test runs.
 */
const wait = (seconds: number): string => (seconds < 600 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`)

const detailsOf = (reason: JsonRpcError.Reason): ReadonlyArray<string | number> => {
  switch (reason._tag) {
    case "RemoteError":
      return [reason.code, reason.kind]
    case "TransportError":
      return reason.status === undefined ? [] : [reason.status]
    case "DecodeError":
      return reason.path.length === 0 ? [] : [`at ${reason.path.join(".")}`]
    default:
      return []
  }
}
