/** Computes the length of an RLP encoding without writing the encoding (Yellow Paper, appendix B). */

/** Returns the length of an RLP list, or of a string of 2 bytes or more, with this many bytes of payload. */
export const withHead = (payload: number): number => {
  if (payload < 56) return payload + 1
  let bytes = 1
  for (let rest = payload; rest > 255; rest = Math.floor(rest / 256)) bytes++
  return payload + 1 + bytes
}
