/**
 * Writes the bodies of uploads, `multipart/form-data`, while they are sent.
 *
 * The field name is `file`, with the mode and the time of an entry, as Kubo's API requires:
 * `name="file?mode=0644&mtime=1&mtime-nsecs=2"`. A path is percent-encoded in `filename`, because Go decodes it as part
 * of a query, where a `+` would become a space.
 *
 * Source: boxo `files/multifilereader.go` and `multipartfile.go`; RFC 7578.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as FileModes from "../commands/fileModes.ts"
import type * as Upload from "../commands/Upload.ts"
import { EncodeError } from "./IpfsError.ts"

const encoder = /* @__PURE__ */ new TextEncoder()

/** Returns a boundary that cannot be guessed, so that no content contains it. */
export const boundary = (): string => {
  const random = globalThis.crypto.getRandomValues(new Uint8Array(24))
  return `plumbline-${Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

/** Returns the content type of a body with this boundary. */
export const contentType = (boundary: string): string => `multipart/form-data; boundary=${boundary}`

/**
 * Returns the body as a stream. The stream fails with the errors of the contents, and with `refuse` if an entry cannot
 * be sent.
 */
export const stream = <E, E2>(
  entries: Upload.UploadEntries<E>,
  boundary: string,
  refuse: (error: EncodeError) => E2
): Stream.Stream<Uint8Array, E | E2> => {
  const parts = Stream.isStream(entries) ? entries : Stream.fromIterable(entries)
  return Stream.concat(
    Stream.flatMap(parts, (entry) => part(entry, boundary, refuse)),
    Stream.succeed(close(boundary))
  )
}

/**
 * Returns the body in one piece if all of it is in memory and not larger than `maxBytes`. Such a body has a known
 * length and can be sent again.
 */
export const inMemory = <E>(
  entries: Upload.UploadEntries<E>,
  boundary: string,
  maxBytes: number
): Result.Result<Uint8Array | undefined, EncodeError> => {
  // An iterable that is not an array may be readable only once.
  if (!Array.isArray(entries)) {
    return Result.succeed(undefined)
  }
  const pieces: Array<Uint8Array> = []
  let size = 0
  for (const entry of entries as ReadonlyArray<Upload.UploadEntry<E>>) {
    const content = contentOf(entry)
    if (!isInMemory(content)) {
      return Result.succeed(undefined)
    }
    size += content.length
    if (size > maxBytes) {
      return Result.succeed(undefined)
    }
    const head = headOf(entry, boundary)
    if (Result.isFailure(head)) {
      return Result.fail(head.failure)
    }
    pieces.push(whole(head.success, content))
  }
  return Result.succeed(Bytes.join([...pieces, close(boundary)]))
}

const part = <E, E2>(
  entry: Upload.UploadEntry<E>,
  boundary: string,
  refuse: (error: EncodeError) => E2
): Stream.Stream<Uint8Array, E | E2> => {
  const head = headOf(entry, boundary)
  if (Result.isFailure(head)) {
    return Stream.fail(refuse(head.failure))
  }
  const content = contentOf(entry)
  if (isInMemory(content) && content.length <= MAX_JOINED) {
    return Stream.succeed(whole(head.success, content))
  }
  const bytes: Stream.Stream<Uint8Array, E | E2> = Stream.isStream(content)
    ? content
    : isInMemory(content)
      ? inSlices(typeof content === "string" ? encoder.encode(content) : content)
      : ofBlob(content, refuse)
  return Stream.succeed(encoder.encode(head.success)).pipe(
    Stream.concat(Stream.filter(bytes, (piece) => piece.length > 0)),
    Stream.concat(Stream.succeed(LINE_END))
  )
}

/** Content up to this size, in bytes, is copied into one piece with its headers and boundaries. */
const MAX_JOINED = 64 * 1024

/**
 * Content in memory is sent in parts of this size, in bytes, because each sent part shows that the upload makes
 * progress.
 */
const SLICE = 1024 * 1024

/** Cuts large content into views, without a copy. */
const inSlices = (bytes: Uint8Array): Stream.Stream<Uint8Array> =>
  Stream.fromIterable(
    (function* () {
      for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE)
    })(),
    // The transport requests a part after it has sent the previous one.
    { chunkSize: 1 }
  )

const isInMemory = <E>(content: Upload.FileContent<E>): content is string | Uint8Array =>
  typeof content === "string" || content instanceof Uint8Array

const LINE_END = /* @__PURE__ */ encoder.encode("\r\n")

const close = (boundary: string): Uint8Array => encoder.encode(`--${boundary}--\r\n`)

const whole = (head: string, content: string | Uint8Array): Uint8Array =>
  typeof content === "string"
    ? encoder.encode(`${head}${content}\r\n`)
    : Bytes.join([encoder.encode(head), content, LINE_END])

const ofBlob = <E2>(blob: Blob, refuse: (error: EncodeError) => E2): Stream.Stream<Uint8Array, E2> =>
  Stream.fromReadableStream({
    evaluate: () => blob.stream(),
    // The platform's message could contain the name of a file, so it is not used.
    onError: () => refuse(new EncodeError({ name: "content", detail: "cannot be read" }))
  })

const contentOf = <E>(entry: Upload.UploadEntry<E>): Upload.FileContent<E> =>
  entry.type === "directory" ? "" : entry.type === "symlink" ? entry.target : entry.content

const TYPES = {
  file: "application/octet-stream",
  directory: "application/x-directory",
  symlink: "application/symlink"
} as const

const headOf = <E>(entry: Upload.UploadEntry<E>, boundary: string): Result.Result<string, EncodeError> => {
  const path = entry.path ?? ""
  if (path !== "" || entry.type === "directory" || entry.type === "symlink") {
    const wrong = path
      .split("/")
      .find((name) => name === "" || name === "." || name === ".." || name.includes("\u0000"))
    if (wrong !== undefined || !path.isWellFormed()) {
      return fail("path", "must be names with slashes between them, none of them empty, a dot or two dots")
    }
  }
  const attributes = new URLSearchParams()
  const { mode, mtime, mtimeNsecs } = entry
  if (mode !== undefined) {
    if (!isWithin(mode, 0, FileModes.MAX)) {
      return fail("mode", "must be permission bits, at most 0o7777, or a mode of Go in 32 bits")
    }
    attributes.set("mode", FileModes.toGo(mode).toString(8).padStart(4, "0"))
  }
  if (mtime !== undefined) {
    if (!Number.isSafeInteger(mtime)) {
      return fail("mtime", "must be a whole number of seconds")
    }
    attributes.set("mtime", String(mtime))
  }
  if (mtimeNsecs !== undefined) {
    if (mtime === undefined || !isWithin(mtimeNsecs, 0, 999_999_999)) {
      return fail("mtimeNsecs", "must be a whole number below 1000000000, and stand beside mtime")
    }
    attributes.set("mtime-nsecs", String(mtimeNsecs))
  }
  const query = attributes.size > 0 ? `?${attributes}` : ""
  return Result.succeed(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="file${query}"; filename="${encodeURIComponent(path)}"\r\n` +
      `Content-Type: ${TYPES[entry.type ?? "file"]}\r\n\r\n`
  )
}

const isWithin = (value: number, min: number, max: number): boolean =>
  Number.isInteger(value) && value >= min && value <= max

const fail = (name: string, detail: string): Result.Result<never, EncodeError> =>
  Result.fail(new EncodeError({ name, detail }))
