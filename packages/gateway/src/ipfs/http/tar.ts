/**
 * Writes tar archives as streams. The format is POSIX of 1988, with an extended header of 2001 for values that do not
 * fit into it.
 *
 * These values do not fit: a path or a link that has more than 100 bytes or is not ASCII, and a size of 8 GiB or more.
 * Paths and links are the bytes in the blocks, even if they are not UTF-8, as in Kubo's archives.
 *
 * Source: POSIX.1-2017, `pax`.
 */
import { Buffer } from "node:buffer"

import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { Found } from "@plumbline/ipfs-client/node/IpfsNode"
import { IpfsNodeError, Malformed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

const BLOCK = 512

/**
 * Returns the archive of the found entries. It fails if a path would lead out of the folder in which the archive is
 * unpacked. It also fails if a file does not have its stated length, because all later entries would be misread.
 */
export const archive = <E>(found: Stream.Stream<Found, E>): Stream.Stream<Uint8Array, E | IpfsNodeError> =>
  Stream.concat(Stream.flatMap(found, part), Stream.succeed(END))

const part = (entry: Found): Stream.Stream<Uint8Array, IpfsNodeError> => {
  if (!isInside(pathOf(entry))) return Stream.fail(malformed(entry, "has a name that leads out of an archive"))
  const head = Stream.succeed(header(entry))
  return entry.type === "file" ? head.pipe(Stream.concat(exact(entry)), Stream.concat(padding(entry.size))) : head
}

/** True if a path stays inside the archive. Latin-1 decodes any byte to one character. */
const isInside = (path: Buffer): boolean =>
  !path.includes(0) &&
  path
    .toString("latin1")
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== "..")

const pathOf = ({ path, pathBytes }: Entry): Buffer => Buffer.from(pathBytes ?? Buffer.from(path))

const targetOf = ({ target = "", targetBytes }: Entry): Buffer => Buffer.from(targetBytes ?? Buffer.from(target))

/** Returns the content of an entry. The stream fails if its length is wrong. */
const exact = (entry: Found): Found["content"] =>
  Stream.suspend(() => {
    let left = entry.size
    const wrong = Effect.suspend(() => Effect.fail(malformed(entry, "is not as long as it says")))
    return entry.content.pipe(
      Stream.mapEffect((bytes) => {
        left -= bytes.length
        return left < 0 ? wrong : Effect.succeed(bytes)
      }),
      Stream.concat(Stream.fromEffectDrain(Effect.suspend(() => (left === 0 ? Effect.void : wrong))))
    )
  })

const malformed = ({ cid }: Found, detail: string): IpfsNodeError =>
  new IpfsNodeError({ reason: new Malformed({ cid: Cid.toText(cid), detail }) })

/** Returns the size of an archive of one file, in bytes. */
export const sizeOf = (entry: Entry): number =>
  header(entry).length + Math.ceil(entry.size / BLOCK) * BLOCK + END.length

/** The details of an entry that are in its header. */
export type Entry = Omit<Found, "content" | "cid">

const END = new Uint8Array(2 * BLOCK)

const padding = (size: number): Stream.Stream<Uint8Array> =>
  size % BLOCK === 0 ? Stream.empty : Stream.succeed(new Uint8Array(BLOCK - (size % BLOCK)))

const TYPES = { file: "0", symlink: "2", directory: "5" } as const

/** Returns the header of an entry. If the entry needs an extended header, the extended header comes first. */
const header = (entry: Entry): Uint8Array => {
  // As in Kubo, the path of a directory has no slash at its end: its type says what it is.
  const path = pathOf(entry)
  const target = targetOf(entry)
  const size = entry.type === "file" ? entry.size : 0
  const records = [
    ...(fits(path) ? [] : [record("path", path)]),
    ...(fits(target) ? [] : [record("linkpath", target)]),
    ...(size > MAX_SIZE ? [record("size", Buffer.from(String(size)))] : []),
    ...(isTime(entry.mtime ?? 0) ? [] : [record("mtime", Buffer.from(String(entry.mtime)))])
  ]
  const main = ustar({
    path,
    target,
    size: Math.min(size, MAX_SIZE),
    type: TYPES[entry.type],
    mode: entry.mode ?? DEFAULT_MODES[entry.type],
    mtime: entry.mtime ?? 0
  })
  if (records.length === 0) return main
  const extended = Buffer.concat(records)
  const before = ustar({ path: PAX, target: NOTHING, size: extended.length, type: "x", mode: 0o644, mtime: 0 })
  return Buffer.concat([before, extended, Buffer.alloc((BLOCK - (extended.length % BLOCK)) % BLOCK), main])
}

const PAX = Buffer.from("PaxHeader")
const NOTHING = Buffer.alloc(0)

const DEFAULT_MODES = { file: 0o644, symlink: 0o777, directory: 0o755 } as const

/** The largest size that fits into a header: eleven octal digits. */
const MAX_SIZE = 0o77777777777

const isTime = (seconds: number): boolean => seconds >= 0 && seconds <= MAX_SIZE

const fits = (bytes: Buffer): boolean => bytes.length <= NAME_LENGTH && bytes.every((byte) => byte < 0x80)

const NAME_LENGTH = 100

/** Returns `length key=value\n`. The length includes its own digits. */
const record = (key: string, value: Buffer): Uint8Array => {
  const rest = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from("\n")])
  const bytes = rest.length
  let length = bytes + String(bytes).length
  if (String(length).length > String(bytes).length) length = bytes + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

const ustar = (fields: {
  readonly path: Buffer
  readonly target: Buffer
  readonly size: number
  readonly type: string
  readonly mode: number
  readonly mtime: number
}): Uint8Array => {
  const block = Buffer.alloc(BLOCK)
  // A longer path is cut here. Readers use the path in the extended header; very old readers get the cut path.
  fields.path.copy(block, 0, 0, NAME_LENGTH)
  block.write(octal(fields.mode & 0o7777, 7), 100)
  block.write(octal(0, 7), 108)
  block.write(octal(0, 7), 116)
  block.write(octal(fields.size, 11), 124)
  block.write(octal(isTime(fields.mtime) ? fields.mtime : 0, 11), 136)
  block.write(" ".repeat(8), 148)
  block.write(fields.type, 156)
  fields.target.copy(block, 157, 0, NAME_LENGTH)
  block.write("ustar\u000000", 257)
  block.write(
    `${octal(
      block.reduce((sum, byte) => sum + byte, 0),
      6
    )}\0 `,
    148
  )
  return block
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, "0")
