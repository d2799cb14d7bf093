/** Parses text by the rules of Go, because Kubo does. The result is undefined if Go would refuse the text. */
import * as path from "node:path"

/** Parses a boolean as `strconv.ParseBool` does. An empty text is true, as in go-ipfs-cmds: `?pin`. */
export const parseBool = (text: string): boolean | undefined => {
  switch (text) {
    case "":
    case "1":
    case "t":
    case "T":
    case "true":
    case "TRUE":
    case "True":
      return true
    case "0":
    case "f":
    case "F":
    case "false":
    case "FALSE":
    case "False":
      return false
  }
  return undefined
}

/**
 * Parses an integer as `strconv.ParseInt` with base 0 does: decimal, or in the base of its prefix. A leading zero means
 * octal, as in `mode=0644`.
 */
export const parseInteger = (text: string): number | undefined => {
  const match = /^([+-]?)(?:(0x[0-9a-f]+|0b[01]+)|0o?([0-7]+)|(0|[1-9][0-9]*))$/iu.exec(text)
  if (match === null) return undefined
  const [, sign, prefixed, octal, decimal] = match
  const value = octal === undefined ? Number(prefixed ?? decimal) : Number.parseInt(octal, 8)
  if (!Number.isSafeInteger(value)) return undefined
  return sign === "-" && value !== 0 ? -value : value
}

/**
 * Unescapes a name as `url.QueryUnescape` does. A text with invalid escapes stays unchanged, as with boxo's file names.
 * Returns undefined if the bytes are not UTF-8: Kubo accepts such a name, but uploads to the gateway do not.
 */
export const unescapeName = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return /%(?![0-9A-F]{2})/iu.test(text) ? text : undefined
  }
}

/**
 * Cleans a path below a root as Go's `path.Clean` does, and returns it without the leading slash. No part of the result
 * is empty, `.` or `..`, so the result cannot lead out of the root. The result is empty for the root itself.
 */
export const cleanPath = (name: string): string => {
  const clean = path.posix.normalize(`/${name}`)
  return clean.endsWith("/") ? clean.slice(1, -1) : clean.slice(1)
}

/** Returns JSON as Go's encoder writes it. The encoder escapes characters that could end a script in a page. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const UNSAFE = /[<>&\u2028\u2029]/gu
