/** A value that is made when it is first asked for, and kept. */
export const lazy = <A extends object>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
