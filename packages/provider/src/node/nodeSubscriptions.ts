/** Checks requests for subscriptions, and turns events of the chain into notices under the policy. */
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as EthMethod from "@plumbline/eth-methods/methods/EthMethod"
import * as EthSubscriptions from "@plumbline/eth-methods/methods/EthSubscriptions"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as Input from "@plumbline/eth-methods/model/Input"
import * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import type * as LogFilter from "@plumbline/eth-methods/model/LogFilter"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as TrustRelation from "@plumbline/eth-methods/trust/TrustRelation"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import type { Any as AnySubscription } from "@plumbline/jsonrpc-core/method/Subscription"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { claim, map, restOn, type Verdict, weaken, withClaim } from "@plumbline/verdict/Verdict"
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
import { type ChainHead, MAX_BLOCKS } from "../chain/reorgTracker.ts"
import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"
import * as ProviderRefusal from "./ProviderRefusal.ts"
import { sendable } from "./sendable.ts"
import { strictVerdict, isAccepted } from "./strictVerdict.ts"

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

/** The method that errors name for the reads of a subscription. */
const METHOD = "eth_subscribe"

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

  /** Makes notices. A notice `Held` is left out if the same reason was sent before. */
  const passing = (said: Set<string>) => {
    const held = (reason: Reason | undefined): ReadonlyArray<Extract<Notice, { readonly _tag: "Held" }>> => {
      if (reason === undefined || said.has(reason._tag)) return []
      said.add(reason._tag)
      return [{ _tag: "Held", error: ProviderRefusal.unproven(METHOD, [Claim.whole(reason)]) }]
    }
    const other = (event: Exclude<ProvenHeads.HeadEvent, { readonly _tag: "Changed" }>): ReadonlyArray<Notice> => {
      switch (event._tag) {
        case "Faulted":
          return [{ _tag: "Held", error: refusalOf(event.fault) }]
        case "Waits":
          return held(reasonOf(event.head)).map((notice) => ({ ...notice, isYet: true }))
        case "Missed":
          return [{ _tag: "Missed", error: ProviderRefusal.missed(event.from, event.to) }]
      }
    }
    return { held, other }
  }

  const newHeads = Effect.map(listen(false), (events) => {
    const { held, other } = passing(new Set())
    const item = (head: ChainHead): ReadonlyArray<Notice> => {
      // like `eth_blockNumber`, a head that follows from the trusted block passes as advice about what to read
      if (mayNotPass && (!FOLLOWS.has(head.relation._tag) || isUnaccepted(head))) return held(reasonOf(head))
      const verdict = settle(head, map(head.block, headerOf, { claims: ofHeader }))
      return [itemOf(methodOfHeads, verdict)]
    }
    return Stream.flattenIterable(
      Stream.map(events, (event) => (event._tag === "Changed" ? event.added.flatMap(item) : other(event)))
    )
  })

  const logs = (selection: LogFilter.Selection) =>
    Effect.map(listen(true), (events) => {
      const { held, other } = passing(new Set())
      /** The logs that were sent, by block. They are sent again, as removed, if the block leaves the chain. */
      const told = new BoundedMap<string, ReadonlyArray<Verdict<Logged>>>(MAX_BLOCKS)

      const item = (verdict: Verdict<unknown>): Notice => itemOf(methodOfLogs, verdict)

      /** Takes back the logs of a block. `isProven` is true if the trusted authority names the block in its place. */
      const takeBack = ({ hash }: ChainHead, isProven: boolean): ReadonlyArray<Notice> => {
        const known = told.get(hash) ?? []
        told.delete(hash)
        return known.toReversed().map((verdict) => {
          const removed = map(verdict, (log) => ({ ...log, removed: true }), { claims: (claim) => [claim] })
          return item(isProven ? removed : withClaim(removed, Claim.of("removed", ProviderReason.Removed({}))))
        })
      }

      const tell = (head: ChainHead): Effect.Effect<ReadonlyArray<Notice>> => {
        if (mayNotPass && (head.relation._tag !== "Vouched" || isUnaccepted(head)))
          return Effect.succeed(held(reasonOf(head)))
        return Effect.match(logsOf(head, selection), {
          onFailure: (fault): ReadonlyArray<Notice> =>
            // the logs of a block that has since left the chain are dropped
            heads.has(head.hash)
              ? [
                  { _tag: "Held", error: refusalOf(fault) },
                  { _tag: "Missed", error: ProviderRefusal.missed(head.number, head.number) }
                ]
              : [],
          onSuccess: (found): ReadonlyArray<Notice> => {
            const all = found.value.map((log) =>
              strictVerdict(
                settle(
                  head,
                  map(found, () => log, { claims: ofLog })
                )
              )
            ) as ReadonlyArray<Verdict<Logged>>
            const unsure = mayNotPass ? all.find((one) => one._tag === "CLAIMED" && !isAccepted(one)) : undefined
            if (unsure !== undefined) {
              const { number } = head
              return [
                ...held(unsure.claimed[0]!.reason),
                { _tag: "Missed", error: ProviderRefusal.missed(number, number) }
              ]
            }
            if (all.length > 0) told.set(head.hash, all)
            return all.map(item)
          }
        })
      }

      const notices = (event: ProvenHeads.HeadEvent): Stream.Stream<Notice> => {
        if (event._tag === "Missed") told.clear()
        return event._tag === "Changed"
          ? Stream.concat(
              Stream.fromIterable(
                event.removed.flatMap((head) => takeBack(head, event.added[0]?.relation._tag === "Vouched"))
              ),
              Stream.flattenIterable(Stream.mapEffect(Stream.fromIterable(event.added), tell))
            )
          : Stream.fromIterable(other(event))
      }
      return Stream.flatMap(events, notices)
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

// The requests.

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

// The notices.

/** Makes the notice of an item. An item without a wire form is held back. */
const itemOf = (method: Method.Any, verdict: Verdict<unknown>): Notice =>
  Result.match(sendable(method, verdict.value), {
    onFailure: (error): Notice => ({ _tag: "Held", error }),
    onSuccess: (result): Notice => ({ _tag: "Item", result, verdict })
  })

type Logged = object

/** Fields that an answer about a block contains, but that are not part of the block's header. */
const BESIDE: ReadonlySet<string> = new Set(["size", "totalDifficulty", "uncles"])

const ofLog = ({ about, field, reason }: Claim.Claim): ReadonlyArray<Claim.Claim> => [
  { about, field: field.replace(/^(?:logs)?\[\]\./u, ""), reason }
]

/** Returns the verdict on a part of a block. It is CLAIMED if nothing proves that the block is on the chain. */
const settle = <A>(head: ChainHead, verdict: Verdict<A>): Verdict<A> => {
  const weak = weakOf(head)
  if (weak !== undefined) return restOn(verdict, weak)
  const reason = reasonOf(head)
  return reason === undefined ? verdict : weaken(verdict, reason)
}

/** Returns the anchor of a block for which only nodes vouch. */
const weakOf = ({ relation }: ChainHead): Anchor.WeakAnchor | undefined =>
  relation._tag === "Vouched" && Anchor.isWeak(relation.anchor) ? relation.anchor : undefined

/** True if only nodes vouch for the block, and the reader has not accepted their word by name. */
const isUnaccepted = (head: ChainHead): boolean => weakOf(head)?.accepted === false

/** The relations of heads that follow from the trusted block. */
const FOLLOWS: ReadonlySet<TrustRelation.BlockRelation["_tag"]> = new Set(["Vouched", "Extends"])

/**
 * Returns the reason why a block and its content are only claimed. Returns undefined if a proof leads to the block of
 * the trusted authority.
 */
const reasonOf = ({ hash, relation }: ChainHead): Reason | undefined => {
  switch (relation._tag) {
    case "Extends":
      return ProviderReason.Extends({ trusted: relation.trusted })
    case "Another":
      return EthReason.NotOnChain({
        block: hash,
        cause: ProviderReason.Another({ by: relation.by, hash: relation.hash })
      })
    default:
      return TrustRelation.unprovenBy(relation)
  }
}

const refusalOf = (fault: ProvenHeads.FollowFault): ErrorObject.ErrorObject => {
  switch (fault._tag) {
    case "RefutedError":
      return ProviderRefusal.refuted(METHOD, fault)
    case "JsonRpcError":
      return ProviderRefusal.failed(fault)
    case "Absent":
      return ProviderRefusal.unproven(METHOD, [Claim.whole(ProviderReason.Absent({ hash: fault.hash }))])
    case "Unproven":
      return ProviderRefusal.unproven(METHOD, fault.claimed)
  }
}
