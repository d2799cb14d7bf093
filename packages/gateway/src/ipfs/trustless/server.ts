/**
 * Answers requests to the trustless gateway. Each request is admitted, limited and recorded as an IPFS command: a block
 * as `block/get`, and a CAR as `dag/export`.
 */
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { Reason } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as Redaction from "../../errors/Redaction.ts"
import type { Budget } from "../../http/budget.ts"
import { type HttpExchange, LEFT } from "../../http/exchange.ts"
import type { Fork } from "../../http/fork.ts"
import * as Refusal from "../../http/Refusal.ts"
import * as LimitExceeded from "../../limits/LimitExceeded.ts"
import { IPFS_PLACE } from "../../networks/places.ts"
import type { Admitted } from "../../pipeline/admission.ts"
import type { Outcome, Settlement } from "../../pipeline/settlement.ts"
import type { Turns } from "../../pipeline/turns.ts"
import type { Settings } from "../../settings/IpfsOptions.ts"
import * as BlockWork from "../http/blockWork.ts"
import * as Rates from "../http/rates.ts"
import * as Tally from "../http/tally.ts"
import * as Blocked from "./blocked.ts"
import * as Content from "./content.ts"
import * as Headers from "./headers.ts"
import * as Ranges from "./ranges.ts"
import * as Request from "./request.ts"

/** The target of a request: the path after `/ipfs/`, and the query. */
export interface Target {
  readonly path: string
  readonly query: string
}

/** The part of an answer that is sent after the request is recorded. */
type Ending =
  | {
      readonly _tag: "Whole"
      readonly status: 200 | 206 | 304
      readonly headers: ReadonlyArray<string>
      /** The body; undefined if the answer has none. */
      readonly body: Uint8Array | undefined
    }
  /** The end of a stream. */
  | { readonly _tag: "End"; readonly status: 200 }
  | { readonly _tag: "Refused"; readonly status: number; readonly refusal: Refusal.Refusal }
  /** The caller has disconnected. */
  | { readonly _tag: "Left"; readonly status: typeof LEFT }

export interface TrustlessServer {
  /** Answers a request of an admitted caller. `isPublic` is true for a caller without a key. */
  readonly serve: (exchange: HttpExchange, admitted: Admitted, target: Target, isPublic: boolean) => void
}

export const make = (options: {
  readonly settings: Settings
  readonly budget: Budget
  readonly settlement: Pick<Settlement, "more" | "run">
  readonly turns: Turns
  readonly fork: Fork
}): TrustlessServer => {
  const { budget, fork, settings, settlement, turns } = options
  const { blocked, timeout } = settings.gateway

  /** Sends an answer except its end. */
  const answer = Effect.fnUntraced(function* (
    exchange: HttpExchange,
    node: Content.Reader,
    wanted: Request.Wanted,
    isPublic: boolean
  ): Effect.fn.Return<Ending, Content.Fault, Scope.Scope> {
    const { headers, method } = exchange.request
    const isHead = method === "HEAD"
    const head = (etag: string, roots: ReadonlyArray<Cid.Cid>) => Headers.of(wanted, etag, roots, isPublic)
    const unchanged = (etag: string) => whole(304, Headers.unchanged(wanted, etag, isPublic))
    const isKnown = (etag: string) => Headers.matches(headers["if-none-match"], etag)
    if (wanted.form === "raw") {
      const { cid, roots } = yield* Content.locateBlock(node, wanted)
      const etag = Headers.etagOfBlock(cid)
      const range = Ranges.isPermitted(headers["if-range"]?.toString(), etag) ? headers.range : undefined
      if (isHead || isKnown(etag)) {
        const { size } = yield* node.blockStat(Cid.toText(cid))
        if (isKnown(etag)) return unchanged(etag)
        const part = yield* Effect.fromResult(Ranges.read(range, size))
        return part === undefined
          ? whole(200, [...head(etag, roots), "content-length", String(size)])
          : whole(206, [
              ...head(etag, roots),
              ...Ranges.contentRange(part, size),
              "content-length",
              String(part.to - part.from)
            ])
      }
      const block = yield* node.blockGet(Cid.toText(cid))
      const part = yield* Effect.fromResult(Ranges.read(range, block.length))
      // A caller that reads nothing keeps the block in memory.
      if (!budget.raise(exchange, block.length)) return refused(Refusal.busy)
      return part === undefined
        ? whole(200, head(etag, roots), block)
        : whole(
            206,
            [...head(etag, roots), ...Ranges.contentRange(part, block.length)],
            block.subarray(part.from, part.to)
          )
    }
    const etag = Headers.etagOfCar(wanted)
    if (isHead || isKnown(etag)) {
      const roots = yield* Content.rootsOfCar(node, wanted)
      return isKnown(etag) ? unchanged(etag) : whole(200, head(etag, roots))
    }
    const { bytes, roots } = yield* Content.car(node, wanted, budget)
    const write = (pieces: ReadonlyArray<Uint8Array>) =>
      Effect.gen(function* () {
        if (!exchange.isSent) begin(exchange, head(etag, roots))
        for (const piece of pieces) if (!exchange.write(piece)) yield* drained(exchange)
      })
    yield* Stream.runForEachArray(bytes, write)
    return { _tag: "End", status: 200 }
  })

  /** Runs the work. Fails if the answer has not begun within the timeout. */
  const inTime = <A, R>(exchange: HttpExchange, work: Effect.Effect<A, Content.Fault, R>) =>
    Effect.raceFirst(
      work,
      Effect.andThen(
        Effect.sleep(timeout),
        Effect.suspend(() => (exchange.isSent ? Effect.never : Effect.fail(late)))
      )
    )

  const endingOf = (exchange: HttpExchange, exit: Exit.Exit<Ending, Content.Fault>, isGone: boolean): Ending => {
    if (exchange.response.destroyed) return { _tag: "Left", status: LEFT }
    if (exit._tag === "Success") return exit.value
    const error = Cause.findError(exit.cause)
    if (Result.isFailure(error)) {
      if (Cause.hasInterruptsOnly(exit.cause)) {
        return exchange.interrupted() === LEFT ? { _tag: "Left", status: LEFT } : refused(Refusal.unavailable)
      }
      fork(Effect.logError("ipfs gateway died", Redaction.text(Cause.pretty(exit.cause))))
      return refused(Refusal.failed)
    }
    const fault = error.success
    if (isGone) return refused(Blocked.gone)
    if (fault._tag === "Refusal") return refused(fault)
    const message = Redaction.text(fault.message)
    if (NODE_FAULTS.has(fault.reason._tag)) {
      fork(Effect.annotateLogs(Effect.logWarning("ipfs node fault", message), { command: "gateway" }))
    }
    const onlyIfCached = /\bonly-if-cached\b/iu.test(exchange.request.headers["cache-control"] ?? "")
    const status = fault.reason._tag === "NotFound" && onlyIfCached ? 412 : STATUS[fault.reason._tag]
    return refused(Refusal.make(status, message))
  }

  const run = (
    exchange: HttpExchange,
    { config, holder, rules }: Admitted,
    target: Target,
    isPublic: boolean
  ): Effect.Effect<void> => {
    const { accept } = exchange.request.headers
    const wanted = Request.read({ ...target, accept })
    const command: IpfsApi.Name = Result.isSuccess(wanted) && wanted.success.form === "car" ? "dag/export" : "block/get"
    const tally = Tally.empty()
    const outcome = (ending: Ending): Outcome<Ending> => ({
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
          bytesOut: bytesOf(exchange, ending),
          ipfs: { uploaded: tally.uploaded, downloaded: tally.downloaded, stored: undefined }
        }
      ]
    })
    const work = Effect.suspend(() => {
      const { method } = exchange.request
      if (method !== "GET" && method !== "HEAD") return Effect.succeed(refused(Refusal.methodNotAllowed(Headers.ALLOW)))
      if (settings.disallowed.has(command)) return Effect.succeed(refused(Refusal.disallowed))
      if (!rules.call(command, [])) return Effect.succeed(refused(Refusal.ipfsMethodNotListed(command)))
      if (Result.isFailure(wanted)) return Effect.succeed(refused(wanted.failure))
      const counted = Tally.counted(settings.node(holder, settings.quotas(holder)), tally)
      const { isGone, node } = Blocked.over(counted, blocked)
      const sent = Effect.scoped(inTime(exchange, answer(exchange, node, wanted.success, isPublic)))
      const paid = BlockWork.paid(sent, holder.project, { turns, more: settlement.more })
      return Effect.map(Effect.exit(Effect.interruptible(paid)), (exit) => endingOf(exchange, exit, isGone()))
    })
    return Effect.map(
      settlement.run<Ending>({
        project: Rates.limited(holder.project, command),
        credits: Rates.COST,
        work: () => Effect.map(work, outcome),
        exceeded: (exceeded) => {
          const { error, headers, status } = LimitExceeded.answer(exceeded, config.settings.wording)
          return outcome(refused(Refusal.make(status, error.message, headers)))
        },
        closed: () => outcome(refused(Refusal.unavailable)),
        unmetered: () => outcome(refused(Refusal.unavailable))
      }),
      (ending) => end(exchange, ending)
    )
  }

  return {
    serve: (exchange, admitted, target, isPublic) => {
      exchange.isAccountedFor = true
      // The work can be interrupted only while it waits for the node, so that an abandoned request is still recorded.
      const fiber = fork(Effect.uninterruptible(run(exchange, admitted, target, isPublic)))
      exchange.work = fiber
      fiber.addObserver((exit) => {
        exchange.work = undefined
        if (exit._tag === "Success" || Cause.hasInterruptsOnly(exit.cause)) return
        fork(Effect.logError("ipfs gateway died", Redaction.text(Cause.pretty(exit.cause))))
        end(exchange, refused(Refusal.failed))
      })
    }
  }
}

// Private: endings.

const whole = (status: 200 | 206 | 304, headers: ReadonlyArray<string>, body?: Uint8Array): Ending => ({
  _tag: "Whole",
  status,
  headers,
  body
})

const refused = (refusal: Refusal.Refusal): Ending => ({ _tag: "Refused", status: refusal.status, refusal })

const late = Refusal.make(504, "the content was not found in time")

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

/** Returns the number of bytes that the answer's body has after the rest is sent. */
const bytesOf = (exchange: HttpExchange, ending: Ending): number => {
  if (exchange.request.method === "HEAD" || ending._tag === "Left" || exchange.isSent) return exchange.bytesOut
  if (ending._tag === "Refused") return Refusal.body(ending.refusal).length
  return ending._tag === "Whole" ? (ending.body?.length ?? 0) : exchange.bytesOut
}

const begin = (exchange: HttpExchange, headers: ReadonlyArray<string>): void => {
  // Only a chunked answer can have a trailer, and HTTP/1.0 has no chunks.
  const trailer = exchange.response.useChunkedEncodingByDefault ? ["trailer", "X-Stream-Error"] : []
  exchange.begin(200, [...headers, ...trailer])
}

/** Sends the rest of an answer. */
const end = (exchange: HttpExchange, ending: Ending): void => {
  switch (ending._tag) {
    case "Whole": {
      const { body, headers, status } = ending
      if (body === undefined) return exchange.empty(status, headers)
      exchange.begin(status, [...headers, "content-length", String(body.length)])
      exchange.write(body)
      return exchange.finish()
    }
    case "End":
      return exchange.finish()
    case "Refused":
      return exchange.isSent ? exchange.breakOff(ending.refusal.text) : exchange.refuse(ending.refusal)
    case "Left":
      return
  }
}

const drained = (exchange: HttpExchange): Effect.Effect<void> =>
  Effect.callback<void>((resume) => exchange.onDrain(() => resume(Effect.void)))
