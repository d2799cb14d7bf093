/**
 * Filters that a client polls. This process keeps the filters and chooses their ids. So they also work if the node
 * forgets its filters, or if a balancer sends each request to another node.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import type * as Claim from "@plumbline/verdict/Claim"
import * as Reason from "@plumbline/verdict/Reason"
import { claim, claimAll, isAnchoredAt, map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"
import type { Open } from "./subscriptions.ts"

/** Milliseconds without a request after which a filter ends, as in geth. */
const EXPIRY = 5 * 60 * 1000

/**
 * Maximum number of results that wait for a request. If a filter gets more results, its next answer reports that
 * results are missing.
 */
const MAX_WAITING = 10_000

/** An answer about a filter: the result in wire form, with its verdict. */
export interface Answer {
  readonly result: unknown
  readonly verdict: Verdict<unknown>
}

type Answering = Effect.Effect<Answer, ErrorObject.ErrorObject>

/** The services and limits of the filters. */
export interface Options {
  readonly open: Open
  /** Answers `eth_getLogs`. */
  readonly getLogs: (filter: unknown) => Answering
  readonly scope: Scope.Scope
  readonly max: number
}

/** One filter. */
interface Filter {
  readonly id: string
  readonly scope: Scope.Closeable
  readonly kind: Kind
  waiting: Array<Answer>
  /** The reason why results are missing. The next request gets this reason. */
  missing: ErrorObject.ErrorObject | undefined
  asked: number
}

/** The properties of a kind of filter. */
interface Kind {
  /** The parameters of the filter's subscription. */
  readonly params: ReadonlyArray<unknown>
  /** The parameter of a filter of logs, in wire form. */
  readonly logs?: unknown
  /** Returns the filter's result for a notification; undefined if there is none. */
  readonly resultOf: (result: any) => unknown
}

/** Returns the filter methods by name. Each method takes the parameters of its call. */
export const make = ({ getLogs, max, open, scope }: Options): ReadonlyMap<string, (params: unknown) => Answering> => {
  const filters = new Map<string, Filter>()

  const end = (filter: Filter): Effect.Effect<void> =>
    Effect.suspend(() => {
      filters.delete(filter.id)
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
    const result = filter.kind.resultOf(notice.result)
    if (result === undefined) return
    if (filter.waiting.length < MAX_WAITING) {
      filter.waiting.push({ result, verdict: notice.verdict })
    } else {
      filter.missing = tooMany
      filter.waiting = []
    }
  }

  const begin = (kind: Kind): Answering =>
    Effect.gen(function* () {
      if (filters.size >= max) {
        return yield* Effect.fail(ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, `too many filters, want at most ${max}`))
      }
      const own = yield* Scope.fork(scope)
      const asked = yield* Clock.currentTimeMillis
      const filter: Filter = { id: makeId(), scope: own, kind, waiting: [], missing: undefined, asked }
      // added before the wait for the node, because other filters may begin during the wait
      filters.set(filter.id, filter)
      const { notices } = yield* Effect.onExit(Scope.provide(open(kind.params), own), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : end(filter)
      )
      const keeping = Stream.runForEach(notices, (notice) => Effect.sync(() => keep(filter, notice)))
      yield* Effect.forkIn(keeping, own)
      yield* Effect.forkIn(expire(filter), own)
      return ofDoor(filter.id)
    })

  /** Finds the filter of a request, and restarts its time limit. */
  const find = (params: unknown): Effect.Effect<Filter, ErrorObject.ErrorObject> =>
    Effect.flatMap(Effect.fromResult(JsonRpcServer.decodeParams(ofId, params)), ([id]) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const filter = filters.get(String(id).toLowerCase())
        if (filter === undefined) return Effect.fail(notFound)
        filter.asked = now
        return Effect.succeed(filter)
      })
    )

  const changes = (filter: Filter): Answering =>
    Effect.suspend(() => {
      const { missing, waiting } = filter
      // the waiting results are returned at the next request, because an answer is either an error or a result
      filter.missing = undefined
      if (missing !== undefined) return Effect.fail(missing)
      filter.waiting = []
      return Effect.succeed(together(waiting))
    })

  const ofLogs = (params: unknown): Answering =>
    Effect.flatMap(Effect.fromResult(JsonRpcServer.checkParams(newFilter, params)), ([wire]) => {
      const { fromBlock, toBlock, ...selection } = wire as Readonly<Record<string, unknown>>
      return begin({
        params: ["logs", selection],
        logs: wire,
        resultOf: (log) => (isBetween(log.blockNumber, fromBlock, toBlock) ? log : undefined)
      })
    })

  const logsOf = (params: unknown): Answering =>
    Effect.flatMap(find(params), ({ kind }) => (kind.logs === undefined ? Effect.fail(notFound) : getLogs(kind.logs)))

  const uninstall = (params: unknown): Answering =>
    Effect.matchEffect(find(params), {
      onFailure: (error) => (error === notFound ? Effect.succeed(ofDoor(false)) : Effect.fail(error)),
      onSuccess: (filter) => Effect.as(end(filter), ofDoor(true))
    })

  return new Map<string, (params: unknown) => Answering>([
    ["eth_newBlockFilter", () => begin({ params: ["newHeads"], resultOf: ({ hash }) => hash })],
    ["eth_newPendingTransactionFilter", () => begin({ params: ["newPendingTransactions"], resultOf: (hash) => hash })],
    ["eth_newFilter", ofLogs],
    ["eth_getFilterChanges", (params) => Effect.flatMap(find(params), changes)],
    ["eth_getFilterLogs", logsOf],
    ["eth_uninstallFilter", uninstall]
  ])
}

const ofId = Method.make("eth_getFilterChanges", {
  params: [Method.param("filter", Schema.String)],
  result: Schema.Unknown
})

const newFilter = Method.make("eth_newFilter", {
  params: [Method.param("filter", LogFilter.OfRange, { values: LogFilter.MAX_VALUES })],
  result: Schema.String
})

const notFound = ErrorObject.make(ErrorCode.INVALID_INPUT, "filter not found")

const tooMany = ErrorObject.make(
  ErrorCode.LIMIT_EXCEEDED,
  `more than ${MAX_WAITING} results waited: ask more often, or for fewer`
)

/** Returns an answer about the filters themselves. No node gave this answer. */
const ofDoor = (result: unknown): Answer => ({ result, verdict: claim(result, ProviderReason.Kept({})) })

/** Joins results. The joint verdict is the weakest of their verdicts. */
const together = (items: ReadonlyArray<Answer>): Answer => {
  const result = items.map((item) => item.result)
  const [first, ...others] = items.map(({ verdict }) => verdict)
  if (first === undefined) return { result, verdict: claim(result, ProviderReason.NoNews({})) }
  const claims = items.flatMap(({ verdict }) => (verdict._tag === "CLAIMED" ? verdict.claimed : []))
  const apart = others.find((other) => first._tag === "VERIFIED" && !isAnchoredAt(other, first.anchor))
  if (claims.length > 0 || first._tag === "CLAIMED" || apart?._tag === "CLAIMED") {
    return { result, verdict: claimAll(result, distinct(claims)) }
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
