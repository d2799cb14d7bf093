/** Runs one client against one fault. */
import { Duration, Effect, Latch, Stream } from "effect"

import { escaped, type Seen, shown, unsettled } from "./clientObservation.ts"
import type { Client, Contender } from "./contender.ts"
import * as Escape from "./escape.ts"
import { type Fault, LAST_HEAD, type Read } from "./fault.ts"
import * as Server from "./faultyServer.ts"
import { question, type Truth } from "./liveAnswers.ts"

export interface Outcome {
  /** One observation for each call, in order. */
  readonly seen: ReadonlyArray<Seen>
  /** The number of times that the client asked. */
  readonly tries: number
  readonly milliseconds: number
}

/**
 * A pause between two calls, so that the server's reaction to the first call arrives before the second. It consists of
 * many short waits, so that sockets are served in between even on a slow machine.
 */
const PAUSE = Effect.repeat(Effect.sleep(5), { times: 20 })

/** The time that a call may take, including the client's retries. A client that is not done by then is stopped. */
const LIMIT = Duration.seconds(8)

export const run = (fault: Fault, { open, over }: Contender, truth: Truth): Effect.Effect<Outcome> =>
  Effect.gen(function* () {
    const server = yield* Server.make(fault.server, truth)
    const hasEscaped = Latch.makeUnsafe()
    const client = yield* open(server, {
      // Over HTTP, any text is an answer, so no client needs a short timeout.
      patience: over === "Http" && fault.server._tag === "Saying" ? undefined : fault.patience,
      heartbeat: fault.heartbeat,
      batch: fault.read === "three",
      proven: fault.proven === true,
      guard: Escape.guard(() => void hasEscaped.openUnsafe())
    })
    const [time, seen] = yield* perform(fault.read, client).pipe(
      Effect.raceFirst(Effect.as(hasEscaped.await, [escaped])),
      Effect.timed
    )
    return { seen, tries: server.tries(), milliseconds: Duration.toMillis(time) }
  }).pipe(Effect.scoped)

const perform = (read: Read, client: Client): Effect.Effect<ReadonlyArray<Seen>> => {
  switch (read) {
    case "three":
      return Effect.forEach(question.transactions, (hash) => limited(client.transaction(hash)), {
        concurrency: "unbounded"
      })
    case "twice":
      return Effect.forEach(question.transactions.slice(0, 2), (hash) =>
        Effect.andThen(PAUSE, limited(client.transaction(hash)))
      )
    case "transaction":
      return one(client.transaction(question.transaction))
    case "block":
      return one(client.block(question.block))
    case "slot":
    case "account":
      return one(client[read])
    case "heads":
      return follow(client.heads ?? Stream.die("heads are for WebSocket"))
  }
}

const one = (call: Effect.Effect<Seen>) => Effect.map(limited(call), (seen) => [seen])

const limited = (call: Effect.Effect<Seen>): Effect.Effect<Seen> =>
  Effect.timeoutOrElse(call, { duration: LIMIT, orElse: () => Effect.succeed(unsettled) })

/**
 * Follows the heads until the last one or an error. If a head never arrives, the wait for it ends after the time limit
 * of one call.
 */
const follow = (heads: Stream.Stream<Seen>): Effect.Effect<ReadonlyArray<Seen>> =>
  Effect.suspend(() => {
    const seen: Array<Seen> = []
    return heads.pipe(
      Stream.takeUntil((each) => each._tag === "Failed" || (each._tag === "Value" && each.shown === `${LAST_HEAD}`)),
      Stream.runForEach((each) => Effect.sync(() => void seen.push(each))),
      Effect.timeoutOrElse({ duration: LIMIT, orElse: () => Effect.sync(() => void seen.push(unsettled)) }),
      Effect.map(() => seen)
    )
  })

/** Returns the output of a run without faults. */
export const trueShown = (read: Read, truth: Truth): ReadonlyArray<string> => {
  switch (read) {
    case "three":
      return truth.transactions.map(shown.transaction)
    case "twice":
      return truth.transactions.slice(0, 2).map(shown.transaction)
    case "transaction":
      return [shown.transaction(truth.transaction)]
    case "block":
      return [shown.block(truth.block)]
    case "slot":
      return [shown.slot(truth.slot)]
    case "account":
      return [shown.account(truth.proof)]
    case "heads":
      return Array.from({ length: LAST_HEAD }, (_, index) => `${index + 1}`)
  }
}
