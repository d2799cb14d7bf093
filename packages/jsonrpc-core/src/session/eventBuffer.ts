/** A bounded buffer for the unread events of a subscriber. The buffer marks the places where items are missing. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { SubscriptionEvent } from "../method/Subscription.ts"

/** Bounds of a buffer. Bytes are counted over the messages that contained the items. */
export interface EventBufferLimits {
  readonly items: number
  readonly bytes: number
}

export interface EventBufferHooks {
  /** Defers work, such as the reader's, that must wait until the session's state is consistent. */
  readonly defer: (work: () => void) => void
  /** Called with true when the buffer becomes half full, and with false when it is empty again. */
  readonly press: (isPressing: boolean) => void
}

export interface EventBuffer {
  readonly push: (value: unknown, size: number) => void
  /** Records that the subscription was made again. */
  readonly reconnected: () => void
  /** Records that items were dropped. */
  readonly lost: (missed: number) => void
  /** Ends the events with an error, after the buffered events. */
  readonly fail: (error: JsonRpcError) => void
  /** Adds the content of another buffer. */
  readonly adopt: (other: EventBuffer) => void
  readonly take: () => TakenEvents
  /** Returns all events in the buffer, or the next one as soon as it comes. */
  readonly pull: Effect.Effect<Arr.NonEmptyReadonlyArray<SubscriptionEvent<unknown>>, JsonRpcError>
}

/** A gap: the items that are missing at one place of the stream. */
interface Gap {
  readonly missed: number
  readonly hasReconnected: boolean
}

interface BufferedEvent {
  /** The gap before the item. */
  readonly gap: Gap
  readonly value: unknown
  readonly size: number
}

interface TakenEvents {
  readonly entries: ReadonlyArray<BufferedEvent>
  /** The gap after the newest item, if items are missing there. */
  readonly gap: Gap
  readonly failure: JsonRpcError | undefined
}

const NO_GAP: Gap = { missed: 0, hasReconnected: false }
const RECONNECTED: Gap = { missed: 0, hasReconnected: true }

const join = (one: Gap, other: Gap): Gap =>
  other === NO_GAP
    ? one
    : { missed: one.missed + other.missed, hasReconnected: one.hasReconnected || other.hasReconnected }

/**
 * Makes an empty buffer. When it is full, the oldest item is dropped and counted.
 *
 * Gaps without an item between them are merged into one, so the number of gaps is bounded too.
 */
export const make = (limits: EventBufferLimits, hooks: EventBufferHooks): EventBuffer => {
  let entries: Array<BufferedEvent> = []
  // Entries before `head` are removed. Moving the other entries at each removal would be slow.
  let head = 0
  let bytes = 0
  // The gap after the last entry.
  let gap = NO_GAP
  let isPressing = false
  let failure: JsonRpcError | undefined
  let reader: (() => void) | undefined

  const items = (): number => entries.length - head

  const wake = (): void => {
    if (reader !== undefined) {
      hooks.defer(reader)
      reader = undefined
    }
  }

  const press = (): void => {
    const isHalfFull = items() * 2 >= limits.items || bytes * 2 >= limits.bytes
    if (isPressing ? items() === 0 : isHalfFull) {
      isPressing = !isPressing
      hooks.press(isPressing)
    }
  }

  const loseOldest = (): void => {
    const oldest = entries[head]!
    const lost = { missed: oldest.gap.missed + 1, hasReconnected: oldest.gap.hasReconnected }
    head++
    bytes -= oldest.size
    const next = entries[head]
    if (next === undefined) {
      gap = join(lost, gap)
    } else {
      entries[head] = { ...next, gap: join(lost, next.gap) }
    }
    if (head > 64 && head * 2 > entries.length) {
      entries = entries.slice(head)
      head = 0
    }
  }

  const push = (value: unknown, size: number): void => {
    entries.push({ gap, value, size })
    gap = NO_GAP
    bytes += size
    while (items() > limits.items || bytes > limits.bytes) {
      loseOldest()
    }
    press()
    wake()
  }

  const widen = (more: Gap): void => {
    if (more !== NO_GAP) {
      gap = join(gap, more)
      wake()
    }
  }

  const fail = (error: JsonRpcError): void => {
    failure ??= error
    wake()
  }

  const take = (): TakenEvents => {
    const taken: TakenEvents = { entries: head === 0 ? entries : entries.slice(head), gap, failure }
    entries = []
    head = bytes = 0
    gap = NO_GAP
    press()
    return taken
  }

  const pull: EventBuffer["pull"] = Effect.suspend(() => {
    const events = eventsOf(take())
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
    push,
    reconnected: () => widen(RECONNECTED),
    lost: (missed) => widen({ missed, hasReconnected: false }),
    fail,
    adopt: (other) => {
      const taken = other.take()
      for (const entry of taken.entries) {
        widen(entry.gap)
        push(entry.value, entry.size)
      }
      widen(taken.gap)
      if (taken.failure !== undefined) {
        fail(taken.failure)
      }
    },
    take,
    pull
  }
}

const eventsOf = ({ entries, gap }: TakenEvents): Array<SubscriptionEvent<unknown>> => {
  const events: Array<SubscriptionEvent<unknown>> = []
  for (const entry of entries) {
    pushGap(events, entry.gap)
    events.push({ _tag: "Item", value: entry.value })
  }
  pushGap(events, gap)
  return events
}

const pushGap = (events: Array<SubscriptionEvent<unknown>>, { hasReconnected, missed }: Gap): void => {
  if (missed > 0) {
    events.push({ _tag: "Gap", cause: "overflow", missed })
  }
  if (hasReconnected) {
    events.push({ _tag: "Gap", cause: "reconnected" })
  }
}
