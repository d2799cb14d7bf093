/**
 * Headers of tar archives: the format of POSIX of 1988, with an extended header of 2001 for values that do not fit.
 *
 * These values do not fit: a path or a target that has more than 100 bytes or other characters than printable ASCII, a
 * size of 8 GiB or more, and a time before 1970. Paths and targets are the bytes in the blocks, even if they are not
 * UTF-8, as in Kubo's archives.
 *
 * Source: POSIX.1-2017, `pax`.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** An entry of an archive. Defaults of `mode` and `mtime` are those of Kubo: 644, 777 or 755 by the type, and 1970. */
export interface Entry {
  readonly type: "file" | "symlink" | "directory"
  readonly path: Uint8Array
  /** Number of bytes of a file's content. Ignored for other types. */
  readonly size: number
  readonly mode?: number | undefined
  /** Seconds since 1970. */
  readonly mtime?: number | undefined
  readonly target?: Uint8Array | undefined
}

const BLOCK = 512

/** The end of an archive. */
export const END: Uint8Array = new Uint8Array(2 * BLOCK)

/** Returns the zeros that follow a content of this size. */
export const padding = (size: number): Uint8Array => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)

/**
 * Returns the header of an entry. If the entry needs an extended header, the extended header comes first. As in Kubo, the
 * path of a directory has no slash at its end: its type says what it is.
 *
 * ```ts import.meta.vitest
 * import { TarHeader } from "@plumbline/ipfs-client"
 *
 * const path = new TextEncoder().encode("a.txt")
 * const header = TarHeader.header({ type: "file", path, size: 3 })
 * header.length // => 512
 * TarHeader.padding(3).length // => 509
 * ```
 */
export const header = (entry: Entry): Uint8Array => {
  const { mode = DEFAULT_MODES[entry.type], mtime = 0, path, target = NOTHING, type } = entry
  const size = type === "file" ? entry.size : 0
  const records = [
    ...(fits(path) ? [] : [record("path", path)]),
    ...(fits(target) ? [] : [record("linkpath", target)]),
    ...(size <= MAX_NUMBER ? [] : [record("size", encoder.encode(String(size)))]),
    ...(isTime(mtime) ? [] : [record("mtime", encoder.encode(String(mtime)))])
  ]
  const main = ustar({ path, target, size: Math.min(size, MAX_NUMBER), type: TYPES[type], mode, mtime })
  if (records.length === 0) return main
  const extended = Bytes.join(records)
  const before = ustar({ path: PAX, target: NOTHING, size: extended.length, type: "x", mode: 0o644, mtime: 0 })
  return Bytes.join([before, extended, padding(extended.length), main])
}

const TYPES = { file: "0", symlink: "2", directory: "5" } as const

const DEFAULT_MODES = { file: 0o644, symlink: 0o777, directory: 0o755 } as const

const encoder = /* @__PURE__ */ new TextEncoder()

const PAX = /* @__PURE__ */ encoder.encode("PaxHeader")
const NOTHING = new Uint8Array(0)

/** The largest size or time that fits into a header: eleven octal digits. */
const MAX_NUMBER = 0o77777777777

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= MAX_NUMBER

const NAME_LENGTH = 100

const fits = (bytes: Uint8Array): boolean =>
  bytes.length <= NAME_LENGTH && bytes.every((byte) => byte >= 0x20 && byte < 0x7f)

/** Returns `length key=value\n`. The length includes its own digits. */
const record = (key: string, value: Uint8Array): Uint8Array => {
  const rest = ` ${key}=\n`.length + value.length
  let length = rest + String(rest).length
  if (String(length).length > String(rest).length) length = rest + String(length).length
  return Bytes.join([encoder.encode(`${length} ${key}=`), value, encoder.encode("\n")])
}

const ustar = (fields: {
  readonly path: Uint8Array
  readonly target: Uint8Array
  readonly size: number
  readonly type: string
  readonly mode: number
  readonly mtime: number
}): Uint8Array => {
  const block = new Uint8Array(BLOCK)
  const write = (at: number, text: string): void => block.set(encoder.encode(text), at)
  // A longer path is cut here. Readers use the path in the extended header; very old readers get the cut path.
  block.set(fields.path.subarray(0, NAME_LENGTH), 0)
  write(100, octal(fields.mode & 0o7777, 7))
  write(108, octal(0, 7))
  write(116, octal(0, 7))
  write(124, octal(fields.size, 11))
  write(136, octal(isTime(fields.mtime) ? Math.floor(fields.mtime) : 0, 11))
  write(148, " ".repeat(8))
  write(156, fields.type)
  block.set(fields.target.subarray(0, NAME_LENGTH), 157)
  write(257, "ustar\u000000")
  const sum = block.reduce((sum, byte) => sum + byte, 0)
  write(148, `${octal(sum, 6)}\0 `)
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")
