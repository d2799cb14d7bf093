/** Makes values on their first use. */

/** Returns a function that makes the value on its first call, and returns the same value after that. */
export const lazy = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
