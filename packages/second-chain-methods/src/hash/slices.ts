/** Work in slices, between which the runner may do something else. */

/** Work that rests at each `yield`, and returns its result at the end. */
export type Slices<A> = Generator<void, A, void>

/** Runs slices to the end without a rest, and returns their result. */
export const whole = <A>(slices: Slices<A>): A => {
  for (;;) {
    const { done, value } = slices.next()
    if (done === true) return value
  }
}
