/**
 * Admits calls within their limits: rate limits and daily quotas. When the limit store is unreachable, `whenDown`
 * decides whether calls pass or fail.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as Running from "../clock/running.ts"
import type { SettingError } from "../errors/SettingError.ts"
import * as Setting from "../schema/Setting.ts"
import { addressOf } from "./addressCounter.ts"
import type { KeyLimits, LimitedMember, LimitedMembers } from "./KeyLimits.ts"
import { LimiterError } from "./LimiterError.ts"
import { type CounterKind, LimiterStore, type Reservation } from "./LimiterStore.ts"
import type { LimitExceeded } from "./LimitExceeded.ts"
import { boundsOf } from "./memberBounds.ts"
import { Outage } from "./outage.ts"
import type * as ProjectLimits from "./ProjectLimits.ts"
import type { QuotaStatus } from "./quotaStatus.ts"
import { MAX } from "./whole.ts"

export { LimiterError } from "./LimiterError.ts"
export type { QuotaStatus } from "./quotaStatus.ts"

/**
 * The state in the health report. `store` is the result of the last question to the store; `untried` before the first.
 * A store outside this process is also asked every two seconds between calls.
 * `whenDown` is the treatment of calls while the store is down.
 */
export interface LimiterState {
  readonly store: "untried" | "up" | "down"
  readonly whenDown: "open" | "closed"
}

/**
 * An admitted call. It must be settled after its end, even if it failed.
 */
export interface LimiterAdmission {
  readonly _tag: "Admission"
  /** The store's reservation. Undefined if there is no limit, or if the store was down and `whenDown` is `open`. */
  readonly reservation: Reservation | undefined
}

/**
 * The functions of a limiter without Effects, for requests that have no fiber. Counts in memory need no waiting, and an
 * Effect would cost more than the counting.
 */
export interface PlainLimiter {
  /**
   * Does the same as `Limiter.admit`. If a store outside this process must be asked, takes nothing and returns
   * undefined.
   */
  readonly admit: (
    project: string,
    limits: ProjectLimits.ProjectLimits,
    credits: number,
    members: LimitedMembers | undefined
  ) => LimiterAdmission | LimitExceeded | undefined
  /** Does the same as `Limiter.admitAddress`; undefined if a store outside this process must be asked. */
  readonly admitAddress: (address: string) => LimiterAdmission | LimitExceeded | undefined
  /** Settles an admission that this `admit` returned. */
  readonly settle: (admission: LimiterAdmission, charged: number) => void
}

/**
 * The limiter.
 *
 * - `admit` takes the credits of a call or of a whole batch, or fails with the limit that is exceeded. `members` are
 *   the caller's key and user; their limits apply in addition to the limits of the project. Use `admit` in an
 *   `Effect.acquireUseRelease` whose release settles, so that an interrupted call is settled too.
 * - `settle` charges the final cost of the call, and frees its place. Settling an admission again does nothing.
 *   `settle` never fails: if the store cannot be reached, the credits stay taken.
 * - `admitAddress` takes one request from the bucket of an address, before the caller is known. Each IPv4 address has a
 *   bucket. IPv6 addresses share a bucket per /64 network, because one customer usually gets a whole /64 network.
 *
 * `LimiterError` means that the store is unreachable and `whenDown` is `closed`: the answer is 503
 * (`HttpRefusal.unavailable`).
 */
export class Limiter extends Context.Service<
  Limiter,
  {
    readonly admit: (
      project: string,
      limits: ProjectLimits.ProjectLimits,
      credits: number,
      members?: LimitedMembers
    ) => Effect.Effect<LimiterAdmission, LimitExceeded | LimiterError>
    readonly settle: (admission: LimiterAdmission, charged: number) => Effect.Effect<void>
    readonly admitAddress: (address: string) => Effect.Effect<void, LimitExceeded | LimiterError>
    /**
     * The same three functions without Effects, which the gateway calls instead. A spread does not copy them, so that a
     * service that replaces one of the three is not bypassed.
     */
    readonly plain?: PlainLimiter | undefined
    readonly state: () => LimiterState
    /** Returns a project's current use of its limits; undefined if the store is not available. */
    readonly standing: (project: string, limits: ProjectLimits.ProjectLimits) => Effect.Effect<QuotaStatus | undefined>
    /** Returns the current use of the limits of a project's key, whose rate is in requests, as `standing` does. */
    readonly keyStanding: (project: string, key: string, limits: KeyLimits) => Effect.Effect<QuotaStatus | undefined>
    /** Returns an account's current use of its limits, whose rate is in requests, as `standing` does. */
    readonly accountStanding: (account: string, limits: KeyLimits) => Effect.Effect<QuotaStatus | undefined>
  }
>()("@plumbline/gateway/Limiter") {}

const { defaulted, duration, integer, literal, optional, struct } = Setting

/** The settings of a limiter. */
export const fields = {
  whenDown: defaulted(
    literal(["closed", "open"], {
      description: "While limits cannot be counted: closed refuses calls, open lets them through uncounted.",
      default: "closed"
    })
  ),
  timeout: defaulted(duration({ description: "Maximum time for counting.", default: "250ms", most: 60_000 })),
  address: optional(
    struct(
      {
        requestsPerSecond: integer(1, MAX, { description: "Requests of one address in a second." }),
        burst: optional(integer(1, MAX, { description: "Requests of one address at once." }))
      },
      "Limits of one address, before the caller is known. Left out: no limit."
    )
  )
}

const settings = Schema.Struct(fields)

/**
 * Options of the limiter.
 */
export interface LimiterOptions extends Omit<Setting.OptionsOf<typeof settings.Type>, "address"> {
  readonly address?: { readonly requestsPerSecond: number; readonly burst?: number | undefined } | undefined
  /**
   * True to ask a store outside this process every two seconds between calls, so that an outage shows at once
   * (default: true).
   */
  readonly isProbed?: boolean | undefined
}

/**
 * The default options. `timeout` is in milliseconds.
 */
export const defaults = { ...Setting.defaultsOf(settings), isProbed: true }

/**
 * A limiter over a store.
 *
 * After a failure the store is not asked for 250 ms. Each further failure doubles this pause, up to 5 seconds. Each
 * pause is shortened by a random part of up to a half, so that processes do not ask at the same time. During the pause
 * `whenDown` decides without a delay. After the pause one call tries the store again.
 *
 * ```ts import.meta.vitest
 * import { Limiter, LimiterStore } from "@plumbline/gateway"
 * import { Effect, Layer } from "effect"
 *
 * const limits = { creditsPerDay: 100 }
 * const program = Effect.gen(function* () {
 *   const limiter = yield* Limiter.Limiter
 *   const admission = yield* limiter.admit("p1", limits, 80)
 *   const exceeded = yield* Effect.flip(limiter.admit("p1", limits, 80))
 *   // The node failed: the call is free, and there is room for another.
 *   yield* limiter.settle(admission, 0)
 *   yield* limiter.admit("p1", limits, 80)
 *   return exceeded._tag === "LimitExceeded" && exceeded.limit
 * })
 *
 * const layer = Limiter.layer().pipe(Layer.provide(LimiterStore.layerMemory()))
 * await Effect.runPromise(Effect.provide(program, layer)) // => "day"
 * ```
 */
export const layer = (options: LimiterOptions = {}): Layer.Layer<Limiter, SettingError, LimiterStore> =>
  Layer.effect(Limiter, make(options))

// Private: asks the store within a time limit.

const FREE: LimiterAdmission = Object.freeze({ _tag: "Admission", reservation: undefined })
const free: Exit.Exit<LimiterAdmission> = Exit.succeed(FREE)

const admissionOf = (reservation: Reservation): LimiterAdmission => ({ _tag: "Admission", reservation })

const isUnlimited = (limits: ProjectLimits.ProjectLimits): boolean =>
  limits.creditsPerSecond === undefined && limits.creditsPerDay === undefined && limits.concurrency === undefined

const make = Effect.fnUntraced(function* (options: LimiterOptions) {
  const store = yield* LimiterStore
  const outage = new Outage(yield* Clock.Clock, yield* Random.Random)
  const { address, timeout, whenDown } = yield* Effect.fromResult(
    Result.mapError(Setting.checkOptions(settings, options), Setting.settingError)
  )
  const addressLimits = address && {
    creditsPerSecond: address.requestsPerSecond,
    ...(address.burst === undefined ? {} : { burst: address.burst })
  }
  const timedOut = Effect.fail(new LimiterError({ reason: { _tag: "TimedOut", after: timeout } }))

  const bounded = <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<Exit.Exit<A, E | LimiterError>> =>
    Effect.exit(Running.timeoutOrElse(asked, { duration: timeout, orElse: () => timedOut })).pipe(
      Effect.onInterrupt(() => Effect.sync(() => outage.abandoned()))
    )

  const answered = <A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E> =>
    outage.answered() ? Effect.andThen(Effect.logInfo("the store of limits answers again"), exit) : exit

  const failed = <A, E>(error: LimiterError, instead: Exit.Exit<A, E>): Effect.Effect<A, E> =>
    outage.failed(error)
      ? Effect.andThen(Effect.logWarning("limits cannot be counted", error.message), instead)
      : instead

  const without = (error: LimiterError): Exit.Exit<LimiterAdmission, LimiterError> =>
    whenDown === "open" ? free : Exit.fail(error)

  const decided = (
    exit: Exit.Exit<Reservation, LimitExceeded | LimiterError>
  ): Effect.Effect<LimiterAdmission, LimitExceeded | LimiterError> => {
    if (exit._tag === "Success") return answered(Exit.succeed(admissionOf(exit.value)))
    const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
    if (error === undefined) {
      outage.abandoned()
      return exit as Exit.Exit<never>
    }
    return error._tag === "LimitExceeded" ? answered(Exit.fail(error)) : failed(error, without(error))
  }

  /** Takes the credits at once if the store is in this process; returns undefined for any other store. */
  const admitHere = (
    kind: CounterKind,
    id: string,
    limits: ProjectLimits.ProjectLimits,
    credits: number,
    members: LimitedMembers | undefined
  ): LimiterAdmission | LimitExceeded | undefined => {
    if (store.local === undefined) return undefined
    outage.answered()
    const taken = store.local.take(kind, id, limits, credits, members)
    return taken._tag === "Reservation" ? admissionOf(taken) : taken
  }

  const admit = (
    kind: CounterKind,
    id: string,
    limits: ProjectLimits.ProjectLimits,
    credits: number,
    members?: LimitedMembers
  ): Effect.Effect<LimiterAdmission, LimitExceeded | LimiterError> =>
    Effect.suspend(() => {
      const here = admitHere(kind, id, limits, credits, members)
      if (here !== undefined) return here._tag === "Admission" ? Exit.succeed(here) : Exit.fail(here)
      const suspended = outage.begin()
      if (suspended !== undefined) return without(suspended)
      return Effect.flatMap(bounded(store.take(kind, id, limits, credits, members)), decided)
    })

  /** Settles an admission. If that needs a store outside this process, returns the reservation to settle there. */
  const settleHere = (admission: LimiterAdmission, charged: number): Reservation | undefined => {
    const { reservation } = admission
    if (reservation === undefined) return undefined
    const { credits, day, members, slot } = reservation
    const isExact = charged === credits || (day === undefined && members === undefined)
    const isNoted = slot !== undefined || !isExact
    if (isNoted && store.local === undefined) return reservation
    ;(admission as { reservation: Reservation | undefined }).reservation = undefined
    if (isNoted) store.local!.settle(reservation, charged)
    return undefined
  }

  /** While the store is down, only calls may try to reach it, so this function does not ask it. */
  const look = (
    kind: CounterKind,
    id: string,
    limits: ProjectLimits.ProjectLimits,
    member?: Pick<LimitedMember, "id" | "kind">
  ): Effect.Effect<QuotaStatus | undefined> =>
    store.look === undefined || outage.state === "down"
      ? Effect.undefined
      : Effect.orElseSucceed(
          Running.timeoutOrElse(store.look(kind, id, limits, member), { duration: timeout, orElse: () => timedOut }),
          () => undefined
        )

  // A real decision, and not a ping: a store that answers but cannot count is down too.
  const probe = Effect.ignore(admit("address", PROBE, PROBED, 1))
  const wait = Effect.suspend(() => Effect.sleep(outage.state === "down" ? RETRIES : PROBES))
  if (store.local === undefined && (options.isProbed ?? defaults.isProbed))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(wait, probe)))

  const service = Limiter.of({
    admit: (project, limits, credits, members) =>
      members === undefined && isUnlimited(limits) ? free : admit("project", project, limits, credits, members),
    settle: (admission, charged) =>
      Effect.suspend(() => {
        const reservation = settleHere(admission, charged)
        if (reservation === undefined) return Effect.void
        ;(admission as { reservation: Reservation | undefined }).reservation = undefined
        // A settlement is tried even in a pause after a failure: until it succeeds, the store keeps the call's place.
        return Effect.flatMap(bounded(store.settle(reservation, charged)), (exit) => {
          if (exit._tag === "Success") return answered(Exit.void)
          const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
          return error === undefined ? (exit as Exit.Exit<never>) : failed(error, Exit.void)
        })
      }),
    admitAddress: (address) =>
      addressLimits === undefined ? Exit.void : Effect.asVoid(admit("address", addressOf(address), addressLimits, 1)),
    state: () => ({ store: outage.state, whenDown }),
    standing: (project, limits) => look("project", project, limits),
    keyStanding: (project, key, limits) => look("project", project, boundsOf(limits), { kind: "key", id: key }),
    accountStanding: (account, limits) => look("account", account, boundsOf(limits))
  })
  const plain: PlainLimiter = {
    admit: (project, limits, credits, members) =>
      members === undefined && isUnlimited(limits) ? FREE : admitHere("project", project, limits, credits, members),
    admitAddress: (address) =>
      addressLimits === undefined ? FREE : admitHere("address", addressOf(address), addressLimits, 1, undefined),
    settle: settleHere
  }
  // a service that spreads this one and replaces a function must not keep the plain form of the old function
  return Object.defineProperty(service, "plain", { value: plain })
})

/** The name under which a store is asked between calls. No address has this name. */
const PROBE = "probe"

/** The counts of these limits equal those of a new counter within a second, so the store soon forgets them. */
const PROBED: ProjectLimits.ProjectLimits = { creditsPerSecond: 1000 }

const PROBES = Duration.seconds(2)
/** A store that was only late is up again soon. During an outage the growing pauses decide when it is asked. */
const RETRIES = Duration.millis(250)
