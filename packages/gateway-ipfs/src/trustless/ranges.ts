/**
 * Ranges of raw blocks. A part of a block cannot be verified alone; a reader that fetches a block in parts verifies it
 * when it has all of them.
 *
 * Source: RFC 9110, section 14; boxo `gateway/handler.go`, whose answers to unusual headers are the same.
 */
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as Result from "effect/Result"

/** A part of a block: its first byte, and the byte after its last. */
export interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Maximum length of the header. Longer headers have many ranges, of which only the first is used. */
const MAX_LENGTH = 1024

/**
 * Returns the part of a block of `size` bytes that the header Range selects; undefined for the whole block. Of several
 * ranges the first is used, or none if they are more than the block together.
 */
export const read = (
  header: string | undefined,
  size: number
): Result.Result<BlockRange | undefined, HttpRefusal.HttpRefusal> => {
  if (header === undefined || header === "" || size === 0) return Result.succeed(undefined)
  if (header.length > MAX_LENGTH || !header.startsWith(UNIT)) return invalid
  const specs = header
    .slice(UNIT.length)
    .split(",")
    .map((spec) => spec.trim())
    .filter((spec) => spec !== "")
  const parts = specs.map((spec) => partOf(spec, size))
  if (parts.includes("invalid")) return invalid
  const within = parts.filter((part) => typeof part === "object")
  if (within.length === 0 && parts.length > 0) {
    return Result.fail(HttpRefusal.make(416, "the block has no such bytes", ["content-range", `bytes */${size}`]))
  }
  const sum = within.reduce((sum, { from, to }) => sum + to - from, 0)
  return Result.succeed(sum > size ? undefined : within[0])
}

const UNIT = "bytes="

const partOf = (spec: string, size: number): BlockRange | "beyond" | "invalid" => {
  const [, first, last] = /^(\d{0,15})\s*-\s*(\d{0,15})$/u.exec(spec) ?? []
  if (first === undefined || last === undefined || (first === "" && last === "")) return "invalid"
  if (first === "") {
    const length = Number(last)
    return length > size ? "invalid" : { from: size - length, to: size }
  }
  const from = Number(first)
  if (last !== "" && Number(last) < from) return "invalid"
  if (from >= size) return "beyond"
  return { from, to: last === "" ? size : Math.min(Number(last) + 1, size) }
}

const invalid = Result.fail(HttpRefusal.make(400, "invalid range request"))

/** True if the header If-Range permits a part: it is absent, or has the strong Etag of the block. */
export const isPermitted = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag

/** Returns the header Content-Range of a part. */
export const contentRange = ({ from, to }: BlockRange, size: number): ReadonlyArray<string> => [
  "content-range",
  `bytes ${from}-${to - 1}/${size}`
]
