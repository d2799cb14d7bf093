/** Divides work into slices, between which the runner may do other work. */

/** Work that pauses at each `yield`, and returns its result at the end. */
export type Slices<A> = Generator<void, A, void>

/** Runs all slices without a pause, and returns their result. */
export const whole = <A>(slices: Slices<A>): A => {
  for (;;) {
    const { done, value } = slices.next()
    if (done === true) return value
  }
}
