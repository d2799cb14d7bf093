/**
 * Sends the answers of an add in order. An answer about a pin is sent when the pin is durable. Pins that are made
 * shortly after each other become durable together.
 */
import type { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

import * as EmbeddedStore from "./embeddedStore.ts"
import type { StoredPin } from "./pinDatabase.ts"

export interface AddAnswers<Out> {
  /** Sends an answer, after all earlier answers. */
  readonly say: (out: Out) => Effect.Effect<void, IpfsNodeError>
  /** Sends an answer when the blocks of the work are durable. If there is a pin, it is durable then too. */
  readonly sayKept: (out: Out, kept: FlushEffects) => Effect.Effect<void, IpfsNodeError>
  /** Waits until all answers are sent. */
  readonly end: Effect.Effect<void, IpfsNodeError>
}

/** Maximum number of answers that wait for a flush of the disk. */
const MOST = 256

/** Maximum time in milliseconds that an answer waits to share a flush with others: about as long as a flush takes. */
const LONGEST = 4

/** The effects of one flush of the disk. */
export interface FlushEffects {
  /** The pin that becomes durable in the same flush as the blocks. */
  readonly pinned?: StoredPin | undefined
  /** Runs when the blocks are durable. */
  readonly after?: (() => void) | undefined
}

interface Waiting<Out> extends FlushEffects {
  readonly out: Out
}

/** Makes the `Answers` of a piece of work, which puts each answer into the queue. It ends with the scope. */
export const make = <Out, E>(
  store: EmbeddedStore.EmbeddedStore,
  work: EmbeddedStore.StoreWork,
  queue: Queue.Enqueue<Out, E | IpfsNodeError | Cause.Done>
): Effect.Effect<AddAnswers<Out>, never, Scope.Scope> =>
  Effect.map(Effect.scope, (scope) => {
    let waiting: Array<Waiting<Out>> = []
    const turns = Semaphore.makeUnsafe(1)

    const flush = Semaphore.withPermit(
      turns,
      Effect.suspend(() => {
        const group = waiting
        if (group.length === 0) return Effect.void
        waiting = []
        const changed = EmbeddedStore.pin(store, work, (pins) => {
          for (const { pinned } of group) if (pinned !== undefined) pins.set(pinned)
        })
        return Effect.flatMap(changed, () => {
          for (const { after } of group) after?.()
          return Queue.offerAll(
            queue,
            group.map(({ out }) => out)
          )
        })
      })
    )

    const inTime = Effect.catchCause(Effect.andThen(pause, flush), (cause) => Queue.failCause(queue, cause))

    const put = (one: Waiting<Out>): Effect.Effect<void, IpfsNodeError> =>
      Effect.suspend(() => {
        const count = waiting.push(one)
        if (count >= MOST) return flush
        return count === 1 ? Effect.asVoid(Effect.forkIn(inTime, scope)) : Effect.void
      })

    return {
      say: (out) =>
        Effect.suspend(() =>
          waiting.length === 0 ? Effect.asVoid(Semaphore.withPermit(turns, Queue.offer(queue, out))) : put({ out })
        ),
      sayKept: (out, kept) => put({ ...kept, out }),
      end: flush
    }
  })

/** Waits with the platform's timer, because the program's clock may be a test clock that stands still. */
const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), LONGEST)
  return Effect.sync(() => clearTimeout(timer))
})
