/** Reads keys of a path as numbers. */
import type { PathKey } from "./Path.ts"

/** Returns the number that a key stands for, or undefined if it is not a number. */
export const number = (key: PathKey): bigint | undefined =>
  key._tag === "Number" ? key.value : key._tag === "Hex" && key.digits.length > 2 ? BigInt(key.digits) : undefined
