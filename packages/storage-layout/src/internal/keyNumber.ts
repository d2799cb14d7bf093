import type { Key } from "../Path.ts"

/** The number that a key is, if it is one. */
export const number = (key: Key): bigint | undefined =>
  key._tag === "Number" ? key.value : key._tag === "Hex" && key.digits.length > 2 ? BigInt(key.digits) : undefined
