/** Parsers with Go's rules: clients of Kubo write for Go's parsers. Undefined means that Go refuses the text. */
import * as path from "node:path"

/** Parses as `strconv.ParseBool`. An empty text is true, as in go-ipfs-cmds: `?pin`. */
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

/** Parses as `strconv.ParseInt` with base 0: decimal, or by its prefix. A leading zero is octal, as in `mode=0644`. */
export const parseInteger = (text: string): number | undefined => {
  const match = /^([+-]?)(?:(0x[0-9a-f]+|0b[01]+)|0o?([0-7]+)|(0|[1-9][0-9]*))$/iu.exec(text)
  if (match === null) return undefined
  const [, sign, prefixed, octal, decimal] = match
  const value = octal === undefined ? Number(prefixed ?? decimal) : Number.parseInt(octal, 8)
  if (!Number.isSafeInteger(value)) return undefined
  return sign === "-" && value !== 0 ? -value : value
}

/**
 * Unescapes as `url.QueryUnescape`. A text that is not escaped stays as it is, as boxo does with names of files.
 * Undefined if the escaped bytes are not UTF-8: Kubo accepts such a name, but an upload here does not.
 */
export const unescapeName = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return /%(?![0-9A-F]{2})/iu.test(text) ? text : undefined
  }
}

/**
 * Cleans a path below a root as Go's `path.Clean` does, and returns it without the leading slash. The result has no
 * part that is empty, `.` or `..`, so it cannot leave the root. It is empty for the root itself.
 */
export const cleanPath = (name: string): string => {
  const clean = path.posix.normalize(`/${name}`)
  return clean.endsWith("/") ? clean.slice(1, -1) : clean.slice(1)
}

/** Returns JSON as Go's encoder writes it: characters that could end a script in a page are escaped. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const UNSAFE = /[<>&\u2028\u2029]/gu
