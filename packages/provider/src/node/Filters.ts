/**
 * Filters that a client polls. This process keeps the filters and chooses their ids. So they also work if the node
 * forgets its filters, or if a balancer sends each request to another node.
 *
 * A filter ends five minutes after the last call about it, and with this process: the next call then gets the error
 * "filter not found", after which viem begins a new one.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as EthFilters from "@plumbline/eth-methods/methods/EthFilters"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import type * as Claim from "@plumbline/verdict/Claim"
import * as Reason from "@plumbline/verdict/Reason"
import { claim, claimAll, isAnchoredAt, map, type Verdict, weakAnchorOf } from "@plumbline/verdict/Verdict"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import { type Filter, type FilterKind, FilterTable } from "./filterTable.ts"
import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"

/** Milliseconds without a request after which a filter ends, as in geth. */
const EXPIRY = 5 * 60 * 1000

/** An answer about a filter: the result in wire form, with its verdict. */
export interface FilterAnswer {
  readonly result: unknown
  readonly verdict: Verdict<unknown>
}

type Answering<E> = Effect.Effect<FilterAnswer, ErrorObject.ErrorObject | E>

/** Begins the subscription that the parameters of `eth_subscribe` ask for. Its stream ends if it cannot go on. */
export type OpenSubscription<E> = (
  params: ReadonlyArray<unknown>
) => Effect.Effect<{ readonly notices: Stream.Stream<Notice> }, ErrorObject.ErrorObject | E, Scope.Scope>

/** The services and limits of the filters. */
export interface FiltersOptions<E> {
  readonly open: OpenSubscription<E>
  /** Answers `eth_getLogs`. */
  readonly getLogs: (filter: unknown) => Answering<E>
  readonly scope: Scope.Scope
  /** Maximum number of filters of one owner. */
  readonly max: number
  /**
   * Maximum number of results that wait for a request. If a filter gets more results, its next answer reports that
   * results are missing. Default: 10,000.
   */
  readonly maxWaiting?: number | undefined
  /**
   * Maximum size of the results that wait, in bytes of JSON: those of all filters of one owner, and of all owners. A
   * filter that gets more drops its results, as above. Only notices with a size count. Default: no maximum.
   */
  readonly maxBytes?: { readonly ofOwner: number; readonly ofAll: number } | undefined
}

/** The defaults of the options. */
export const defaults: { readonly maxWaiting: number } = { maxWaiting: 10_000 }

/** The caller of a filter method. */
export interface FilterOwner {
  /** Filters of other owners are not found. */
  readonly id: string
  /** True if the owner may still read the filter that a call of this method with these parameters began. */
  readonly mayRead: (method: string, params: ReadonlyArray<unknown>) => boolean
}

/** A filter method: takes the parameters of its call, and the caller. Without a caller, all filters have one owner. */
export type FilterMethod<E> = (params: unknown, owner?: FilterOwner) => Answering<E>

const ONLY: FilterOwner = { id: "", mayRead: () => true }

/** Returns the filter methods by name. */
export const make = <E = never>({
  getLogs,
  max,
  maxBytes = { ofOwner: Infinity, ofAll: Infinity },
  maxWaiting = defaults.maxWaiting,
  open,
  scope
}: FiltersOptions<E>): ReadonlyMap<string, FilterMethod<E>> => {
  const table = new FilterTable({ maxWaiting, maxBytes })

  const begin = (kind: FilterKind, owner: FilterOwner): Answering<E> =>
    Effect.gen(function* () {
      if (table.countOf(owner.id) >= max) {
        return yield* Effect.fail(ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, `too many filters, want at most ${max}`))
      }
      const own = yield* Scope.fork(scope)
      const asked = yield* Clock.currentTimeMillis
      const filter: Filter = {
        id: makeId(),
        scope: own,
        kind,
        owner: owner.id,
        waiting: [],
        bytes: 0,
        missing: undefined,
        asked
      }
      // added before the wait for the node, because other filters may begin during the wait
      table.add(filter)
      const { notices } = yield* Effect.onExit(Scope.provide(open(kind.params), own), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : end(table, filter)
      )
      const keeping = Stream.runForEach(notices, (notice) => Effect.sync(() => table.keep(filter, notice)))
      // a subscription that ended finds nothing more; its last results and its error can still be read
      yield* Effect.forkIn(
        Effect.andThen(
          keeping,
          Effect.sync(() => {
            filter.missing ??= ended
            filter.isOver = true
          })
        ),
        own
      )
      yield* Effect.forkIn(expire(table, filter, scope), own)
      return ofProxy(filter.id)
    })

  const changes = (filter: Filter): Answering<E> =>
    Effect.suspend(() => {
      const { missing } = filter
      // the waiting results are returned at the next request, because an answer is either an error or a result
      filter.missing = undefined
      if (missing !== undefined) {
        return Effect.andThen(filter.isOver === true ? end(table, filter) : Effect.void, Effect.fail(missing))
      }
      return Effect.succeed(together(table.take(filter)))
    })

  const beginning =
    (kindOf: KindOf): FilterMethod<E> =>
    (params, owner = ONLY) =>
      Effect.flatMap(Effect.fromResult(kindOf(params)), (kind) => begin(kind, owner))

  const logsOf: FilterMethod<E> = (params, owner = ONLY) =>
    Effect.flatMap(findFilter(table, params, owner), ({ kind }) =>
      kind.logs === undefined ? Effect.fail(notFound) : getLogs(kind.logs)
    )

  const uninstall: FilterMethod<E> = (params, owner = ONLY) =>
    Effect.matchEffect(findFilter(table, params, owner), {
      onFailure: (error) => (error === notFound ? Effect.succeed(ofProxy(false)) : Effect.fail(error)),
      onSuccess: (filter) => Effect.as(end(table, filter), ofProxy(true))
    })

  return new Map<string, FilterMethod<E>>([
    ["eth_newBlockFilter", beginning(ofBlocks)],
    ["eth_newPendingTransactionFilter", beginning(ofPendingTransactions)],
    ["eth_newFilter", beginning(ofLogs)],
    ["eth_getFilterChanges", (params, owner = ONLY) => Effect.flatMap(findFilter(table, params, owner), changes)],
    ["eth_getFilterLogs", logsOf],
    ["eth_uninstallFilter", uninstall]
  ])
}

const end = (table: FilterTable, filter: Filter): Effect.Effect<void> =>
  Effect.suspend(() => {
    table.remove(filter)
    return Scope.close(filter.scope, Exit.void)
  })

/** Ends a filter if no request came for it during `EXPIRY`. */
const expire = (table: FilterTable, filter: Filter, scope: Scope.Scope): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const left = filter.asked + EXPIRY - now
    return left <= 0
      ? // ended from another fiber, because closing the filter's scope interrupts this fiber
        Effect.asVoid(Effect.forkIn(end(table, filter), scope))
      : Effect.andThen(
          Effect.sleep(left),
          Effect.suspend(() => expire(table, filter, scope))
        )
  })

/** Finds the filter of a request, and restarts its time limit. */
const findFilter = (
  table: FilterTable,
  params: unknown,
  owner: FilterOwner
): Effect.Effect<Filter, ErrorObject.ErrorObject> =>
  Effect.flatMap(Effect.fromResult(JsonRpcServer.decodeParams(ofId, params)), ([id]) =>
    Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Filter, ErrorObject.ErrorObject> => {
      const filter = table.get(String(id).toLowerCase())
      if (filter === undefined || filter.owner !== owner.id) return Effect.fail(notFound)
      const { logs, method } = filter.kind
      if (!owner.mayRead(method, logs === undefined ? [] : [logs])) {
        return Effect.andThen(end(table, filter), Effect.fail(notFound))
      }
      filter.asked = now
      return Effect.succeed(filter)
    })
  )

/** Returns the kind of filter that the parameters of a call ask for. */
type KindOf = (params: unknown) => Result.Result<FilterKind, ErrorObject.ErrorObject>

const ofHashes =
  (method: Method.Any, subscription: string, resultOf: FilterKind["resultOf"]): KindOf =>
  (params) =>
    Result.map(JsonRpcServer.checkParams(method, params), (args) => ({
      method: method.name,
      params: [subscription, ...args],
      resultOf
    }))

const ofBlocks = ofHashes(EthFilters.eth_newBlockFilter, "newHeads", ({ hash }) => hash)

const ofPendingTransactions = ofHashes(
  EthFilters.eth_newPendingTransactionFilter,
  "newPendingTransactions",
  (item) => item
)

const ofLogs: KindOf = (params) =>
  Result.flatMap(JsonRpcServer.checkParams(EthFilters.eth_newFilter, params), ([wire]) => {
    const { fromBlock, toBlock, ...selection } = wire as Readonly<Record<string, unknown>>
    if (isQuantity(fromBlock) && isQuantity(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) {
      return Result.fail(reversed)
    }
    return Result.succeed({
      method: EthFilters.eth_newFilter.name,
      params: ["logs", selection],
      logs: wire,
      resultOf: (log) => (isBetween(log.blockNumber, fromBlock, toBlock) ? log : undefined)
    })
  })

const ofId = EthFilters.eth_getFilterChanges

const notFound = ErrorObject.make(ErrorCode.INVALID_INPUT, "filter not found")

/** The error of a range that ends before it begins, in geth's words. */
const reversed = ErrorObject.make(ErrorCode.INVALID_INPUT, "invalid block range params")

const ended = ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the filter ended: blocks were missed")

/** Returns an answer about the filters themselves. No node gave this answer. */
const ofProxy = (result: unknown): FilterAnswer => ({ result, verdict: claim(result, ProviderReason.Kept({})) })

/** Joins results. The joint verdict is the weakest of their verdicts. */
const together = (items: ReadonlyArray<FilterAnswer>): FilterAnswer => {
  const result = items.map((item) => item.result)
  const [first, ...others] = items.map(({ verdict }) => verdict)
  if (first === undefined) return { result, verdict: claim(result, ProviderReason.NoNews({})) }
  const claims = items.flatMap(({ verdict }) => (verdict._tag === "CLAIMED" ? verdict.claimed : []))
  const apart = others.find((other) => first._tag === "VERIFIED" && !isAnchoredAt(other, first.anchor))
  if (claims.length > 0 || first._tag === "CLAIMED" || apart?._tag === "CLAIMED") {
    const anchor = weakAnchorOf(items.map(({ verdict }) => verdict))
    return { result, verdict: claimAll(result, distinct(claims), [], anchor) }
  }
  return {
    result,
    verdict:
      apart === undefined
        ? map(first, () => result, { claims: () => [] })
        : claim(result, Reason.TwoAnchors({ first: first.anchor.hash, second: apart.anchor.hash }))
  }
}

/** Removes duplicate claims, because thousands of results share few reasons. */
const distinct = (claims: ReadonlyArray<Claim.Claim>): ReadonlyArray<Claim.Claim> => [
  ...new Map(claims.map((claim) => [`${claim.field} ${claim.reason.sentence}`, claim])).values()
]

/**
 * True if a block is in the range of a filter; a tag does not bound the range, because all blocks of a filter are new.
 */
const isBetween = (number: string, from: unknown, to: unknown): boolean =>
  !(isQuantity(from) && BigInt(number) < BigInt(from)) && !(isQuantity(to) && BigInt(number) > BigInt(to))

const isQuantity = (value: unknown): value is string => typeof value === "string" && value.startsWith("0x")

const makeId = (): string => Hex.fromBytes(crypto.getRandomValues(new Uint8Array(16)))
