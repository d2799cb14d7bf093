/** Texts in 32 bytes: the characters as UTF-8, and zeros behind them. */
import * as Hex from "@plumbline/codec/hex/Hex"

/** Returns the text; undefined if the data is not one such word. The encoding of a `string` is never one word. */
export const read = (data: Hex.Hex): string | undefined => {
  if (Hex.size(data) !== 32 || !Hex.isHex(data)) return undefined
  const bytes = Hex.toBytesUnsafe(data)
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  if (bytes.subarray(0, end).includes(0)) return undefined
  try {
    return decoder.decode(bytes.subarray(0, end))
  } catch {
    return undefined
  }
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
