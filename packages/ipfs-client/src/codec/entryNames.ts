/**
 * Names of entries and targets of symlinks: bytes in blocks, text in programs.
 *
 * A text and its UTF-8 bytes are the same name, byte order marks included. Bytes that are not UTF-8 have no text.
 * Programs then get the bytes, and a text with U+FFFD for each byte that is not part of a character, as Go's
 * `encoding/json` writes it.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** A name: its text and, if it is not UTF-8, its bytes. */
export interface EntryName {
  readonly text: string
  readonly bytes: Uint8Array | undefined
}

/** Both decoders keep a byte order mark, which is a character of the name like any other. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = /* @__PURE__ */ new TextEncoder()

/** Decodes UTF-8. Returns `undefined` if the bytes are not UTF-8. */
export const strict = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Decodes UTF-8 character by character, with `undefined` for each byte that is not part of a character. */
export const characters = (bytes: Uint8Array): ReadonlyArray<string | undefined> => {
  const found: Array<string | undefined> = []
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at)
    found.push(length === 0 ? undefined : decoder.decode(bytes.subarray(at, at + length)))
    at += Math.max(1, length)
  }
  return found
}

/**
 * Returns the number of bytes of the character at an index, or 0 if no character begins there. The decoder is not asked,
 * because each of its refusals is an exception, and the maker of a block chooses their number.
 *
 * Source: the Unicode Standard, table 3-7.
 */
const lengthAt = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at]!
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  if (length === 0 || at + length > bytes.length) return 0
  const second = bytes[at + 1]!
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  if (second < lowest || second > highest) return 0
  for (let i = 2; i < length; i++) {
    if (bytes[at + i]! >> 6 !== 2) return 0
  }
  return length
}

/**
 * Returns text for display: each byte that is not part of a character becomes U+FFFD, so two names can look the same.
 */
export const shown = (bytes: Uint8Array): string => {
  const whole = strict(bytes)
  if (whole !== undefined) return whole
  const parts: Array<string> = []
  let from = 0
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at)
    if (length === 0) {
      if (from < at) parts.push(decoder.decode(bytes.subarray(from, at)))
      parts.push("\ufffd")
      from = at + 1
    }
    at += Math.max(1, length)
  }
  if (from < bytes.length) parts.push(decoder.decode(bytes.subarray(from)))
  return parts.join("")
}

/** Makes a name from its bytes. */
export const ofBytes = (bytes: Uint8Array): EntryName => {
  const text = strict(bytes)
  return text === undefined ? { text: shown(bytes), bytes } : { text, bytes: undefined }
}

/**
 * Makes a name from a program's text or bytes. Returns `undefined` for a text with half a surrogate pair, because that
 * text has no UTF-8.
 */
export const of = (given: string | Uint8Array): EntryName | undefined =>
  typeof given !== "string" ? ofBytes(given) : given.isWellFormed() ? { text: given, bytes: undefined } : undefined

/** Returns the bytes of a name. */
export const toBytes = ({ bytes, text }: EntryName): Uint8Array => bytes ?? encoder.encode(text)

/** Appends a slash and a name to a path. */
export const under = (path: EntryName, name: EntryName): EntryName => {
  const text = `${path.text}/${name.text}`
  return path.bytes === undefined && name.bytes === undefined
    ? { text, bytes: undefined }
    : { text, bytes: Bytes.join([toBytes(path), Uint8Array.of(SLASH), toBytes(name)]) }
}

/** True if the bytes can be a name in a path and the name of a file. Such a name cannot lead out of a folder. */
export const isSegment = (name: Uint8Array): boolean =>
  name.length > 0 &&
  !(name[0] === DOT && (name.length === 1 || (name.length === 2 && name[1] === DOT))) &&
  !name.includes(SLASH) &&
  !name.includes(0)

const DOT = 0x2e
const SLASH = 0x2f
