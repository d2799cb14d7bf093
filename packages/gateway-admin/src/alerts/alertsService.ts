/** The interface of alerts. The queries that implement it import this file; `UsageAlerts` exports it. */
import type { AccountsError } from "@plumbline/gateway/accounts/AccountsError"
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { StateError } from "@plumbline/gateway/state/StateError"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import type { AlertRules } from "./AlertRules.ts"

/** The types of events that this version knows. A later version may record others in the same database. */
export const EVENT_TYPES = ["usage.threshold", "usage.day", "node.lie"] as const

export type EventType = (typeof EVENT_TYPES)[number]

/** True for an event of a type that this version knows. */
export const isKnownEvent = ({ type }: { readonly type: string }): boolean =>
  (EVENT_TYPES as ReadonlyArray<string>).includes(type)

/**
 * An event.
 */
export interface UsageEvent {
  /** The number of the event. Events are numbered in order, without gaps. */
  readonly id: number
  /** The idempotency key of the event. It does not depend on the process that records the event. */
  readonly name: string
  /** Time of the event, in milliseconds since 1970 UTC. */
  readonly at: number
  /**
   * `usage.threshold`: the credits have reached a threshold. `usage.day`: the day is over. `node.lie`: a check refuted an
   * answer of a node.
   */
  readonly type: EventType
  /** The id of the project; empty for a lie, which belongs to no project. */
  readonly project: string
  /** The beginning of the day, in milliseconds since 1970 UTC. */
  readonly day: number
  /** The threshold, such as `75%` or `1000`; null for the end of a day. */
  readonly threshold: string | null
  /** The calls of the day; null for a threshold. */
  readonly calls: bigint | null
  /** The credits of the day. An event of a threshold has the credits up to its time, and that of a lie has none. */
  readonly credits: bigint
  /** The lie; null for an event of usage. */
  readonly lie: ToldLie | null
}

/** A lie of a node, as events tell it. */
export const ToldLie = Schema.Struct({
  network: Schema.String.annotate({ description: "The name of the network" }),
  node: Schema.String.annotate({ description: "The node's name in the configuration" }),
  method: Schema.String.annotate({ description: "The method that was called" }),
  check: Schema.String.annotate({ description: "The check that refuted the answer" }),
  expected: Schema.NullOr(Schema.String).annotate({ description: "The value that the check required, if it is known" }),
  got: Schema.NullOr(Schema.String).annotate({ description: "The value that the node gave, if it is known" }),
  drill: Schema.optionalKey(
    Schema.Struct({
      by: Schema.String.annotate({ description: "The operator who ordered the lie" }),
      at: Schema.String.annotate({ description: "The beginning of the ordered time, as an ISO 8601 time" }),
      until: Schema.String.annotate({ description: "Its end" })
    }).annotate({
      description:
        "The order by which the node lied; absent if the node lied without an order. An ordered lie is a drill"
    })
  )
}).annotate({ identifier: "ToldLie" })

export type ToldLie = typeof ToldLie.Type

/** A threshold of a project, with the last event that it caused. */
export interface FiredThreshold {
  /** The threshold, such as `75%` or `1000`. */
  readonly threshold: string
  /** The time of the event, in milliseconds since 1970 UTC. */
  readonly at: number
  /** The credits of the day up to the time of the event. */
  readonly credits: bigint
}

/**
 * The thresholds of a project, and the last event of each threshold.
 */
export interface ProjectAlerts {
  readonly project: string
  readonly name: string
  readonly rules: AlertRules
  readonly fired: ReadonlyArray<FiredThreshold>
}

/**
 * Alerts and events.
 *
 * Events are read, not sent. A reader stores the number of the last event that it has processed, and asks for the
 * events after that number. A reader that fails may read an event again, but misses none. An event that is read again
 * has the same `name`.
 */
export interface AlertsService {
  readonly rules: (project: string) => Effect.Effect<AlertRules | undefined, StateError>
  readonly setRules: (
    project: string,
    rules: AlertRules
  ) => Effect.Effect<AlertRules, AccountsError | SettingError | StateError>
  readonly removeRules: (project: string) => Effect.Effect<void, AccountsError | StateError>
  /** Returns at most `limit` projects that have thresholds, sorted by id, starting after the given id. */
  readonly all: (page: {
    readonly after?: string | undefined
    readonly limit: number
    /** The ids of the projects to return; undefined for all. */
    readonly only?: ReadonlyArray<string> | undefined
  }) => Effect.Effect<ReadonlyArray<ProjectAlerts>, StateError>
  /** Returns the last event of each threshold of a project, newest first. Events that were deleted are missing. */
  readonly fired: (project: string) => Effect.Effect<ReadonlyArray<FiredThreshold>, AccountsError | StateError>
  /** Returns at most `limit` events with a higher number than `after`, in ascending order. */
  readonly events: (after: number, limit: number) => Effect.Effect<ReadonlyArray<UsageEvent>, StateError>
  /** Records an event for a lie of a node at a time: at most one an hour for each node and check, and one for each check of a drill. */
  readonly lied: (lie: ToldLie, at: number) => Effect.Effect<void, StateError>
  /** Checks the usage now and records the new events. The layer runs this check every 10 seconds. */
  readonly look: Effect.Effect<void, StateError>
}
