/**
 * Makes a tar archive of a file or a directory from checked blocks.
 *
 * Names and targets are the unchanged bytes of the blocks, UTF-8 or not, as in Kubo's archives.
 *
 * Source: POSIX.1-2001 ustar; names and targets that do not fit, and sizes of 8 GiB and more, are in a pax header.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as BlockSource from "../block/BlockSource.ts"
import { LimitExceeded } from "../block/DagError.ts"
import * as Cid from "../cid/Cid.ts"
import * as Names from "../codec/names.ts"
import * as UnixFs from "../unixfs/UnixFs.ts"
import * as Place from "./place.ts"

const BLOCK = 512

const encoder = /* @__PURE__ */ new TextEncoder()

/** Streams the archive: the entry itself and everything below it, with paths that begin with `name`. */
export const archive = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  name: string,
  options: UnixFs.Options
): Stream.Stream<Uint8Array, E | UnixFs.ReadError, R> =>
  Stream.concat(
    entry(source, cid, { text: name, bytes: undefined }, options, 0),
    Stream.succeed(new Uint8Array(2 * BLOCK))
  )

/** Maximum nesting of directories. No system accepts a path of that depth. */
const MAX_DEPTH = 1024

const entry = <E, R>(
  source: BlockSource.BlockSource<E, R>,
  cid: Cid.Cid,
  path: Names.Name,
  options: UnixFs.Options,
  depth: number
): Stream.Stream<Uint8Array, E | UnixFs.ReadError, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const near = Place.besides(source, yield* BlockSource.get(source, cid, options))
      const stat = yield* UnixFs.stat(near, cid, options)
      const { kind, mode, mtime, size } = stat
      const target: Names.Name = { text: stat.target ?? "", bytes: stat.targetBytes }
      const seconds = Number(mtime?.seconds ?? 0n)
      if (kind === "symlink") {
        return Stream.succeed(header({ path, type: "2", mode: mode ?? 0o777, size: 0, seconds, target }))
      }
      if (kind !== "directory") {
        const head = header({ path, type: "0", mode: mode ?? 0o644, size, seconds, target })
        const padding = new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
        return Stream.succeed(head).pipe(
          Stream.concat(UnixFs.cat(near, cid, options)),
          Stream.concat(padding.length > 0 ? Stream.succeed(padding) : Stream.empty)
        )
      }
      const head = header({
        path,
        type: "5",
        mode: mode ?? 0o755,
        size: 0,
        seconds,
        target
      })
      const below: Stream.Stream<Uint8Array, E | UnixFs.ReadError, R> =
        depth < MAX_DEPTH
          ? Stream.flatMap(UnixFs.entries(near, cid, options), ({ cid, name, nameBytes }) =>
              entry(source, cid, Names.under(path, { text: name, bytes: nameBytes }), options, depth + 1)
            )
          : Stream.fail(new LimitExceeded({ cid: Cid.toText(cid), bound: "directories", limit: MAX_DEPTH }))
      return Stream.concat(Stream.succeed(head), below)
    })
  )

const NO_NAME: Names.Name = { text: "", bytes: undefined }

interface Head {
  readonly path: Names.Name
  readonly type: "0" | "2" | "5" | "x"
  readonly mode: number
  readonly size: number
  readonly seconds: number
  readonly target: Names.Name
}

const header = (head: Head): Uint8Array => {
  const records = [
    ...(fits(head.path) ? [] : [record("path", head.path)]),
    ...(fits(head.target) ? [] : [record("linkpath", head.target)]),
    ...(head.size < MAX_SIZE ? [] : [record("size", ascii(String(head.size)))]),
    ...(head.seconds >= 0 && head.seconds < MAX_SIZE ? [] : [record("mtime", ascii(String(head.seconds)))])
  ]
  if (records.length === 0) {
    return ustar(head)
  }
  const pax = Bytes.join(records)
  const padded = new Uint8Array(Math.ceil(pax.length / BLOCK) * BLOCK)
  padded.set(pax)
  return Bytes.join([
    ustar({ path: ascii("pax"), type: "x", mode: 0o644, size: pax.length, seconds: 0, target: NO_NAME }),
    padded,
    ustar(head)
  ])
}

/** The exclusive limit of sizes and times that eleven octal digits can write. */
const MAX_SIZE = 8 ** 11

const NAME_LENGTH = 100

/** True if the name fits the plain header: characters outside ASCII have a meaning only in a pax header. */
const fits = ({ bytes, text }: Names.Name): boolean =>
  bytes === undefined && text.length <= NAME_LENGTH && /^[\u0020-\u007e]*$/.test(text)

const ascii = (text: string): Names.Name => ({ text, bytes: undefined })

/** Writes a record, which begins with its own length in bytes. The length includes the digits of that length. */
const record = (key: string, value: Names.Name): Uint8Array => {
  const bytes = Names.toBytes(value)
  const rest = ` ${key}=\n`.length + bytes.length
  const length = [1, 2, 3, 4, 5]
    .map((digits) => rest + digits)
    .find((length) => String(length).length + rest === length)
  return Bytes.join([encoder.encode(`${length} ${key}=`), bytes, encoder.encode("\n")])
}

const ustar = ({ mode, path, seconds, size, target, type }: Head): Uint8Array => {
  const block = new Uint8Array(BLOCK)
  const put = (at: number, bytes: Uint8Array, length: number): void => {
    block.set(bytes.subarray(0, length), at)
  }
  const write = (at: number, text: string, length: number): void => put(at, encoder.encode(text), length)
  const octal = (value: number, digits: number): string =>
    (value < 0 || value >= 8 ** digits ? 0 : Math.floor(value)).toString(8).padStart(digits, "0")
  put(0, Names.toBytes(path), NAME_LENGTH)
  write(100, `${octal(mode % 0o10000, 7)}\0`, 8)
  write(108, `${octal(0, 7)}\0`, 8)
  write(116, `${octal(0, 7)}\0`, 8)
  write(124, `${octal(size, 11)}\0`, 12)
  write(136, `${octal(seconds, 11)}\0`, 12)
  write(148, "        ", 8)
  write(156, type, 1)
  put(157, Names.toBytes(target), NAME_LENGTH)
  write(257, "ustar\u000000", 8)
  const sum = block.reduce((total, byte) => total + byte, 0)
  write(148, `${octal(sum, 6)}\0 `, 8)
  return block
}
