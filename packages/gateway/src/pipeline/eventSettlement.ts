/**
 * What events of subscriptions cost: added up as they are sent, and brought to the disk and to the limits every second.
 *
 * There is no commit per event. A process that is killed forgets the events of its last second; who got them got them for
 * nothing.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

import type { Project } from "../accounts/Account.ts"
import type { Limiter } from "../limits/Limiter.ts"
import * as LimitExceeded from "../limits/LimitExceeded.ts"
import type { Limits } from "../limits/Limits.ts"
import type { Metering } from "../metering/Metering.ts"
import type { Usage } from "../metering/Usage.ts"
import type { Session } from "./admission.ts"

/** Why a socket is closed, as the close frame says it. */
export interface Closing {
  readonly code: number
  readonly reason: string
  /** Whether it is the service's own doing: what is under way then is free. */
  readonly isOurs?: true
}

/** A socket with subscriptions. */
export interface Subscribed {
  readonly end: (closing: Closing) => void
}

/** The name that events are metered under: the method of their notifications. */
const METHOD = "eth_subscription"

/** Milliseconds between one flush and the next. */
export const FLUSH = 1000

/** Milliseconds in which the credits per second must have made up for what was sent. */
const PATIENCE = 10_000

const RATE_EXCEEDED: Closing = { code: 1008, reason: "project ID request rate exceeded" }
const SERVICE_UNAVAILABLE: Closing = { code: 1013, reason: "service unavailable", isOurs: true }

export class EventSettlement {
  readonly #clock: Clock.Clock
  readonly #limiter: Limiter["Service"]
  readonly #metering: Metering["Service"]
  /** What was sent and is not on the disk yet: a row for each key and network. */
  #rows = new Map<string, Row>()
  /** What the limits have not heard of yet, by project. */
  readonly #debts = new Map<string, Debt>()
  readonly #subscribed = new Map<string, Set<Subscribed>>()

  constructor(clock: Clock.Clock, limiter: Limiter["Service"], metering: Metering["Service"]) {
    this.#clock = clock
    this.#limiter = limiter
    this.#metering = metering
  }

  join(project: string, socket: Subscribed): void {
    const sockets = this.#subscribed.get(project) ?? new Set()
    this.#subscribed.set(project, sockets.add(socket))
  }

  leave(project: string, socket: Subscribed): void {
    const sockets = this.#subscribed.get(project)
    if (sockets?.delete(socket) === true && sockets.size === 0) this.#subscribed.delete(project)
  }

  /** Milliseconds of Unix time. */
  now(): number {
    return this.#clock.currentTimeMillisUnsafe()
  }

  /** An event was sent. */
  charge(session: Session, credits: number, bytes: number): void {
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
    const debt = this.#debts.get(project.id) ?? { project, credits: 0, since: undefined, wording: {} }
    debt.project = project
    debt.wording = config.settings.wording
    debt.credits += credits
    this.#debts.set(project.id, debt)
  }

  /** Everything that was sent until now. Never fails: a project whose events cannot be recorded gets no more. */
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
    // What may have been stored is not stored again: it would count twice.
    return Effect.catch(this.#metering.recordAll(rows.map(toUsage)), (error) =>
      Effect.andThen(
        Effect.logError("events cannot be recorded", error.message),
        Effect.sync(() => {
          for (const project of new Set(rows.map(({ project }) => project))) this.#sever(project, SERVICE_UNAVAILABLE)
        })
      )
    )
  }

  /** Takes what is owed, as much as the bucket can hold at once. */
  #take(debt: Debt): Effect.Effect<void> {
    const { project } = debt
    const { limits } = project
    const credits = Math.min(debt.credits, limits.burst ?? limits.creditsPerSecond ?? Infinity)
    if (credits === 0) return this.#owe(debt)
    return Effect.matchEffect(this.#limiter.admit(project.id, withoutPlaces(limits), credits), {
      onSuccess: (admission) => {
        debt.credits -= credits
        // What is sent while the limits are told of this is another debt.
        return Effect.andThen(this.#limiter.settle(admission, credits), this.#owe(debt))
      },
      onFailure: (error) => {
        if (error._tag !== "LimitExceeded") return this.#forget(debt, SERVICE_UNAVAILABLE)
        if (error.limit === "rate") return this.#owe(debt)
        return this.#forget(debt, { code: 1008, reason: LimitExceeded.answer(error, debt.wording).error.message })
      }
    })
  }

  /** What is left waits for the credits of the next seconds. */
  #owe(debt: Debt): Effect.Effect<void> {
    if (debt.credits === 0) {
      this.#debts.delete(debt.project.id)
      return Effect.void
    }
    debt.since ??= this.now()
    return this.now() - debt.since < PATIENCE ? Effect.void : this.#forget(debt, RATE_EXCEEDED)
  }

  /** Ends what cannot be paid for. For the day it counts all the same: else whoever comes back gets as much once more. */
  #forget({ credits, project }: Debt, closing: Closing): Effect.Effect<void> {
    this.#debts.delete(project.id)
    this.#sever(project.id, closing)
    const { creditsPerDay } = project.limits
    if (creditsPerDay === undefined) return Effect.void
    const admitted = this.#limiter.admit(project.id, { creditsPerDay }, 0)
    return Effect.ignore(Effect.flatMap(admitted, (admission) => this.#limiter.settle(admission, credits)))
  }

  #sever(project: string, closing: Closing): void {
    for (const socket of this.#subscribed.get(project) ?? []) socket.end(closing)
  }
}

interface Row {
  readonly project: string
  readonly product: Usage["product"]
  readonly network: string
  readonly key: string
  credits: number
  bytes: number
}

interface Debt {
  project: Project
  wording: LimitExceeded.Wording
  credits: number
  /** Since when it was not paid in full. */
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

/** Events are no calls under way. */
const withoutPlaces = (limits: Limits): Limits => {
  const { concurrency, ...others } = limits
  return concurrency === undefined ? limits : others
}
