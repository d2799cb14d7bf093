/** What a subscriber has not read yet: a bounded buffer that says where something is missing. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

import type { JsonRpcError } from "../JsonRpcError.ts"
import type { Event } from "../Subscription.ts"

/** Bounds of a buffer; the bytes are those of the messages that brought the items. */
export interface Limits {
  readonly items: number
  readonly bytes: number
}

export interface Hooks {
  /** Takes what must not run before the session's books are in order, such as the reader. */
  readonly defer: (work: () => void) => void
  /** Told when the buffer has become half full, and when it is empty again. */
  readonly press: (isPressing: boolean) => void
}

export interface Events {
  readonly push: (value: unknown, size: number) => void
  /** Notes that the subscription was made anew. */
  readonly reconnected: () => void
  /** Notes that items were thrown away. */
  readonly lost: (missed: number) => void
  /** Ends the events, after those that are there. */
  readonly fail: (error: JsonRpcError) => void
  /** Takes over what another buffer holds. */
  readonly adopt: (other: Events) => void
  readonly take: () => Taken
  /** All that is there, or the next as soon as it comes. */
  readonly pull: Effect.Effect<Arr.NonEmptyReadonlyArray<Event<unknown>>, JsonRpcError>
}

interface Entry {
  readonly event: Event<unknown>
  readonly size: number
}

interface Taken {
  readonly entries: ReadonlyArray<Entry>
  readonly failure: JsonRpcError | undefined
}

const RECONNECTED: Event<never> = { _tag: "Gap", cause: "reconnected" }

/** An empty buffer. When it is full the oldest item makes room, and is counted. */
export const make = (limits: Limits, hooks: Hooks): Events => {
  let entries: Array<Entry> = []
  // Entries before it are gone: to move the others for each of them would take time.
  let head = 0
  let items = 0
  let bytes = 0
  // What is missing before the first entry.
  let missed = 0
  let hasReconnected = false
  let isPressing = false
  let failure: JsonRpcError | undefined
  let reader: (() => void) | undefined

  const wake = (): void => {
    if (reader !== undefined) {
      hooks.defer(reader)
      reader = undefined
    }
  }

  const press = (): void => {
    const isHalfFull = items * 2 >= limits.items || bytes * 2 >= limits.bytes
    if (isPressing ? items === 0 : isHalfFull) {
      isPressing = !isPressing
      hooks.press(isPressing)
    }
  }

  const loseOldest = (): void => {
    const { event, size } = entries[head]!
    head++
    if (event._tag === "Item") {
      missed++
      items--
      bytes -= size
    } else if (event.cause === "reconnected") {
      hasReconnected = true
    } else {
      missed += event.missed
    }
    if (head > 64 && head * 2 > entries.length) {
      entries = entries.slice(head)
      head = 0
    }
  }

  const add = (entry: Entry): void => {
    entries.push(entry)
    if (entry.event._tag === "Item") {
      items++
      bytes += entry.size
      while (items > limits.items || bytes > limits.bytes) {
        loseOldest()
      }
      press()
    }
    wake()
  }

  const fail = (error: JsonRpcError): void => {
    failure ??= error
    wake()
  }

  const take = (): Taken => {
    const taken = head === 0 ? entries : entries.slice(head)
    if (hasReconnected) {
      taken.unshift({ event: RECONNECTED, size: 0 })
    }
    if (missed > 0) {
      taken.unshift({ event: { _tag: "Gap", cause: "overflow", missed }, size: 0 })
    }
    entries = []
    head = items = bytes = missed = 0
    hasReconnected = false
    press()
    return { entries: taken, failure }
  }

  const pull: Events["pull"] = Effect.suspend(() => {
    const events = take().entries.map((entry) => entry.event)
    if (Arr.isArrayNonEmpty(events)) {
      return Effect.succeed(events)
    }
    if (failure !== undefined) {
      return Effect.fail(failure)
    }
    return Effect.callback((resume) => {
      reader = () => resume(pull)
      return Effect.sync(() => {
        reader = undefined
      })
    })
  })

  return {
    push: (value, size) => add({ event: { _tag: "Item", value }, size }),
    reconnected: () => {
      const last = entries.length > head ? entries.at(-1)!.event : hasReconnected ? RECONNECTED : undefined
      if (last !== RECONNECTED) {
        add({ event: RECONNECTED, size: 0 })
      }
    },
    lost: (missed) => add({ event: { _tag: "Gap", cause: "overflow", missed }, size: 0 }),
    fail,
    adopt: (other) => {
      const taken = other.take()
      taken.entries.forEach(add)
      if (taken.failure !== undefined) {
        fail(taken.failure)
      }
    },
    take,
    pull
  }
}
