/**
 * The filters that callers poll over HTTP, kept in this process over the feeds of a network.
 *
 * A filter belongs to its project and to this process. With several processes, the balancer must send the calls of a key
 * to the same process; otherwise, and after a restart, a call gets "filter not found". Each project has at most 16
 * filters of a network, each with at most 2000 waiting results, and those of a project with at most 8 MiB together. A
 * filter ends five minutes after its last call.
 *
 * These bounds are fixed, because a filter keeps its results in memory while its caller is away. A program that needs
 * more opens a WebSocket: there a slow reader is disconnected, and `socketSubscriptions` is a setting.
 */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Filters from "@plumbline/provider/node/Filters"
import type { Notice } from "@plumbline/provider/node/Notice"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import { claim } from "@plumbline/verdict/Verdict"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type { Feeds } from "../Feeds.ts"
import type { FilterCalls } from "../Network.ts"
import type { Upstream } from "../Upstream.ts"
import type { UpstreamError } from "../UpstreamError.ts"

/** Maximum number of filters of a project. */
const MAX_FILTERS = 16

/** Maximum number of results of a filter that wait for a call. */
const MAX_WAITING = 2000

/** Maximum size of the results that wait, in bytes: of a project, and of all projects of a network. */
const MAX_BYTES = { ofOwner: 8 * 1024 * 1024, ofAll: 64 * 1024 * 1024 }

/**
 * Makes the filters of a network over its feeds. They end with the scope.
 *
 * ```ts import.meta.vitest
 * import { EthFeeds, EthFilterCalls } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const upstream = { call: () => Effect.never }
 * const program = Effect.gen(function* () {
 *   const filters = yield* EthFilterCalls.make(yield* EthFeeds.make(upstream), upstream)
 *   return filters.has("eth_newFilter")
 * })
 * await Effect.runPromise(Effect.scoped(program)) // => true
 * ```
 */
export const make = (feeds: Feeds, upstream: Upstream): Effect.Effect<FilterCalls, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    /** The latest event. A feed sends the same bytes to all its filters, so they are parsed once. */
    let latest: { readonly json: Uint8Array; readonly value: unknown } | undefined
    const valueOf = (json: Uint8Array): unknown => {
      if (latest?.json !== json) latest = { json, value: JSON.parse(decoder.decode(json)) }
      return latest.value
    }
    const open: Filters.OpenSubscription<UpstreamError> = Effect.fnUntraced(function* (params) {
      const request = yield* Effect.fromResult(feeds.check([...params]))
      const queue = yield* Queue.unbounded<Notice, Cause.Done>()
      let close: () => void = () => undefined
      yield* Effect.addFinalizer(() => Effect.sync(() => close()))
      yield* feeds.open(request, {
        begun: (end) => {
          close = end
        },
        event: ({ json }) => {
          const verdict = claim(null, OF_FEED)
          Queue.offerUnsafe(queue, { _tag: "Item", result: valueOf(json), verdict, bytes: json.length })
        },
        end: () => Queue.endUnsafe(queue)
      })
      return { notices: Stream.fromQueue(queue) }
    })
    const methods = Filters.make<UpstreamError>({
      open,
      getLogs: (filter) =>
        Effect.map(upstream.call("eth_getLogs", [filter]), (result) => ({ result, verdict: claim(null, OF_FEED) })),
      scope,
      max: MAX_FILTERS,
      maxWaiting: MAX_WAITING,
      maxBytes: MAX_BYTES
    })
    return {
      has: (method) => methods.has(method),
      call: (method, params, owner): Effect.Effect<Uint8Array, ErrorObject | UpstreamError> =>
        Effect.map(methods.get(method)!(params, owner), ({ result }) =>
          result instanceof Uint8Array ? result : encoder.encode(JSON.stringify(result))
        )
    }
  })

/** The events of a feed carry no verdict of their own. */
const OF_FEED = ProviderReason.Kept({})

const encoder = new TextEncoder()
const decoder = new TextDecoder()
