/** Checks the forms of values that the interface documents. */
import { assert } from "@effect/vitest"

/** A string that starts with 0x, followed by hexadecimal digits; a quantity has no leading zeros (EIP-1474). */
const quantity = /^0x(?:0|[1-9a-f][0-9a-f]*)$/u

export const isQuantity = (value: unknown): void => assert.match(String(value), quantity)

export const isData = (value: unknown): void => assert.match(String(value), /^0x(?:[0-9a-f]{2})*$/u)

export const isBytes = (length: number, value: unknown): void =>
  assert.match(String(value), new RegExp(`^0x[0-9a-f]{${2 * length}}$`, "u"))
