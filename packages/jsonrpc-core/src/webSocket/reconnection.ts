/**
 * Keeps a session connected: dials when a connection is needed, checks that the peer is alive, and waits between tries.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Latch from "effect/Latch"
import * as Random from "effect/Random"
import * as Result from "effect/Result"

import { type Reason, TransportError } from "../error/JsonRpcError.ts"
import * as Backoff from "../time/Backoff.ts"
import * as Monotonic from "../time/Monotonic.ts"
import * as SocketLink from "./socketLink.ts"

export interface ReconnectionOptions extends SocketLink.SocketLinkOptions {
  readonly connectTimeout: Duration.Duration
  readonly heartbeat: Heartbeat | undefined
  readonly backoff: Backoff.Backoff
  /** Opened when there is a reason to connect. */
  readonly wanted: Latch.Latch
}

/** Milliseconds of silence until the peer is probed, and milliseconds after the probe until the peer counts as dead. */
export interface Heartbeat {
  readonly interval: number
  readonly timeout: number
}

/** The wait between the end of a connection and the next try. */
export const DEFAULT_BACKOFF: Backoff.Backoff = { initial: 100, factor: 2, max: 30_000, jitter: 0.5 }

/** Runs until it is interrupted. The interruption closes the connection. */
export const run = (options: ReconnectionOptions): Effect.Effect<never> =>
  Effect.gen(function* () {
    const { backoff, session, wanted } = options
    let failures = 0
    while (true) {
      wanted.closeUnsafe()
      if (!session.isWanted()) {
        yield* wanted.await
      }
      const { age, reason } = yield* connect(options)
      if (age === undefined) {
        session.refuse(reason)
      } else if (age >= backoff.max) {
        failures = 0
      }
      yield* Effect.sleep(delay(backoff, failures, yield* Random.next, reason))
      failures++
    }
  })

/** The end of a connection: its reason, and the milliseconds that it was open, or `undefined` if it never opened. */
interface ConnectionEnd {
  readonly reason: Reason
  readonly age: number | undefined
}

const connect = (options: ReconnectionOptions): Effect.Effect<ConnectionEnd> =>
  Effect.acquireUseRelease(
    Effect.sync(() => SocketLink.make(options)),
    (made) =>
      Result.isSuccess(made) ? follow(made.success, options) : Effect.succeed({ reason: made.failure, age: undefined }),
    // The exit is a failure only if the program interrupts. In that case the connection still works, so the peer gets a
    // closing handshake.
    (made, exit) =>
      Effect.sync(() => {
        if (Result.isSuccess(made)) {
          made.success.release(exit._tag === "Success" ? "drop" : "close")
        }
      })
  )

const follow = (
  link: SocketLink.SocketLink,
  { clock, connectTimeout, heartbeat }: ReconnectionOptions
): Effect.Effect<ConnectionEnd> =>
  link.opened.pipe(
    Effect.timeoutOrElse({ duration: connectTimeout, orElse: () => Effect.fail(noConnection(connectTimeout)) }),
    Effect.andThen(heartbeat === undefined ? link.ended : Effect.raceFirst(link.ended, listen(link, clock, heartbeat))),
    Effect.flip,
    Effect.map((failed) => {
      // The status of the refusal is known, even if its body never arrives.
      const reason =
        failed._tag === "TransportError" && failed.status === undefined ? (link.refusal() ?? failed) : failed
      link.end(reason)
      return { reason, age: link.age() }
    })
  )

/** Listens until the peer is dead, and then fails. */
const listen = (
  link: SocketLink.SocketLink,
  clock: Clock.Clock,
  { interval, timeout }: Heartbeat
): Effect.Effect<never, Reason> =>
  Effect.gen(function* () {
    while (true) {
      const heardAt = link.heardAt()
      const silence = Monotonic.millis(clock) - heardAt
      if (silence < interval) {
        yield* Effect.sleep(interval - silence)
        continue
      }
      link.probe()
      yield* Effect.sleep(timeout)
      if (link.heardAt() === heardAt) {
        return yield* Effect.fail(SocketLink.lost("no sign of life"))
      }
    }
  })

const noConnection = (after: Duration.Duration): TransportError =>
  new TransportError({ detail: `no connection within ${Duration.format(after)}`, retryable: true })

/** Returns the wait before the next try: the wait that the peer asked for, if that is longer than the usual one. */
const delay = (backoff: Backoff.Backoff, failures: number, random: number, reason: Reason): number => {
  const asked = reason._tag === "TransportError" && reason.retryAfter ? Duration.toMillis(reason.retryAfter) : 0
  return Math.max(Backoff.delay(backoff, failures, random), Math.min(asked, backoff.max))
}
