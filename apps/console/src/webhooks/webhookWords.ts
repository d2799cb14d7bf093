/** Describes webhooks in words. */
import { minuteOf, secondOf } from "../admin/utcTimes.ts"
import { count, grouped } from "../look/TextFormats.ts"
import type { DeliveryAttempt, Webhook } from "./webhookReads.ts"

/** The types of events, with the names that readers see. */
export const TYPES = [
  ["usage.threshold", "thresholds", "A project passed a threshold"],
  ["usage.day", "days", "A day ended, with what each project used"],
  ["node.lie", "lies", "A node lied, also in a drill: a check refuted its answer"]
] as const

/** Returns the state of a webhook in one sentence. */
export const stateOf = ({ deliveredAt, failedAt, failures, nextAt, problem, waiting }: Webhook): string => {
  if (failures > 0) {
    const next = nextAt === null ? "" : ` Next try at ${secondOf(nextAt)}.`
    const since = failedAt === null ? "" : `, the last one at ${secondOf(failedAt)}`
    return `${failures === 1 ? "1 try" : `${grouped(failures)} tries`} failed${since}: ${problem ?? "no reason is known"}.${next}`
  }
  if (waiting > 0) return `${count(waiting, "event")} ${waiting === 1 ? "waits" : "wait"} to be sent.`
  return deliveredAt === null
    ? "Nothing to send yet."
    : `Everything is delivered, the last at ${minuteOf(deliveredAt)}.`
}

/** Returns the outcome of a delivery attempt. */
export const outcomeOf = ({ millis, problem, status }: DeliveryAttempt): string =>
  problem === null
    ? `taken with ${status ?? "no status"} in ${grouped(millis)} ms`
    : `${problem}, after ${grouped(millis)} ms`

/** Returns the types of events of a webhook. */
export const typesOf = ({ events }: Webhook): string =>
  TYPES.flatMap(([type, name]) => (events.includes(type) ? [name] : [])).join(", ")
