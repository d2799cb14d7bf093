/** Long work as a generator: it yields after each step, and returns its result. */

/** Work that yields between its steps. Each step takes at most a few milliseconds. */
export type Steps<A> = Generator<undefined, A, undefined>

/** Number of values or links of a block that one step handles, about one millisecond of work. */
export const STEP = 1024

/** Runs all steps one after the other, and returns the result. */
export const now = <A>(steps: Steps<A>): A => {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** Returns the items in order, in steps. Items that compare as equal keep their order. */
export function* sorted<A>(items: ReadonlyArray<A>, compare: (a: A, b: A) => number): Steps<ReadonlyArray<A>> {
  let runs: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < items.length; at += STEP) {
    if (at > 0) yield
    runs.push(items.slice(at, at + STEP).sort(compare))
  }
  while (runs.length > 1) {
    const merged: Array<ReadonlyArray<A>> = []
    for (let i = 0; i < runs.length; i += 2) merged.push(yield* merge(runs[i]!, runs[i + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  compare: (a: A, b: A) => number
): Steps<ReadonlyArray<A>> {
  const merged: Array<A> = []
  for (let l = 0, r = 0; l < left.length || r < right.length;) {
    if (merged.length % (8 * STEP) === 8 * STEP - 1) yield
    const isLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0)
    merged.push(isLeft ? left[l++]! : right[r++]!)
  }
  return merged
}
