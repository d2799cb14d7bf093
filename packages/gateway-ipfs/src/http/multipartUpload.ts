/**
 * Reads the parts of a `multipart/form-data` body one after the other, while they arrive. A part is never completely in
 * memory.
 *
 * The name of a field is ignored, except for the mode and the time after its question mark (UnixFS 1.5).
 *
 * Source: boxo `files/multipartfile.go`; RFC 7578.
 */
import { isUtf8 } from "node:buffer"

import { type MemoryBudget, type UploadBody, UploadError } from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import type { EntryAttributes, AddEntry } from "@plumbline/ipfs-client/node/IpfsNode"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as MultipartParser from "effect/http/MultipartParser"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as Go from "./goForms.ts"

/**
 * A part with its bytes. The bytes can be read until the next part is requested. The stream of the bytes succeeds only
 * after the next part or the end of the body was seen, because an upload that is cut off in its last line is
 * incomplete.
 */
export interface UploadPart {
  readonly info: MultipartParser.PartInfo
  readonly bytes: Stream.Stream<Uint8Array, UploadError>
}

/** A reader of the parts, in order. */
export interface UploadParts {
  /** Returns the next part, or undefined at the end. Unread bytes of the previous part are skipped. */
  readonly next: Effect.Effect<UploadPart | undefined, UploadError>
}

/** True if the content type is `multipart/form-data`. */
export const isMultipart = (contentType: string | undefined): contentType is string =>
  contentType?.split(";", 1)[0]!.trim().toLowerCase() === "multipart/form-data"

/** Makes a reader of the parts. Fails if the content type has no boundary. */
export const open = (contentType: string, body: UploadBody, maxParts: number): Result.Result<UploadParts, string> => {
  const events: Array<Event> = []
  let isDone = false
  let count = 0
  let isRefused = false
  const parser = MultipartParser.make({
    headers: { "content-type": contentType },
    isFile: () => true,
    onField: () => undefined,
    onFile: (info) => {
      if (isDone) return () => undefined
      count++
      if (count > maxParts) events.push(fault(`more than ${maxParts} parts`))
      else events.push({ _tag: "Begin", info })
      let isEnded = false
      return (bytes) => {
        // Bytes after the last part are ignored.
        if (isDone) return
        // If a part has no headers, the parser ends the previous part a second time.
        if (bytes === null) events.push(isEnded ? fault("a part has bad headers") : END)
        isEnded ||= bytes === null
        if (bytes !== null && bytes.length > 0) events.push({ _tag: "Bytes", bytes })
      }
    },
    onError: (error) => {
      if (isDone) return
      if (error._tag === "InvalidBoundary") isRefused = true
      else events.push(fault(error._tag === "BadHeaders" ? "a part has bad headers" : "a part is not form-data"))
    },
    onDone: () => {
      isDone = true
    }
  })
  if (isRefused) return Result.fail("no multipart boundary param in Content-Type")

  const event: Effect.Effect<Event | undefined, UploadError> = Effect.suspend(() => {
    const first = events.shift()
    if (first !== undefined) return first._tag === "Fault" ? Effect.fail(first.fault) : Effect.succeed(first)
    return isDone ? Effect.as(rest, undefined) : Effect.andThen(more, event)
  })
  const more = Effect.flatMap(body.read, (chunk) =>
    Effect.suspend(() => {
      // The parser must not see a premature end, because it would report the part as complete.
      if (chunk === undefined) return Effect.fail(new UploadError({ detail: "the body ends in the middle of a part" }))
      parser.write(chunk)
      return Effect.void
    })
  )
  /** Reads the rest of the body, so that the connection can be used again. A long rest is left unread. */
  let passedOver = 0
  const rest: Effect.Effect<void, UploadError> = Effect.flatMap(body.read, (chunk) => {
    if (chunk === undefined) return Effect.void
    passedOver += chunk.length
    return passedOver > MAX_EPILOGUE ? Effect.void : rest
  })

  let current: MultipartParser.PartInfo | undefined
  let ahead: { readonly event: Event | undefined } | undefined
  const following = Effect.suspend(() => {
    if (ahead === undefined) return event
    const { event: seen } = ahead
    ahead = undefined
    return Effect.succeed(seen)
  })
  const pass: Effect.Effect<UploadPart | undefined, UploadError> = Effect.flatMap(following, (next) => {
    if (next === undefined) return Effect.succeed(undefined)
    if (next._tag !== "Begin") return pass
    current = next.info
    return Effect.succeed({ info: next.info, bytes: bytesOf(next.info) })
  })
  const bytesOf = (info: MultipartParser.PartInfo): UploadPart["bytes"] => {
    const pull = Effect.flatMap(event, (next) => {
      if (next?._tag !== "Bytes") {
        current = undefined
        return Effect.flatMap(event, (event) => {
          ahead = { event }
          return Cause.done()
        })
      }
      const pieces: Arr.NonEmptyArray<Uint8Array> = [next.bytes]
      while (events[0]?._tag === "Bytes") pieces.push((events.shift() as BytesEvent).bytes)
      return Effect.succeed(pieces)
    })
    return Stream.fromPull(Effect.succeed(Effect.suspend(() => (current === info ? pull : Cause.done()))))
  }
  return Result.succeed({ next: pass })
}

type BytesEvent = { readonly _tag: "Bytes"; readonly bytes: Uint8Array }

type Event =
  | { readonly _tag: "Begin"; readonly info: MultipartParser.PartInfo }
  | BytesEvent
  | { readonly _tag: "End" }
  | { readonly _tag: "Fault"; readonly fault: UploadError }

const END: Event = { _tag: "End" }

const fault = (detail: string): Event => ({ _tag: "Fault", fault: new UploadError({ detail }) })

const MAX_EPILOGUE = 64 * 1024

/** The error for a body without parts, with Kubo's text. */
export const noFile: UploadError = new UploadError({ detail: "expected a file argument" })

/** Returns the parts as entries to add: files, directories and symlinks. Fails if there is no part. */
export const entries = (parts: UploadParts): Stream.Stream<AddEntry<UploadError>, UploadError> => {
  let count = 0
  const folders = new Folders()
  const pull = Effect.gen(function* () {
    for (;;) {
      const part = yield* parts.next
      if (part === undefined) return yield* count === 0 ? Effect.fail(noFile) : Cause.done()
      count++
      const path = pathOf(part.info)
      // with replaced characters the file would be stored under another name
      if (path === undefined) return yield* notUtf8
      if (folders.count(path) > FOLDERS + count * FOLDERS_PER_PART) return yield* tooManyFolders
      const entry = yield* entryOf(part, path)
      if (entry !== undefined) return [entry] as const
    }
  })
  return Stream.fromPull(Effect.succeed(pull))
}

/**
 * Counts the directories of an upload that exist only because a path names them. A path can name many directories, and
 * a node keeps all of them in memory until it knows their content.
 */
class Folders {
  #before: ReadonlyArray<string> = []
  #count = 0

  /**
   * Adds the directories of a path that are not in the previous path, and returns the total. The total is exact if all
   * paths of a directory follow each other.
   */
  count(path: string): number {
    const names = path.split("/")
    let same = 0
    while (same < names.length - 1 && names[same] === this.#before[same]) same++
    this.#before = names
    this.#count += names.length - 1 - same
    return this.#count
  }
}

/**
 * Maximum number of directories that only the path of one part names. It is the depth of a path of 4 KiB. Each further
 * part adds `FOLDERS_PER_PART` to the maximum.
 */
const FOLDERS = 2048
const FOLDERS_PER_PART = 8

const notUtf8 = Effect.fail(
  new UploadError({
    detail:
      "the name of a part is not UTF-8, and add takes no other: rename it, or send its directory as a CAR to dag/import"
  })
)

const tooManyFolders = Effect.fail(new UploadError({ detail: "too many directories for so few parts" }))

/** Returns the entry of a part; undefined for the root directory, which always exists. */
const entryOf = Effect.fnUntraced(function* ({ bytes, info }: UploadPart, path: string) {
  const attributes = yield* Effect.fromResult(attributesOf(info.name))
  switch (info.contentType) {
    case "application/x-directory":
    case "multipart/form-data":
      return path === "" ? undefined : ({ type: "directory", path, ...attributes } satisfies AddEntry)
    case "application/symlink": {
      const sent = yield* collect(bytes, MAX_TARGET)
      const target = isUtf8(sent) ? utf8.decode(sent) : sent
      return { type: "symlink", path, target, ...attributes } satisfies AddEntry
    }
    default: {
      const file: AddEntry<UploadError> = { content: bytes, ...attributes, ...(path === "" ? {} : { path }) }
      return file
    }
  }
})

/** Decodes UTF-8 and keeps byte order marks. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Maximum number of bytes of a symlink's target, the same as for a path in Linux. */
const MAX_TARGET = 4096

/** Collects all bytes of a part. Fails if there are more than `limit` bytes. */
const collect = <E>(bytes: Stream.Stream<Uint8Array, E>, limit: number): Effect.Effect<Uint8Array, E | UploadError> =>
  Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let size = 0
    const take = (piece: Uint8Array) => {
      size += piece.length
      if (size > limit) return Effect.fail(new UploadError({ detail: `a part is larger than ${limit} bytes` }))
      pieces.push(piece)
      return Effect.void
    }
    return Effect.map(Stream.runForEach(bytes, take), () => Buffer.concat(pieces, size))
  })

/**
 * Runs work with all bytes of a part. Until the work ends, the bytes count towards the memory budget of all requests.
 */
export const withWhole = <A, E>(
  part: UploadPart,
  { budget, limit }: { readonly budget: MemoryBudget; readonly limit: number },
  use: (bytes: Uint8Array) => Effect.Effect<A, E>
): Effect.Effect<A, E | UploadError | HttpRefusal.HttpRefusal> =>
  Effect.suspend(() => {
    let held = 0
    const counted = Stream.mapEffect(part.bytes, (piece) => {
      if (!budget.take(piece.length)) return Effect.fail(HttpRefusal.busy)
      held += piece.length
      return Effect.succeed(piece)
    })
    return Effect.ensuring(
      Effect.flatMap(collect(counted, limit), use),
      Effect.sync(() => budget.give(held))
    )
  })

/**
 * Matches an escape. As in Go, a backslash is an escape only before these characters, because browsers send the
 * backslash of `C:\x` unescaped.
 */
const ESCAPED = /\\([()<>@,;:\\"/[\]?=])/gu

/**
 * Returns the path of a part; undefined if its name is not UTF-8. The parser replaces invalid bytes by U+FFFD, so a
 * client must percent-encode a real U+FFFD.
 */
const pathOf = ({ filename = "" }: MultipartParser.PartInfo): string | undefined => {
  if (filename.includes("\ufffd")) return undefined
  const name = Go.unescapeName(filename.replaceAll(ESCAPED, "$1"))
  return name === undefined ? undefined : Go.cleanPath(name)
}

const attributesOf = (name: string): Result.Result<EntryAttributes, UploadError> => {
  const question = name.indexOf("?")
  if (question === -1) return Result.succeed({})
  const query = new URLSearchParams(name.slice(question + 1))
  // an octal number of up to 32 bits, like Go's file mode, with any number of leading zeros
  const mode = numberOf(query.get("mode"), /^0*(?:[0-3][0-7]{10}|[0-7]{1,10})$/u, 8)
  const mtime = numberOf(query.get("mtime"), /^-?[0-9]{1,15}$/u, 10)
  const mtimeNsecs = numberOf(query.get("mtime-nsecs"), /^[0-9]{1,9}$/u, 10)
  if (Number.isNaN(mode)) return badAttribute("mode")
  if (Number.isNaN(mtime)) return badAttribute("mtime")
  if (Number.isNaN(mtimeNsecs)) return badAttribute("mtime-nsecs")
  // As in Kubo, a part has a time if its name has any text after the question mark. The default time is the start of
  // 1970.
  return Result.succeed({ mode, mtime: mtime ?? 0, mtimeNsecs })
}

const numberOf = (text: string | null, form: RegExp, base: number): number | undefined =>
  text === null ? undefined : form.test(text) ? Number.parseInt(text, base) : Number.NaN

const badAttribute = (name: string): Result.Result<never, UploadError> =>
  Result.fail(new UploadError({ detail: `the ${name} of a part is not a number as it should be` }))
