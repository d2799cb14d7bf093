/** The interface of alerts. The queries that implement it import this file; `UsageAlerts` exports it. */
import type * as Effect from "effect/Effect"

import type { AccountsError } from "../accounts/AccountsError.ts"
import type { SettingError } from "../errors/SettingError.ts"
import type { StateError } from "../state/StateError.ts"
import type { AlertRules } from "./AlertRules.ts"

/**
 * An event.
 */
export interface Event {
  /** A number larger than the number of every earlier event, without gaps. Readers continue after it. */
  readonly id: number
  /** The idempotency key: the same for the same event, whichever process records it. */
  readonly name: string
  /** Time of the event, in milliseconds since 1970 UTC. */
  readonly at: number
  /** `usage.threshold`: credits have passed a threshold. `usage.day`: the day is over. */
  readonly type: "usage.threshold" | "usage.day"
  readonly project: string
  /** The beginning of the day, in milliseconds since 1970 UTC. */
  readonly day: number
  /** The threshold, such as `75%` or `1000`; null for the end of a day. */
  readonly threshold: string | null
  /** The calls of the day; null for a threshold. */
  readonly calls: bigint | null
  /** The credits of the day: all of them at its end, and for a threshold those so far. */
  readonly credits: bigint
}

/**
 * The last event of a threshold.
 */
export interface Fired {
  /** Such as `75%` or `1000`. */
  readonly threshold: string
  /** The time of the event, in milliseconds since 1970 UTC. */
  readonly at: number
  /** The credits of that day by then. */
  readonly credits: bigint
}

/**
 * The thresholds of a project, and the last events of thresholds.
 */
export interface ProjectAlerts {
  readonly project: string
  readonly name: string
  readonly rules: AlertRules
  readonly fired: ReadonlyArray<Fired>
}

/**
 * Alerts and events.
 *
 * Events are read, not sent: a reader keeps the number of the last event that it has processed, and asks for those
 * after it. So every event is read at least once, even if the reader fails, and its `name` identifies a repeated event.
 */
export interface Service {
  readonly rules: (project: string) => Effect.Effect<AlertRules | undefined, StateError>
  readonly setRules: (
    project: string,
    rules: AlertRules
  ) => Effect.Effect<AlertRules, AccountsError | SettingError | StateError>
  readonly removeRules: (project: string) => Effect.Effect<void, AccountsError | StateError>
  /** Returns the projects that have thresholds, in the order of ids: at most `limit` of those after an id. */
  readonly all: (page: {
    readonly after?: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<ProjectAlerts>, StateError>
  /** Returns the last event of each threshold of a project that is still kept, the newest first. */
  readonly fired: (project: string) => Effect.Effect<ReadonlyArray<Fired>, AccountsError | StateError>
  /** Returns at most `limit` events with a higher number than `after`, in their order. */
  readonly events: (after: number, limit: number) => Effect.Effect<ReadonlyArray<Event>, StateError>
  /** Checks the usage now, and records the new events. The layer does so every 10 seconds. */
  readonly look: Effect.Effect<void, StateError>
}
