/**
 * The messages between the supervisor and its workers.
 *
 * They travel over the channel that Node opens to a child process, in the order in which they were sent, and are copied as
 * structured clones. No message holds a key, a token or the settings: a worker reads the same configuration itself.
 */
import type * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import type * as LightClientHeads from "@plumbline/beacon-light-client/follow/LightClientHeads"
import type { LimitedMembers } from "@plumbline/gateway/limits/KeyLimits"
import { LimiterError } from "@plumbline/gateway/limits/LimiterError"
import type { CounterKind, QuotaStatus, Reservation } from "@plumbline/gateway/limits/LimiterStore"
import type { LimitExceeded } from "@plumbline/gateway/limits/LimitExceeded"
import type { ProjectLimits } from "@plumbline/gateway/limits/ProjectLimits"
import type { LatencyRow, UsageBatch, UsageDurability } from "@plumbline/gateway/metering/MeteringStore"
import type { FeedEvent, FeedRequest } from "@plumbline/gateway/networks/Feeds"
import type { LieCount } from "@plumbline/gateway/networks/Upstream"
import { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import type * as MetricSum from "@plumbline/gateway/observe/MetricSum"
import { StateError } from "@plumbline/gateway/state/StateError"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"

import type { EmbeddedNetwork } from "../config/ServiceSettings.ts"

/** The facts that a worker needs to start. They are the first message. */
export interface WorkerStart {
  /** The number of the worker, from 1, which its log lines have. A replacement has the same number. */
  readonly worker: number
  /** The configuration file as an absolute path; undefined if there is none. */
  readonly file: string | undefined
  /** The data folder; undefined if the state is shared. */
  readonly folder: string | undefined
  /** The port to listen on. 0 means any free port. */
  readonly port: number
  /** Milliseconds of `server.timeouts.grace`, and the number of workers: a flag can set both. */
  readonly grace: number
  readonly workers: number
  /** Digests of the settings in which all processes must agree, by their names. */
  readonly agreed: Readonly<Record<string, string>>
  /** The Unix socket of the supervisor's own gateway. */
  readonly socketPath: string
  /** The chain ids of the embedded nodes, which run in the supervisor. */
  readonly embedded: Readonly<Partial<Record<EmbeddedNetwork, number>>>
}

/** The questions of a worker, with their answers. */
export interface Questions {
  readonly take: readonly [
    ask: {
      readonly kind: CounterKind
      readonly id: string
      readonly limits: ProjectLimits
      readonly credits: number
      readonly members: LimitedMembers | undefined
    },
    answer: Reservation | LimitExceeded
  ]
  readonly look: readonly [
    ask: { readonly kind: CounterKind; readonly id: string; readonly limits: ProjectLimits },
    answer: QuotaStatus
  ]
  readonly commit: readonly [
    ask: { readonly batch: UsageBatch; readonly durability: UsageDurability | undefined },
    answer: undefined
  ]
  readonly addLatencies: readonly [
    ask: { readonly minute: number; readonly rows: ReadonlyArray<LatencyRow> },
    answer: undefined
  ]
  readonly pingUsage: readonly [ask: undefined, answer: undefined]
  /** A call to an embedded node. */
  readonly node: readonly [
    ask: { readonly name: EmbeddedNetwork; readonly method: string; readonly params: ReadonlyArray<unknown> },
    answer: Uint8Array
  ]
  /** A call about a filter. With `denies`, the filter that it names ends, because the caller may not read it any more. */
  readonly filter: readonly [
    ask: {
      readonly network: string
      readonly method: string
      readonly params: ReadonlyArray<unknown>
      readonly owner: string
      readonly denies: boolean
    },
    answer: {
      readonly json: Uint8Array
      /** The call that began the filter, if the filter was there before. */
      readonly begun: readonly [method: string, params: ReadonlyArray<unknown>] | undefined
    }
  ]
  /** Starts a feed, whose events are told under the id `feed`. */
  readonly openFeed: readonly [
    ask: { readonly feed: number; readonly network: string; readonly request: FeedRequest },
    answer: undefined
  ]
}

export type Question = keyof Questions

/** An error as plain data: the copy of an error loses its class and its fields. */
export type SentFailure =
  | { readonly _tag: "LimiterError"; readonly reason: LimiterError["reason"] }
  | { readonly _tag: "StateError"; readonly problem: StateError["problem"]; readonly detail: string }
  | { readonly _tag: "UpstreamError"; readonly reason: UpstreamError["reason"] }
  | { readonly _tag: "ErrorObject"; readonly error: ErrorObject }

/** Every error with which a question can fail. */
export type QuestionError = ErrorObject | LimiterError | StateError | UpstreamError

export const isQuestionError = (error: unknown): error is QuestionError =>
  error instanceof LimiterError ||
  error instanceof StateError ||
  error instanceof UpstreamError ||
  (typeof error === "object" && error !== null && !(error instanceof Error) && "code" in error && "message" in error)

export const encodeFailure = (error: QuestionError): SentFailure => {
  if (error instanceof LimiterError || error instanceof UpstreamError) {
    return { _tag: error._tag, reason: { ...error.reason } } as SentFailure
  }
  if (error instanceof StateError) return { _tag: "StateError", problem: error.problem, detail: error.detail }
  return { _tag: "ErrorObject", error }
}

export const decodeFailure = (failure: SentFailure): QuestionError => {
  switch (failure._tag) {
    case "LimiterError":
      return new LimiterError({ reason: failure.reason })
    case "StateError":
      return new StateError({ problem: failure.problem, detail: failure.detail })
    case "UpstreamError":
      return new UpstreamError({ reason: failure.reason })
    default:
      return failure.error
  }
}

/** A message of a worker. */
export type WorkerTold =
  | { readonly _tag: "Asked"; readonly id: number; readonly question: Question; readonly ask: unknown }
  | { readonly _tag: "Settled"; readonly reservation: Reservation; readonly charged: number }
  | { readonly _tag: "FeedClosed"; readonly feed: number }
  /** The worker listens. */
  | { readonly _tag: "Listening"; readonly port: number }
  /** The worker cannot start. `code` is the system's if the port cannot be had. */
  | { readonly _tag: "NotStarted"; readonly problem: string; readonly code: string | undefined }
  /** The answer to `Beat`, with the worker's counts. */
  | {
      readonly _tag: "Alive"
      readonly families: MetricSum.SentFamilies
      readonly lies: Readonly<Record<string, ReadonlyArray<LieCount>>>
    }
  | { readonly _tag: "Reloaded"; readonly problem: string | undefined }

/** A message of the supervisor to a worker. */
export type SupervisorTold =
  | ({ readonly _tag: "Start" } & WorkerStart)
  | { readonly _tag: "Answered"; readonly id: number; readonly answer: unknown }
  | { readonly _tag: "Failed"; readonly id: number; readonly failure: SentFailure }
  | { readonly _tag: "FeedEvents"; readonly feed: number; readonly events: ReadonlyArray<FeedEvent> }
  | { readonly _tag: "FeedEnded"; readonly feed: number; readonly why: "missed" | "closed" }
  | { readonly _tag: "Heads"; readonly network: string; readonly state: SentLight }
  /** Asks whether the worker's event loop runs. */
  | { readonly _tag: "Beat" }
  | { readonly _tag: "Reload"; readonly embedded: WorkerStart["embedded"] }
  | { readonly _tag: "Drain" }

/** The state of a light client, which the supervisor follows. */
export interface SentLight {
  readonly heads: Sent<LightClientHeads.LightClientHeads>
  readonly nodes: ReadonlyArray<Omit<BeaconNodes.BeaconNodeHealth, "last" | "lie"> & { readonly lie?: object }>
  /** The fork that stops the light client because this version does not know it. */
  readonly fork: string | undefined
  /** The refutation that the last poll ended with. */
  readonly refuted: object | undefined
}

/** A value, or the fields of the refutation that stands in its place. */
export type Sent<A> =
  | { readonly _tag: "Value"; readonly value: A }
  | { readonly _tag: "Refuted"; readonly fields: object }
