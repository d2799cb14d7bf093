/** Checks requests for subscriptions, and turns events of the chain into notices under the policy. */
import * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as Input from "@plumbline/eth-methods/model/Input"
import * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import type * as TrustRelation from "@plumbline/eth-methods/trust/TrustRelation"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import type { Any as AnySubscription } from "@plumbline/jsonrpc-core/method/Subscription"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Claim from "@plumbline/verdict/Claim"
import { claim, map } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type * as FanOut from "../chain/fanOut.ts"
import type * as PendingHashes from "../chain/pendingHashes.ts"
import type * as ProvenHeads from "../chain/provenHeads.ts"
import type { LogsOf } from "../chain/provenLogs.ts"
import type { ChainHead } from "../chain/reorgTracker.ts"
import { HeldNotices, isUnaccepted, itemOf, METHOD, reasonOf, refusalOf, settle } from "./chainNotices.ts"
import { LogNotices } from "./logNotices.ts"
import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"
import * as ProviderRefusal from "./ProviderRefusal.ts"

/** A subscription that has begun. */
export interface NodeSubscription {
  readonly notices: Stream.Stream<Notice>
  /** Ends the subscription. The end of the stream or of the scope ends the subscription too. */
  readonly close: Effect.Effect<void>
}

/** The sources of events, and the policy. */
export interface NodeSubscriptionsOptions {
  readonly heads: ProvenHeads.ProvenHeads
  readonly logsOf: LogsOf
  readonly pending: FanOut.AddListener<PendingHashes.PendingHashesEvent, never>
  /** True if notifications that are only claimed must be held back. */
  readonly mayNotPass: boolean
  /** Forks whose header fields are part of a head. */
  readonly forks: LaterForks.LaterForks | undefined
}

/** Begins the subscription that the parameters of `eth_subscribe` ask for. */
export type OpenSubscription = (
  params: unknown
) => Effect.Effect<NodeSubscription, ErrorObject.ErrorObject, Scope.Scope>

export const make = ({ forks, heads, logsOf, mayNotPass, pending }: NodeSubscriptionsOptions): OpenSubscription => {
  const later = new Set(forks === undefined ? [] : LaterForks.headerFields(forks).map(({ name }) => name))
  const isOfHeader = (field: string): boolean =>
    (Block.headerFields.has(field) && !BESIDE.has(field)) || later.has(field)
  const headerOf = (block: Block.WithHashes): object =>
    Object.fromEntries(Object.entries(block).filter(([field]) => isOfHeader(field)))
  const ofHeader = (claim: Claim.Claim): ReadonlyArray<Claim.Claim> => (isOfHeader(claim.field) ? [claim] : [])

  /** Refuses a subscription that would never have a notification. */
  const admit = (isLogs: boolean): Effect.Effect<void, ErrorObject.ErrorObject> => {
    const base = heads.newest()
    if (!mayNotPass || base === undefined) return Effect.void
    const { relation } = base
    const isHeld = relation._tag === "Unverified" || (isLogs && relation._tag === "Extends") || isUnaccepted(base)
    const reason = isHeld ? reasonOf(base) : undefined
    return reason === undefined ? Effect.void : Effect.fail(ProviderRefusal.unproven(METHOD, [Claim.whole(reason)]))
  }

  const listen = (isLogs: boolean) =>
    Effect.tap(
      Effect.mapError(heads.listen, (fault) => refusalOf(fault)),
      () => admit(isLogs)
    )

  const newHeads = Effect.map(listen(false), (events) => {
    const notices = new HeldNotices()
    const item = (head: ChainHead): ReadonlyArray<Notice> => {
      // like `eth_blockNumber`, a head that follows from the trusted block passes as advice about what to read
      if (mayNotPass && (!FOLLOWS.has(head.relation._tag) || isUnaccepted(head))) return notices.held(reasonOf(head))
      const verdict = settle(head, map(head.block, headerOf, { claims: ofHeader }))
      return [itemOf(methodOfHeads, verdict)]
    }
    return Stream.flattenIterable(
      Stream.map(events, (event) => (event._tag === "Changed" ? event.added.flatMap(item) : notices.of(event)))
    )
  })

  const logs = (selection: LogFilter.Selection) =>
    Effect.map(listen(true), (events) => {
      const notices = new LogNotices({ heads, logsOf, mayNotPass, method: methodOfLogs }, selection)
      return Stream.flatMap(events, (event) => notices.of(event))
    })

  const newPendingTransactions = Effect.suspend(() =>
    mayNotPass
      ? Effect.fail(ProviderRefusal.unproven(METHOD, [Claim.whole(ProviderReason.Pending({}))]))
      : Effect.map(pending, (events) =>
          Stream.map(events, (event): Notice =>
            event._tag === "Pending"
              ? { _tag: "Item", result: event.hash, verdict: claim(event.hash, ProviderReason.Pending({})) }
              : { _tag: "Missed", error: ProviderRefusal.lost(event.count) }
          )
        )
  )

  const begin = ({
    args,
    kind
  }: Request): Effect.Effect<Stream.Stream<Notice>, ErrorObject.ErrorObject, Scope.Scope> => {
    switch (kind) {
      case "newHeads":
        return newHeads
      case "logs":
        return logs(args[0] as LogFilter.Selection)
      case "newPendingTransactions":
        return args[0] === true ? Effect.fail(wholePending) : newPendingTransactions
    }
  }

  return (params) =>
    Effect.gen(function* () {
      const request = yield* Effect.fromResult(check(params))
      const scope = yield* Scope.fork(yield* Effect.scope)
      const close = Scope.close(scope, Exit.void)
      const notices = yield* Effect.onExit(Scope.provide(begin(request), scope), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : close
      )
      return { notices: Stream.ensuring(notices, close), close }
    })
}

type Kind = "newHeads" | "logs" | "newPendingTransactions"

interface Request {
  readonly kind: Kind
  readonly args: ReadonlyArray<unknown>
}

/** Describes the call that begins a subscription as a method, so that its parameters are checked like all others. */
const methodOf = ({ item, name, params }: AnySubscription): Method.Any =>
  Method.make(METHOD, {
    ...EthMethod.requests,
    params: [Method.param("subscription", Schema.Literal(name)), ...params],
    result: item
  })

const methodOfHeads = methodOf(EthSubscriptions.newHeads)
const methodOfLogs = methodOf(EthSubscriptions.logs)
const methods: ReadonlyMap<unknown, Method.Any> = new Map<unknown, Method.Any>([
  ["newHeads", methodOfHeads],
  ["logs", methodOfLogs],
  ["newPendingTransactions", methodOf(EthSubscriptions.newPendingTransactions)]
])

const check = (params: unknown): Result.Result<Request, ErrorObject.ErrorObject> => {
  const kind = Array.isArray(params) ? params[0] : undefined
  if (typeof kind !== "string") {
    return Result.fail(ErrorObject.invalidParams("expected subscription name as first argument"))
  }
  const method = methods.get(kind)
  return method === undefined
    ? Result.fail(ProviderRefusal.unsupportedSubscription(kind))
    : Result.map(JsonRpcServer.decodeParams(method, params), ([, ...args]) => ({
        kind: kind as Kind,
        // parameters of a request need not have address checksums
        args: Input.withoutChecksums(args)
      }))
}

const wholePending = ErrorObject.make(
  ProviderRefusal.UNSUPPORTED,
  "whole pending transactions are not supported: ask for each by its hash"
)

/** Fields that an answer about a block contains, but that are not part of the block's header. */
const BESIDE: ReadonlySet<string> = new Set(["size", "totalDifficulty", "uncles"])

/** The relations of heads that follow from the trusted block. */
const FOLLOWS: ReadonlySet<TrustRelation.BlockRelation["_tag"]> = new Set(["Vouched", "Extends"])
