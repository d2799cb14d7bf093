/**
 * Answers requests to the trustless gateway. Each request is admitted, limited and recorded as an IPFS command: a block
 * as `block/get`, and a CAR as `dag/export`.
 */
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import {
  type HttpExchange,
  type MemoryBudget,
  type SpawnFiber,
  IPFS_PLACE,
  membersOf,
  type AdmittedCaller,
  type WorkOutcome,
  type Settlement,
  type StepScheduler
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { Reason } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import * as BlockWork from "../http/blockWork.ts"
import * as CommandRateLimit from "../http/commandRateLimit.ts"
import * as Ending from "../http/ending.ts"
import * as IpfsRefusals from "../http/ipfsRefusals.ts"
import * as TransferTally from "../http/transferTally.ts"
import type { IpfsSettings } from "../IpfsOptions.ts"
import * as Blocked from "./blocked.ts"
import * as Ranges from "./ranges.ts"
import * as TrustlessContent from "./trustlessContent.ts"
import * as TrustlessHeaders from "./trustlessHeaders.ts"
import * as TrustlessRequest from "./trustlessRequest.ts"

/** The target of a request: the path after `/ipfs/`, and the query. */
export interface TrustlessTarget {
  readonly path: string
  readonly query: string
}

export interface TrustlessServer {
  /** Answers a request of an admitted caller. `isPublic` is true for a caller without a key. */
  readonly serve: (exchange: HttpExchange, admitted: AdmittedCaller, target: TrustlessTarget, isPublic: boolean) => void
}

export const make = (options: {
  readonly settings: IpfsSettings
  readonly budget: MemoryBudget
  readonly settlement: Pick<Settlement, "more" | "run">
  readonly turns: StepScheduler
  readonly fork: SpawnFiber
}): TrustlessServer => {
  const { budget, fork, settings, settlement, turns } = options
  const { blocked, timeout } = settings.gateway

  const run = (
    exchange: HttpExchange,
    { config, holder, rules }: AdmittedCaller,
    target: TrustlessTarget,
    isPublic: boolean
  ): Effect.Effect<void> => {
    const { accept } = exchange.request.headers
    const wanted = TrustlessRequest.read({ ...target, accept })
    const command: IpfsApi.CommandName =
      Result.isSuccess(wanted) && wanted.success.form === "car" ? "dag/export" : "block/get"
    const tally = TransferTally.empty()
    const outcome = (ending: Ending.Ending): WorkOutcome<Ending.Ending> => ({
      answer: ending,
      usages: [
        {
          project: holder.project.id,
          product: "ipfs",
          network: IPFS_PLACE,
          method: command,
          status: ending.status,
          key: holder.key.id,
          calls: 1,
          credits: 0,
          bytesIn: exchange.bytesIn,
          bytesOut: Ending.bytesOf(exchange, ending),
          ipfs: { uploaded: tally.uploaded, downloaded: tally.downloaded, stored: undefined }
        }
      ]
    })
    const work = Effect.suspend(() => {
      const { method } = exchange.request
      if (method !== "GET" && method !== "HEAD")
        return Effect.succeed(Ending.refused(HttpRefusal.methodNotAllowed(TrustlessHeaders.ALLOW)))
      if (settings.disallowed.has(command)) return Effect.succeed(Ending.refused(IpfsRefusals.disallowed))
      if (!rules.call(command, [])) return Effect.succeed(Ending.refused(IpfsRefusals.methodNotListed(command)))
      if (Result.isFailure(wanted)) return Effect.succeed(Ending.refused(wanted.failure))
      const counted = TransferTally.counted(settings.node(holder, settings.quotas(holder)), tally)
      const { isGone, node } = Blocked.over(counted, blocked)
      const sent = Effect.scoped(inTime(timeout, exchange, answer(budget, exchange, node, wanted.success, isPublic)))
      const paid = BlockWork.paid(sent, holder.project, { turns, more: settlement.more })
      const ofFault = (fault: TrustlessContent.TrustlessFault) => failedBy(fork, exchange, fault, isGone())
      return Effect.map(Effect.exit(Effect.interruptible(paid)), (exit) =>
        Ending.of(exchange, exit, { died: DIED, fork, ofFault })
      )
    })
    return Effect.map(
      settlement.run<Ending.Ending>({
        project: CommandRateLimit.limited(holder.project, command),
        credits: CommandRateLimit.COST,
        members: membersOf(holder, 1),
        work: () => Effect.map(work, outcome),
        exceeded: (exceeded) => {
          const { error, headers, status } = LimitExceeded.answer(exceeded, config.settings.wording)
          return outcome(Ending.refused(HttpRefusal.make(status, error.message, headers)))
        },
        closed: () => outcome(Ending.refused(HttpRefusal.unavailable)),
        unmetered: () => outcome(Ending.refused(HttpRefusal.unavailable))
      }),
      (ending) => Ending.end(exchange, ending)
    )
  }

  return {
    serve: (exchange, admitted, target, isPublic) =>
      Ending.run(exchange, run(exchange, admitted, target, isPublic), DIED, fork)
  }
}

/** Sends an answer except its end. */
const answer = Effect.fnUntraced(function* (
  budget: MemoryBudget,
  exchange: HttpExchange,
  node: TrustlessContent.TrustlessReader,
  wanted: TrustlessRequest.TrustlessRequest,
  isPublic: boolean
): Effect.fn.Return<Ending.Ending, TrustlessContent.TrustlessFault, Scope.Scope> {
  const { headers, method } = exchange.request
  const isHead = method === "HEAD"
  const head = (etag: string, roots: ReadonlyArray<Cid.Cid>) => TrustlessHeaders.of(wanted, etag, roots, isPublic)
  const unchanged = (etag: string) => Ending.whole(304, TrustlessHeaders.unchanged(wanted, etag, isPublic))
  const isKnown = (etag: string) => TrustlessHeaders.matches(headers["if-none-match"], etag)
  if (wanted.form === "raw") {
    const { cid, roots } = yield* TrustlessContent.locateBlock(node, wanted)
    const etag = TrustlessHeaders.etagOfBlock(cid)
    const range = Ranges.isPermitted(headers["if-range"]?.toString(), etag) ? headers.range : undefined
    if (isHead || isKnown(etag)) {
      const { size } = yield* node.blockStat(Cid.toText(cid))
      if (isKnown(etag)) return unchanged(etag)
      const part = yield* Effect.fromResult(Ranges.read(range, size))
      return part === undefined
        ? Ending.whole(200, [...head(etag, roots), "content-length", String(size)])
        : Ending.whole(206, [
            ...head(etag, roots),
            ...Ranges.contentRange(part, size),
            "content-length",
            String(part.to - part.from)
          ])
    }
    const block = yield* node.blockGet(Cid.toText(cid))
    const part = yield* Effect.fromResult(Ranges.read(range, block.length))
    // A caller that reads nothing keeps the block in memory.
    if (!budget.raise(exchange, block.length)) return Ending.refused(HttpRefusal.busy)
    return part === undefined
      ? Ending.whole(200, head(etag, roots), block)
      : Ending.whole(
          206,
          [...head(etag, roots), ...Ranges.contentRange(part, block.length)],
          block.subarray(part.from, part.to)
        )
  }
  const etag = TrustlessHeaders.etagOfCar(wanted)
  if (isHead || isKnown(etag)) {
    const roots = yield* TrustlessContent.rootsOfCar(node, wanted)
    return isKnown(etag) ? unchanged(etag) : Ending.whole(200, head(etag, roots))
  }
  const { bytes, roots } = yield* TrustlessContent.car(node, wanted, budget)
  return yield* Ending.stream(exchange, head(etag, roots), bytes, budget)
})

/** Runs the work. Fails if the answer has not begun within the timeout. */
const inTime = <A, R>(
  timeout: number,
  exchange: HttpExchange,
  work: Effect.Effect<A, TrustlessContent.TrustlessFault, R>
) =>
  Effect.raceFirst(
    work,
    Effect.andThen(
      Effect.sleep(timeout),
      Effect.suspend(() => (exchange.isSent ? Effect.never : Effect.fail(late)))
    )
  )

/** Returns the end of an answer that failed. */
const failedBy = (
  fork: SpawnFiber,
  exchange: HttpExchange,
  fault: TrustlessContent.TrustlessFault,
  isGone: boolean
): Ending.Ending => {
  if (isGone) return Ending.refused(Blocked.gone)
  if (fault._tag === "Refusal") return Ending.refused(fault)
  const message = Redaction.text(fault.message)
  if (NODE_FAULTS.has(fault.reason._tag)) {
    fork(Effect.annotateLogs(Effect.logWarning("ipfs node fault", message), { command: "gateway" }))
  }
  const onlyIfCached = /\bonly-if-cached\b/iu.test(exchange.request.headers["cache-control"] ?? "")
  const status = fault.reason._tag === "NotFound" && onlyIfCached ? 412 : STATUS[fault.reason._tag]
  return Ending.refused(HttpRefusal.make(status, message))
}

const DIED = "ipfs gateway died"

const late = HttpRefusal.make(504, "the content was not found in time")

/** The reasons that are logged for the operator. */
const NODE_FAULTS: ReadonlySet<Reason["_tag"]> = new Set<Reason["_tag"]>(["Damaged", "Failed", "TimedOut"])

/**
 * The HTTP status for each reason. A path that does not exist, or that leads through invalid content, gets 404: the
 * service works, but has no such content.
 */
const STATUS: Readonly<Record<Reason["_tag"], number>> = {
  InvalidRequest: 400,
  NotSupported: 400,
  NotFound: 404,
  NoLink: 404,
  WrongKind: 404,
  Malformed: 404,
  Damaged: 502,
  PinRefused: 500,
  QuotaExceeded: 429,
  StorageFull: 507,
  Failed: 502,
  TimedOut: 504
}
