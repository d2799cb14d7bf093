/**
 * The subscriptions and filters of a network for a worker. The supervisor follows the heads of the chain once for all
 * workers, and keeps the filters, so that every worker finds them.
 */
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import * as EthFeeds from "@plumbline/gateway/networks/eth/EthFeeds"
import type { FeedEvent, FeedListener, FeedRequest, Feeds } from "@plumbline/gateway/networks/Feeds"
import type { FilterCalls, Network } from "@plumbline/gateway/networks/Network"
import type { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

import type { SupervisorClient } from "./SupervisorClient.ts"

/** A feed of the supervisor, with its listeners in this process. */
interface OpenFeed {
  readonly id: number
  readonly listeners: Set<Subscriber>
  readonly begun: Effect.Effect<void, ErrorObject | UpstreamError>
}

/** A listener. Events that arrive before it has begun wait for that. */
interface Subscriber {
  readonly listener: FeedListener
  waiting: Array<FeedEvent> | undefined
}

/** The feeds of all networks of a worker. Listeners of one request share a feed of the supervisor. */
export interface RemoteFeeds {
  readonly of: (network: string) => Effect.Effect<Required<Pick<Network, "feeds" | "filters">>, never, Scope.Scope>
}

export const make = Effect.fnUntraced(function* (
  supervisor: SupervisorClient
): Effect.fn.Return<RemoteFeeds, never, Scope.Scope> {
  const open = new Map<string, OpenFeed>()
  const byId = new Map<number, string>()
  let last = 0

  const forget = (key: string, feed: OpenFeed): void => {
    if (open.get(key) === feed) open.delete(key)
    byId.delete(feed.id)
  }
  const listenersOf = (id: number): ReadonlyArray<Subscriber> => [...(open.get(byId.get(id) ?? "")?.listeners ?? [])]
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      supervisor.listen((message) => {
        if (message._tag === "FeedEvents") {
          for (const { listener, waiting } of listenersOf(message.feed)) {
            for (const event of message.events) if (waiting?.push(event) === undefined) listener.event(event)
          }
        } else if (message._tag === "FeedEnded") {
          const listeners = listenersOf(message.feed)
          const key = byId.get(message.feed)
          if (key !== undefined) forget(key, open.get(key)!)
          for (const { listener } of listeners) listener.end(message.why)
        }
      })
    ),
    (stop) => Effect.sync(stop)
  )

  const feedOf = Effect.fnUntraced(function* (key: string, network: string, request: FeedRequest) {
    const known = open.get(key)
    if (known !== undefined) return known
    const id = ++last
    const begun = yield* Effect.cached(
      Effect.asVoid(supervisor.ask<"openFeed", ErrorObject | UpstreamError>("openFeed", { feed: id, network, request }))
    )
    const feed: OpenFeed = { id, listeners: new Set(), begun }
    open.set(key, feed)
    byId.set(id, key)
    return feed
  })

  const listen = Effect.fnUntraced(function* (network: string, request: FeedRequest, listener: FeedListener) {
    const key = keyOf(network, request)
    const feed = yield* feedOf(key, network, request)
    const subscriber: Subscriber = { listener, waiting: [] }
    const leave = () => {
      if (!feed.listeners.delete(subscriber) || feed.listeners.size > 0 || open.get(key) !== feed) return
      forget(key, feed)
      supervisor.tell({ _tag: "FeedClosed", feed: feed.id })
    }
    feed.listeners.add(subscriber)
    yield* Effect.onExit(feed.begun, (exit) => Effect.sync(() => exit._tag === "Failure" && leave()))
    listener.begun(leave)
    const { waiting = [] } = subscriber
    subscriber.waiting = undefined
    waiting.forEach(listener.event)
  })

  return {
    of: (network) =>
      Effect.map(EthFeeds.make({ call: () => Effect.never }), ({ check, notification, subscribe, unsubscribe }) => {
        const feeds: Feeds = {
          check,
          notification,
          subscribe,
          unsubscribe,
          open: (request, listener) => listen(network, request, listener)
        }
        return { feeds, filters: filtersOf(supervisor, network) }
      })
  }
})

/** Names a feed by its parameters. A bigint, such as a block number, has no form in JSON. */
const keyOf = (network: string, { params }: FeedRequest): string =>
  JSON.stringify([network, params], (_, value: unknown) =>
    typeof value === "bigint" ? { bigint: String(value) } : value
  )

const filtersOf = (supervisor: SupervisorClient, network: string): FilterCalls => ({
  has: (method) => EthFilters.group.get(method) !== undefined,
  call: (method, params, { id, mayRead }) => {
    const ask = (denies: boolean) =>
      supervisor.ask<"filter", ErrorObject | UpstreamError>("filter", { network, method, params, owner: id, denies })
    // Only this process has the caller's rules. If they do not allow what began the filter, the supervisor ends it.
    return Effect.flatMap(ask(false), ({ begun, json }) =>
      begun === undefined || mayRead(...begun) ? Effect.succeed(json) : Effect.map(ask(true), ({ json }) => json)
    )
  }
})
