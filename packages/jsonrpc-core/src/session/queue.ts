/** A first-in, first-out queue whose members can also leave from the middle. Every operation takes constant time. */

/** The place of a value in a queue, by which the value can be removed. */
export interface QueuePlace<A> {
  readonly value: A
  previous: QueuePlace<A>
  next: QueuePlace<A>
}

/**
 * A ring of places. The anchor holds no value: the place after the anchor is the first, and the place before the anchor
 * is the last.
 */
export interface Queue<A> {
  readonly anchor: QueuePlace<A | undefined>
}

export const make = <A>(): Queue<A> => {
  const anchor = { value: undefined } as QueuePlace<A | undefined>
  anchor.previous = anchor
  anchor.next = anchor
  return { anchor }
}

export const first = <A>(queue: Queue<A>): A | undefined => queue.anchor.next.value

export const push = <A>({ anchor }: Queue<A>, value: A): QueuePlace<A | undefined> => {
  const place = { value, previous: anchor.previous, next: anchor }
  anchor.previous.next = place
  anchor.previous = place
  return place
}

/** Removes a place from its queue. Removing it twice has no further effect. */
export const leave = <A>(place: QueuePlace<A>): void => {
  place.previous.next = place.next
  place.next.previous = place.previous
  place.previous = place
  place.next = place
}
