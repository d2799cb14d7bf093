/** A first-in, first-out queue that one may leave from the middle. No operation takes longer in a longer queue. */

/** A value's place in a queue, to leave it by. */
export interface Place<A> {
  readonly value: A
  previous: Place<A>
  next: Place<A>
}

/** A ring of places. The anchor holds no value: what follows it is the first, what precedes it the last. */
export interface Queue<A> {
  readonly anchor: Place<A | undefined>
}

export const make = <A>(): Queue<A> => {
  const anchor = { value: undefined } as Place<A | undefined>
  anchor.previous = anchor
  anchor.next = anchor
  return { anchor }
}

export const first = <A>(queue: Queue<A>): A | undefined => queue.anchor.next.value

export const push = <A>({ anchor }: Queue<A>, value: A): Place<A | undefined> => {
  const place = { value, previous: anchor.previous, next: anchor }
  anchor.previous.next = place
  anchor.previous = place
  return place
}

/** Leaves the queue. To leave it twice does nothing. */
export const leave = <A>(place: Place<A>): void => {
  place.previous.next = place.next
  place.next.previous = place.previous
  place.previous = place
  place.next = place
}
