/**
 * Ethereum's subscriptions over any node: `newHeads`, `logs`, `newPendingTransactions`, `syncing`.
 */
import * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import type * as Subscription from "@plumbline/jsonrpc-core/method/Subscription"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

import type { Feeds, FeedRequest } from "../Feeds.ts"
import type { Upstream } from "../Upstream.ts"
import { BlockLogs } from "./blockLogs.ts"
import { polled, pushed, FeedFanOut, syncing } from "./feedFanOut.ts"
import { HeadFollower } from "./headFollower.ts"

/**
 * Options for reading the events of a node.
 */
export interface EthFeedsOptions {
  /**
   * While there are listeners, a node that does not push is asked for its latest or pending block at this
   * interval. Default: 1 second.
   */
  readonly interval?: Duration.Input | undefined
}

/** The defaults of the options. */
export const defaults: { readonly interval: Duration.Input } = { interval: "1 second" }

/**
 * Makes the feeds of a node. Without listeners, the feeds do not ask the node anything. The feeds end with the scope,
 * and their listeners are notified.
 *
 * **Heads** are linked by the hashes of their parents. Each new head is sent once; after a reorganisation, all new
 * heads are sent. Blocks between two heads are read and sent too, up to 256. Such a gap appears when a connection was
 * lost, or after a change to another node. If the gap is larger, or cannot be read, the feed ends with `missed`. If the
 * node pushes heads, each push triggers a read. Any other node is asked for its latest block at the interval.
 *
 * **Logs** are read once per block for all listeners. The gateway applies each filter itself. When a block is removed,
 * its logs are sent again with `removed: true`.
 *
 * **Pending transactions** are pushed. A node that does not push is asked for its pending block at the interval. No node
 * knows all of them, so a lost connection is opened again without a notice. **Syncing** events are sent when the answer
 * of `eth_syncing` changes to false or from false.
 *
 * ```ts import.meta.vitest
 * import { EthFeeds } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const feeds = yield* EthFeeds.make({ call: () => Effect.never })
 *   return feeds.check(["newBlocks"])
 * })
 * const checked = await Effect.runPromise(Effect.scoped(program))
 * checked._tag === "Failure" && checked.failure.message // => 'no "newBlocks" subscription in eth namespace'
 * ```
 */
export const make = Effect.fnUntraced(function* (
  upstream: Upstream,
  options: EthFeedsOptions = {}
): Effect.fn.Return<Feeds, never, Scope.Scope> {
  const fork = Effect.runForkWith(yield* Effect.context())
  const interval = Duration.toMillis(options.interval ?? defaults.interval)
  const heads = new HeadFollower({ upstream, interval, fork })
  const logs = new BlockLogs({ upstream, heads, fork })
  const shared = new FeedFanOut(fork)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      logs.close()
      heads.close()
      shared.close()
    })
  )
  const open: Feeds["open"] = (request, listener) => {
    switch (request.kind) {
      case "newHeads":
        return heads.open(
          {
            changed: ({ added }) => {
              for (const { hash, header } of added) listener.event({ json: header, block: hash })
            },
            end: listener.end
          },
          listener.begun
        )
      case "logs":
        return logs.open(request.params[1] as LogFilter.Selection, listener)
      case "syncing":
        return shared.open("syncing", syncing(upstream), listener)
      default:
        return shared.open(
          JSON.stringify(request.params),
          upstream.subscribe === undefined
            ? polled(upstream, request.params[1] === true, interval, noSubscription(request.kind))
            : pushed(upstream.subscribe, request.params),
          listener
        )
    }
  }
  return {
    subscribe: "eth_subscribe",
    unsubscribe: "eth_unsubscribe",
    notification: "eth_subscription",
    check,
    open
  }
})

// Private: the kinds of subscription.

/**
 * Returns a kind of subscription as a method, so that its parameters are checked like those of any other method.
 */
const methodOf = (name: string, params: ReadonlyArray<Method.AnyParam>) =>
  Method.make("eth_subscribe", {
    ...EthMethod.requests,
    params: [Method.param("subscription", Schema.Literal(name)), ...params],
    result: Schema.String
  })

const kinds = new Map<string, Method.Any>([
  ...[EthSubscriptions.newHeads, EthSubscriptions.logs, EthSubscriptions.newPendingTransactions].map(
    ({ name, params }: Subscription.Any) => [name, methodOf(name, params)] as const
  ),
  ["syncing", methodOf("syncing", [])]
])

const check: Feeds["check"] = (params): Result.Result<FeedRequest, ErrorObject.ErrorObject> => {
  if (!Array.isArray(params)) return Result.fail(ErrorObject.invalidParams("non-array args"))
  const [kind] = params as ReadonlyArray<unknown>
  if (typeof kind !== "string") {
    return Result.fail(ErrorObject.invalidParams("expected subscription name as first argument"))
  }
  const method = kinds.get(kind)
  return method === undefined
    ? Result.fail(noSubscription(kind))
    : Result.map(JsonRpcServer.checkParams(method, params), (params) => ({ kind, params }))
}

/** Returns the error that geth gives, with the printable beginning of the subscription's name. */
const noSubscription = (kind: string): ErrorObject.ErrorObject =>
  ErrorObject.make(
    ErrorCode.METHOD_NOT_FOUND,
    `no "${kind.slice(0, 64).replaceAll(/[^A-Za-z0-9_.-]/gu, "?")}" subscription in eth namespace`
  )
