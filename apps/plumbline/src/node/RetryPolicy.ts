/**
 * The time that a command waits for a server, and the number of its tries.
 *
 * Only reads are repeated, and only after a failure that may be temporary: HTTP 429 (after Retry-After), 502, 503 and
 * 504, a connection that failed or broke, and a JSON-RPC error such as -32005. The command does not ask again if the
 * server was silent or its answer was refuted.
 */
import type * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import * as Retry from "@plumbline/jsonrpc-core/middleware/Retry"
import * as Timeout from "@plumbline/jsonrpc-core/middleware/Timeout"
import type * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"

import * as TerminalText from "../terminal/TerminalText.ts"
import { UsageError } from "../terminal/UsageError.ts"
import type { RetryFlags } from "./RetryFlags.ts"
import { UnfinishedError } from "./UnfinishedError.ts"

/** The settings from the flags. */
export interface RetryPolicy {
  readonly timeout: Duration.Duration
  readonly retries: number
}

const DEFAULT_SECONDS = 10
const DEFAULT_RETRIES = 4

/** A day: anything longer could overflow the timers of the platform. */
const MAX_SECONDS = 86_400
const MAX_RETRIES = 100

export const of = ({ retries, timeout }: RetryFlags): Result.Result<RetryPolicy, UsageError> => {
  const seconds = Option.match(timeout, { onNone: () => DEFAULT_SECONDS, onSome: decimal })
  if (!(seconds > 0 && seconds <= MAX_SECONDS)) {
    return usage(`--timeout must be a number of seconds, more than 0 and at most ${MAX_SECONDS}`)
  }
  const times = Option.match(retries, { onNone: () => DEFAULT_RETRIES, onSome: decimal })
  if (!(Number.isInteger(times) && times <= MAX_RETRIES)) {
    return usage(`--retries must be a whole number from 0 to ${MAX_RETRIES}`)
  }
  return Result.succeed({ timeout: Duration.millis(Math.max(1, Math.round(seconds * 1000))), retries: times })
}

/** Parses a number as a person writes it; NaN for anything else. */
const decimal = (text: string): number => (/^[0-9]{1,9}(?:\.[0-9]{1,9})?$/u.test(text) ? Number(text) : Number.NaN)

const usage = (problem: string): Result.Result<never, UsageError> => Result.fail(new UsageError({ problem }))

/**
 * Returns the middleware for a node. It repeats a failed question within the timeout, and fails with the last error if
 * no time is left for another try. `tell` writes to a waiting person's terminal.
 */
export const middleware = ({ retries, timeout }: RetryPolicy, tell: NotifyWait): Transport.Middleware => {
  const retry = Retry.make({
    times: retries,
    initial: FIRST_WAIT,
    maxDelay: timeout,
    within: timeout,
    // a timeout leaves no time for another try
    while: (error) => error.retryable && error.reason._tag !== "TimeoutError",
    onWait: (wait) => tell(notice({ ...wait, why: wait.error.reason.message }))
  })
  const within = Timeout.make(timeout)
  return (transport) => within(retry(transport))
}

/** Returns the options of a client of IPFS. */
export const ofIpfs = Effect.fnUntraced(function* (flags: RetryFlags & { readonly json: boolean }) {
  const policy = yield* Effect.fromResult(of(flags))
  const tell = yield* waitProgress(flags.json)
  const options: Pick<IpfsClient.IpfsClientOptions, "timeout" | "retries" | "onWait"> = {
    ...policy,
    onWait: (wait) => tell(notice({ ...wait, why: wait.error.reason.message }))
  }
  return options
})

/**
 * Bounds a whole read by `--timeout`, however steadily bytes arrive. Without the flag, nothing bounds the whole: the
 * default limits the silence of a server, because content can be long.
 */
export const whole =
  (flags: RetryFlags) =>
  <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E | UsageError | UnfinishedError, R> =>
    Option.isNone(flags.timeout)
      ? read
      : Effect.flatMap(Effect.fromResult(of(flags)), ({ timeout }) =>
          Effect.timeoutOrElse(read, {
            duration: timeout,
            orElse: () => Effect.fail(new UnfinishedError({ problem: "TimedOut", after: timeout }))
          })
        )

/** The longest wait before the second try; each further wait is up to twice as long. */
const FIRST_WAIT: Duration.Duration = Duration.millis(250)

/** The waits between tries, for work whose client does not retry by itself. */
export const waits = Schedule.jittered(Schedule.exponential(FIRST_WAIT))

/** Prints the reason for the wait on standard error, if it is a terminal. */
export type NotifyWait = (line: string) => Effect.Effect<void>

/** Writes to standard error if it is a terminal and `isQuiet` is false. */
export const waitProgress = Effect.fnUntraced(function* (isQuiet: boolean) {
  const stdio = yield* Stdio.Stdio
  if (isQuiet || !(yield* stdio.stderrIsTerminal)) return silently
  const tell: NotifyWait = (line) =>
    // a closed terminal must not stop the command
    Effect.ignore(Stream.run(Stream.succeed(`\r\u001b[K${line}\n`), stdio.stderr({ endOnDone: false })))
  return tell
})

const silently: NotifyWait = () => Effect.void

/** Returns the reason for a wait: `HTTP status 503; asking again in 0.2 s (try 2 of 5)`. */
export const notice = ({ duration, left, tried, why }: RetryWait): string => {
  const seconds = (Duration.toMillis(duration) / 1000).toFixed(1)
  return `${TerminalText.printable(TerminalText.withoutKeys(why))}; asking again in ${seconds} s (try ${tried + 1} of ${tried + left})`
}

/** A wait before another try: its reason, how many tries have failed, and how many may follow. */
interface RetryWait {
  readonly why: string
  readonly tried: number
  readonly left: number
  readonly duration: Duration.Duration
}
