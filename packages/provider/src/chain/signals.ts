/** The moments at which a node may have news: it pushes, or it is asked at an interval. Nothing pushed is believed. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Subscription from "@plumbline/jsonrpc-core/method/Subscription"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A hash that the node pushed, or undefined: then the node must be asked. */
export type Signal = Hash32.Hash32 | undefined

/** The ways to hear from a node. */
export interface Source {
  /** The node's pushes; undefined over a transport that carries only calls. */
  readonly push: Subscriptions["Service"] | undefined
  /** Time between two reads of a node that does not push. */
  readonly interval: Duration.Duration
}

/** The longest silence of a node that pushes, until it is asked all the same: it may have lost the subscription. */
const SILENCE = Duration.seconds(30)

/** The announced heads. */
export const ofHeads = (source: Source): Stream.Stream<Signal> =>
  signals(source, { wire: EthSubscriptions.newHeads.wire, params: [] }, (head) =>
    typeof head === "object" && head !== null && "hash" in head ? head.hash : undefined
  )

/**
 * The hashes of pending transactions. Undefined if the node does not push them; then each read of the head also reads
 * the pending block.
 */
export const ofPending = (source: Source): Stream.Stream<Signal> =>
  signals(source, { wire: EthSubscriptions.newPendingTransactions.wire, params: [] }, (hash) => hash)

const signals = (
  { interval, push }: Source,
  request: Parameters<Subscriptions["Service"]["subscribe"]>[0],
  hashIn: (item: unknown) => unknown
): Stream.Stream<Signal> => {
  const looks = (every: Duration.Duration) => Stream.map(Stream.tick(every), () => undefined)
  if (push === undefined) return looks(interval)
  const read = (event: Subscription.Event<unknown>): Signal => {
    const hash = event._tag === "Item" ? hashIn(event.value) : undefined
    return typeof hash === "string" && HASH.test(hash) ? Hash32.fromHexUnsafe(hash.toLowerCase()) : undefined
  }
  const listen = Stream.suspend(() => Stream.map(push.subscribe(request), read))
  // A node that refuses to push is asked; a connection that was lost may be back.
  const patient: Stream.Stream<Signal> = Stream.catch(listen, ({ reason }: JsonRpcError) =>
    reason._tag === "RemoteError"
      ? looks(interval)
      : Stream.concat(
          Stream.fromEffect(Effect.as(Effect.sleep(interval), undefined)),
          Stream.suspend(() => patient)
        )
  )
  return Stream.merge(patient, looks(Duration.max(interval, SILENCE)))
}

const HASH = /^0x[0-9a-f]{64}$/iu
