/**
 * The cost of subscription events. Costs are summed as events are sent, then written to the disk and charged to the
 * limits every second.
 *
 * Events are not written one by one. A killed process loses the usage of its last second of events; those events are
 * then free.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { KeyHolder, Project } from "../accounts/Account.ts"
import { membersOf } from "../accounts/limitedMembers.ts"
import type { LimitedMembers } from "../limits/KeyLimits.ts"
import type { Limiter } from "../limits/Limiter.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import type { ProjectLimits } from "../limits/ProjectLimits.ts"
import type { Metering } from "../metering/Metering.ts"
import type { Usage } from "../metering/Usage.ts"
import { ServiceMeters } from "../meters/serviceMeters.ts"
import type { CallerSession } from "./requestAdmission.ts"

/** The reason for closing a socket, as sent in the close frame. */
export interface SocketClosing {
  readonly code: number
  readonly reason: string
  /** True if the service itself closes the socket. Calls in flight are then not charged. */
  readonly isOurs?: true
}

/** A socket that has subscriptions. */
export interface SubscribedSocket {
  readonly end: (closing: SocketClosing) => void
  /** Returns the current session. Without this function, the socket belongs to every key of the project. */
  readonly session?: (() => CallerSession) | undefined
}

/** The metered name of events: the method of their notifications. */
const METHOD = "eth_subscription"

/** Milliseconds between two flushes. */
export const FLUSH = 1000

/**
 * Maximum time for which a debt may stay unpaid, in milliseconds. Credits per second pay a debt. If they do not pay it
 * in full in this time, the sockets are closed.
 */
const PATIENCE = 10_000

const RATE_EXCEEDED: SocketClosing = { code: 1008, reason: "project ID request rate exceeded" }
const SERVICE_UNAVAILABLE: SocketClosing = { code: 1013, reason: "service unavailable", isOurs: true }

export class EventSettlement {
  readonly #clock: Clock.Clock
  readonly #limiter: Limiter["Service"]
  readonly #metering: Metering["Service"]
  readonly #meters: ServiceMeters
  /** The usage of sent events that is not on the disk yet: a row for each key and network. */
  #rows = new Map<string, Row>()
  /** The credits that were not charged to the limits yet, by payer. */
  readonly #debts = new Map<string, Debt>()
  readonly #subscribed = new Map<string, Set<SubscribedSocket>>()

  constructor(
    clock: Clock.Clock,
    limiter: Limiter["Service"],
    metering: Metering["Service"],
    meters = new ServiceMeters()
  ) {
    this.#clock = clock
    this.#meters = meters
    this.#limiter = limiter
    this.#metering = metering
  }

  join(project: string, socket: SubscribedSocket): void {
    const sockets = this.#subscribed.get(project) ?? new Set()
    this.#subscribed.set(project, sockets.add(socket))
  }

  leave(project: string, socket: SubscribedSocket): void {
    const sockets = this.#subscribed.get(project)
    if (sockets?.delete(socket) === true && sockets.size === 0) this.#subscribed.delete(project)
  }

  /** Returns the time in milliseconds since the epoch. */
  now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** Adds the cost of an event that was sent. */
  charge(session: CallerSession, credits: number, bytes: number): void {
    const { config, holder, place, product } = session
    const { key, project } = holder
    const name = JSON.stringify([key.id, place])
    const row = this.#rows.get(name) ?? {
      project: project.id,
      product,
      network: place,
      key: key.id,
      credits: 0,
      bytes: 0
    }
    row.credits += credits
    row.bytes += bytes
    this.#rows.set(name, row)
    // Events are not requests, so a key is limited only by its credits per day.
    const members = membersOf(holder, 0)
    const payer = payerOf(holder, members)
    const debt = this.#debts.get(payer) ?? { payer, project, members, credits: 0, since: undefined, wording: {} }
    debt.project = project
    debt.members = members
    debt.wording = config.settings.wording
    debt.credits += credits
    this.#debts.set(payer, debt)
  }

  /**
   * Writes all events that were sent. Never fails: if a project's events cannot be recorded, its sockets are closed.
   */
  readonly flush: Effect.Effect<void> = Effect.suspend(() => {
    const rows = [...this.#rows.values()]
    this.#rows = new Map()
    const limits = Effect.forEach([...this.#debts.values()], (debt) => this.#take(debt), {
      concurrency: 16,
      discard: true
    })
    return rows.length === 0 ? limits : Effect.andThen(this.#record(rows), limits)
  })

  #record(rows: ReadonlyArray<Row>): Effect.Effect<void> {
    // A failed write is not repeated: the events may have been stored, and would count twice.
    const usages = rows.map(toUsage)
    return Effect.matchEffect(this.#metering.recordAll(usages), {
      onSuccess: () =>
        Effect.sync(() => {
          for (const usage of usages) this.#meters.used(usage)
        }),
      onFailure: (error) =>
        Effect.andThen(
          Effect.logError("events cannot be recorded", error.message),
          Effect.sync(() => {
            for (const project of new Set(rows.map(({ project }) => project))) this.#sever(project, SERVICE_UNAVAILABLE)
          })
        )
    })
  }

  /** Charges a debt to the limits: at most as many credits as the bucket can hold. */
  #take(debt: Debt): Effect.Effect<void> {
    const { project } = debt
    const { limits } = project
    const credits = Math.min(debt.credits, limits.burst ?? limits.creditsPerSecond ?? Infinity)
    if (credits === 0) return this.#owe(debt)
    return Effect.matchEffect(this.#limiter.admit(project.id, withoutPlaces(limits), credits, debt.members), {
      onSuccess: (admission) => {
        debt.credits -= credits
        // The credits of events sent during this settlement stay in the debt.
        return Effect.andThen(this.#limiter.settle(admission, credits), this.#owe(debt))
      },
      onFailure: (error) => {
        if (error._tag !== "LimitExceeded") return this.#forget(debt, SERVICE_UNAVAILABLE)
        if (error.limit === "rate") return this.#owe(debt)
        const closing = { code: 1008, reason: LimitExceeded.answer(error, debt.wording).error.message }
        return this.#forget(debt, closing, error.of)
      }
    })
  }

  /** Keeps a debt, to be paid with the credits of the next seconds. */
  #owe(debt: Debt): Effect.Effect<void> {
    if (debt.credits === 0) {
      this.#debts.delete(debt.payer)
      return Effect.void
    }
    debt.since ??= this.now()
    return this.now() - debt.since < PATIENCE ? Effect.void : this.#forget(debt, RATE_EXCEEDED)
  }

  /**
   * Drops a debt that cannot be paid, and closes the sockets. The debt is still charged to the daily limit. Otherwise a
   * client could reconnect and get the same amount again.
   */
  #forget(debt: Debt, closing: SocketClosing, of?: LimitExceeded.LimitExceeded["of"]): Effect.Effect<void> {
    const { credits, members, payer, project } = debt
    this.#debts.delete(payer)
    this.#sever(project.id, closing, of === undefined ? undefined : payer)
    const { creditsPerDay } = project.limits
    if (creditsPerDay === undefined && members === undefined) return Effect.void
    const day = creditsPerDay === undefined ? {} : { creditsPerDay }
    const admitted = this.#limiter.admit(project.id, day, 0, members)
    return Effect.ignore(Effect.flatMap(admitted, (admission) => this.#limiter.settle(admission, credits)))
  }

  /** Closes the sockets of a project, or only those of one payer in the project. */
  #sever(project: string, closing: SocketClosing, payer?: string): void {
    for (const socket of this.#subscribed.get(project) ?? []) {
      const holder = payer === undefined ? undefined : socket.session?.().holder
      if (holder === undefined || payerOf(holder, membersOf(holder, 0)) === payer) socket.end(closing)
    }
  }
}

/** Returns the name of the limits that pay for events: those of the project alone, or those of one of its keys too. */
const payerOf = ({ project }: KeyHolder, members: LimitedMembers | undefined): string =>
  members === undefined ? project.id : JSON.stringify([project.id, ...members.all.map(({ id, kind }) => [kind, id])])

interface Row {
  readonly project: string
  readonly product: Usage["product"]
  readonly network: string
  readonly key: string
  credits: number
  bytes: number
}

interface Debt {
  readonly payer: string
  project: Project
  members: LimitedMembers | undefined
  wording: LimitExceeded.LimitWording
  credits: number
  /** The time since which the debt could not be paid in full. */
  since: number | undefined
}

const toUsage = ({ bytes, credits, ...row }: Row): Usage => ({
  ...row,
  method: METHOD,
  status: 200,
  calls: 0,
  credits,
  bytesIn: 0,
  bytesOut: bytes
})

/** Removes the concurrency limit, because events are not calls in flight. */
const withoutPlaces = (limits: ProjectLimits): ProjectLimits => {
  const { concurrency, ...others } = limits
  return concurrency === undefined ? limits : others
}
