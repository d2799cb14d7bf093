/** Throws unless the two are the same text, number, bigint or boolean. */
export const expectSame = (what: string, got: unknown, expected: unknown): void => {
  if (got !== expected) throw new Error(`${what}: expected ${String(expected)}, got ${String(got)}`)
}
