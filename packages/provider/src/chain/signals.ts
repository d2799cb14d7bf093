/**
 * Signals that a node may have new blocks or transactions: the node's pushes, or the ticks of an interval. Pushed data
 * is never believed.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Subscription from "@plumbline/jsonrpc-core/method/Subscription"
import type { Subscriptions } from "@plumbline/jsonrpc-core/transport/Subscriptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** A hash that the node pushed, or undefined if the node must be asked. */
export type BlockSignal = Hash32.Hash32 | undefined

/** The sources of signals from a node. */
export interface SignalSource {
  /** The node's pushes; undefined over a transport that carries only calls. */
  readonly push: Subscriptions["Service"] | undefined
  /** Time between two reads of a node that does not push. */
  readonly interval: Duration.Duration
}

/** Time without a push after which the node is asked, because it may have lost the subscription. */
const SILENCE = Duration.seconds(30)

/** Returns the signals of new heads. */
export const ofHeads = (source: SignalSource): Stream.Stream<BlockSignal> =>
  signals(source, { wire: EthSubscriptions.newHeads.wire, params: [] }, (head) =>
    typeof head === "object" && head !== null && "hash" in head ? head.hash : undefined
  )

/**
 * Returns the signals of pending transactions. A signal is undefined if the node does not push their hashes; then the
 * pending block must be read.
 */
export const ofPending = (source: SignalSource): Stream.Stream<BlockSignal> =>
  signals(source, { wire: EthSubscriptions.newPendingTransactions.wire, params: [] }, (hash) => hash)

const signals = (
  { interval, push }: SignalSource,
  request: Parameters<Subscriptions["Service"]["subscribe"]>[0],
  hashIn: (item: unknown) => unknown
): Stream.Stream<BlockSignal> => {
  const looks = (every: Duration.Duration) => Stream.map(Stream.tick(every), () => undefined)
  if (push === undefined) return looks(interval)
  const read = (event: Subscription.SubscriptionEvent<unknown>): BlockSignal => {
    const hash = event._tag === "Item" ? hashIn(event.value) : undefined
    return typeof hash === "string" && HASH.test(hash) ? Hash32.fromHexUnsafe(hash.toLowerCase()) : undefined
  }
  const listen = Stream.suspend(() => Stream.map(push.subscribe(request), read))
  // A node that refuses to push is polled. After a lost connection, the subscription is tried again.
  const patient: Stream.Stream<BlockSignal> = Stream.catch(listen, ({ reason }: JsonRpcError) =>
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
