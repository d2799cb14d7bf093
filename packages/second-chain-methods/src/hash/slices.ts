/** Work in slices: between them whoever runs it may do something else. */

/** Ends with the result, and rests at each `yield`. */
export type Slices<A> = Generator<void, A, void>

/** The result of slices without a rest between them. */
export const whole = <A>(slices: Slices<A>): A => {
  for (;;) {
    const { done, value } = slices.next()
    if (done === true) return value
  }
}
