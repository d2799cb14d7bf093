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
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

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

/** One filter. */
interface Filter {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly kind: FilterKind
  readonly owner: string
  waiting: Array<FilterAnswer>
  /** The size of the waiting results. */
  bytes: number
  /** True if the subscription ended by itself. The filter ends when its last error was read. */
  isOver?: true
  /** The reason why results are missing. The next request gets this reason. */
  missing: ErrorObject.ErrorObject | undefined
  asked: number
}

/** The properties of a kind of filter. */
interface FilterKind {
  /** The method that began the filter. */
  readonly method: string
  /** The parameters of the filter's subscription. */
  readonly params: ReadonlyArray<unknown>
  /** The parameter of a filter of logs, in wire form. */
  readonly logs?: unknown
  /** Returns the filter's result for a notification; undefined if there is none. */
  readonly resultOf: (result: any) => unknown
}

/** Returns the filter methods by name. */
export const make = <E = never>({
  getLogs,
  max,
  maxBytes = { ofOwner: Infinity, ofAll: Infinity },
  maxWaiting = defaults.maxWaiting,
  open,
  scope
}: FiltersOptions<E>): ReadonlyMap<string, FilterMethod<E>> => {
  const filters = new Map<string, Filter>()
  const counts = new Map<string, number>()
  const count = (owner: string, change: number): void => {
    const left = (counts.get(owner) ?? 0) + change
    if (left > 0) counts.set(owner, left)
    else counts.delete(owner)
  }
  const tooMany = ErrorObject.make(
    ErrorCode.LIMIT_EXCEEDED,
    `more than ${maxWaiting} results waited: ask more often, or for fewer`
  )
  const tooLarge = ErrorObject.make(
    ErrorCode.LIMIT_EXCEEDED,
    "the results that waited were too large together: ask more often, or for fewer"
  )

  /** The size of the results that wait: of all filters, and by owner. */
  let bytes = 0
  const bytesOf = new Map<string, number>()

  /** Takes the results of a filter that wait. */
  const taken = (filter: Filter): ReadonlyArray<FilterAnswer> => {
    const { waiting } = filter
    bytes -= filter.bytes
    const left = (bytesOf.get(filter.owner) ?? 0) - filter.bytes
    if (left > 0) bytesOf.set(filter.owner, left)
    else bytesOf.delete(filter.owner)
    filter.bytes = 0
    filter.waiting = []
    return waiting
  }

  const drop = (filter: Filter, why: ErrorObject.ErrorObject): void => {
    taken(filter)
    filter.missing = why
  }

  const end = (filter: Filter): Effect.Effect<void> =>
    Effect.suspend(() => {
      taken(filter)
      if (filters.delete(filter.id)) count(filter.owner, -1)
      return Scope.close(filter.scope, Exit.void)
    })

  /** Ends a filter if no request came for it during `EXPIRY`. */
  const expire = (filter: Filter): Effect.Effect<void> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const left = filter.asked + EXPIRY - now
      return left <= 0
        ? // ended from another fiber, because closing the filter's scope interrupts this fiber
          Effect.asVoid(Effect.forkIn(end(filter), scope))
        : Effect.andThen(
            Effect.sleep(left),
            Effect.suspend(() => expire(filter))
          )
    })

  const keep = (filter: Filter, notice: Notice): void => {
    if (notice._tag !== "Item") {
      // nothing is missing yet if the trusted authority may still name the block
      if (notice._tag !== "Held" || notice.isYet !== true) filter.missing ??= notice.error
      return
    }
    // results of a filter whose next answer says that results are missing need not wait
    if (filter.missing === tooMany || filter.missing === tooLarge || !filters.has(filter.id)) return
    const result = filter.kind.resultOf(notice.result)
    if (result === undefined) return
    // a hash out of a notice is small
    const size = result === notice.result ? (notice.bytes ?? 0) : 0
    const ofOwner = (bytesOf.get(filter.owner) ?? 0) + size
    if (filter.waiting.length >= maxWaiting) return drop(filter, tooMany)
    if (ofOwner > maxBytes.ofOwner || bytes + size > maxBytes.ofAll) return drop(filter, tooLarge)
    filter.waiting.push({ result, verdict: notice.verdict })
    filter.bytes += size
    bytes += size
    if (size > 0) bytesOf.set(filter.owner, ofOwner)
  }

  const begin = (kind: FilterKind, owner: FilterOwner): Answering<E> =>
    Effect.gen(function* () {
      if ((counts.get(owner.id) ?? 0) >= max) {
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
      filters.set(filter.id, filter)
      count(owner.id, 1)
      const { notices } = yield* Effect.onExit(Scope.provide(open(kind.params), own), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : end(filter)
      )
      const keeping = Stream.runForEach(notices, (notice) => Effect.sync(() => keep(filter, notice)))
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
      yield* Effect.forkIn(expire(filter), own)
      return ofProxy(filter.id)
    })

  /** Finds the filter of a request, and restarts its time limit. */
  const find = (params: unknown, owner: FilterOwner): Effect.Effect<Filter, ErrorObject.ErrorObject> =>
    Effect.flatMap(Effect.fromResult(JsonRpcServer.decodeParams(ofId, params)), ([id]) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<Filter, ErrorObject.ErrorObject> => {
        const filter = filters.get(String(id).toLowerCase())
        if (filter === undefined || filter.owner !== owner.id) return Effect.fail(notFound)
        const { logs, method } = filter.kind
        if (!owner.mayRead(method, logs === undefined ? [] : [logs])) {
          return Effect.andThen(end(filter), Effect.fail(notFound))
        }
        filter.asked = now
        return Effect.succeed(filter)
      })
    )

  const changes = (filter: Filter): Answering<E> =>
    Effect.suspend(() => {
      const { missing } = filter
      // the waiting results are returned at the next request, because an answer is either an error or a result
      filter.missing = undefined
      if (missing !== undefined) {
        return Effect.andThen(filter.isOver === true ? end(filter) : Effect.void, Effect.fail(missing))
      }
      return Effect.succeed(together(taken(filter)))
    })

  const ofLogs: FilterMethod<E> = (params, owner = ONLY) =>
    Effect.flatMap(Effect.fromResult(JsonRpcServer.checkParams(EthFilters.eth_newFilter, params)), ([wire]) => {
      const { fromBlock, toBlock, ...selection } = wire as Readonly<Record<string, unknown>>
      if (isQuantity(fromBlock) && isQuantity(toBlock) && BigInt(fromBlock) > BigInt(toBlock)) {
        return Effect.fail(reversed)
      }
      const kind: FilterKind = {
        method: EthFilters.eth_newFilter.name,
        params: ["logs", selection],
        logs: wire,
        resultOf: (log) => (isBetween(log.blockNumber, fromBlock, toBlock) ? log : undefined)
      }
      return begin(kind, owner)
    })

  const ofHashes =
    (method: Method.Any, subscription: string, resultOf: FilterKind["resultOf"]): FilterMethod<E> =>
    (params, owner = ONLY) =>
      Effect.flatMap(Effect.fromResult(JsonRpcServer.checkParams(method, params)), (args) =>
        begin({ method: method.name, params: [subscription, ...args], resultOf }, owner)
      )

  const logsOf: FilterMethod<E> = (params, owner = ONLY) =>
    Effect.flatMap(find(params, owner), ({ kind }) =>
      kind.logs === undefined ? Effect.fail(notFound) : getLogs(kind.logs)
    )

  const uninstall: FilterMethod<E> = (params, owner = ONLY) =>
    Effect.matchEffect(find(params, owner), {
      onFailure: (error) => (error === notFound ? Effect.succeed(ofProxy(false)) : Effect.fail(error)),
      onSuccess: (filter) => Effect.as(end(filter), ofProxy(true))
    })

  return new Map<string, FilterMethod<E>>([
    ["eth_newBlockFilter", ofHashes(EthFilters.eth_newBlockFilter, "newHeads", ({ hash }) => hash)],
    [
      "eth_newPendingTransactionFilter",
      ofHashes(EthFilters.eth_newPendingTransactionFilter, "newPendingTransactions", (item) => item)
    ],
    ["eth_newFilter", ofLogs],
    ["eth_getFilterChanges", (params, owner = ONLY) => Effect.flatMap(find(params, owner), changes)],
    ["eth_getFilterLogs", logsOf],
    ["eth_uninstallFilter", uninstall]
  ])
}

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
