/** The slow search for a fault, used only for text that a quick check has refused. */
import * as HexDigits from "./hexDigits.ts"
import { HexError } from "./HexError.ts"

/**
 * Returns the error of text that is not data of `size` bytes (of any size if undefined). Call it only for such text.
 */
export const explain = (value: string, size?: number): HexError => {
  if (!HexDigits.hasPrefix(value)) return new HexError({ reason: "MissingPrefix", index: 0 })
  const bad = HexDigits.firstBadDigit(value, 2)
  if (bad >= 0) return new HexError({ reason: "BadDigit", index: bad })
  if (value.length % 2 !== 0) return new HexError({ reason: "OddDigits", index: value.length })
  return new HexError({
    reason: "WrongSize",
    index: value.length,
    size: (value.length - 2) / 2,
    ...(size === undefined ? {} : { expectedSize: size })
  })
}
