/**
 * The parts of a `multipart/form-data` body, one after the other, as they arrive: no part is ever in memory as a whole.
 *
 * The name of the field is not looked at, but for mode and time behind its question mark (UnixFS 1.5).
 *
 * Source: boxo `files/multipartfile.go`; RFC 7578.
 */
import { isUtf8 } from "node:buffer"

import type { Attributes, Entry } from "@plumbline/ipfs-client/node/IpfsNode"
import type * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as MultipartParser from "effect/http/MultipartParser"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type { Budget } from "../../http/budget.ts"
import * as Refusal from "../../http/Refusal.ts"
import type { UploadBody } from "../../http/uploadBody.ts"
import { UploadFault } from "../../http/uploadFault.ts"
import * as Go from "./goForms.ts"

/**
 * A part, and its bytes, which are there until the next part is asked for. They end well only when it is seen what follows
 * them, another part or the end of the body: where an upload is cut off in its last line, nothing of it was complete.
 */
export interface Part {
  readonly info: MultipartParser.PartInfo
  readonly bytes: Stream.Stream<Uint8Array, UploadFault>
}

/** The parts in their order. */
export interface Parts {
  /** The next part, or undefined at the end. What was not read of the part before is passed over. */
  readonly next: Effect.Effect<Part | undefined, UploadFault>
}

/** Whether a body is said to have parts. */
export const isMultipart = (contentType: string | undefined): contentType is string =>
  contentType?.split(";", 1)[0]!.trim().toLowerCase() === "multipart/form-data"

/** Begins to read. Fails if the type of the body names no boundary. */
export const open = (contentType: string, body: UploadBody, maxParts: number): Result.Result<Parts, string> => {
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
        // What stands behind the last part is nobody's.
        if (isDone) return
        // The parser ends a part once more for a part behind it that has no headers.
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

  const event: Effect.Effect<Event | undefined, UploadFault> = Effect.suspend(() => {
    const first = events.shift()
    if (first !== undefined) return first._tag === "Fault" ? Effect.fail(first.fault) : Effect.succeed(first)
    return isDone ? Effect.as(rest, undefined) : Effect.andThen(more, event)
  })
  const more = Effect.flatMap(body.read, (chunk) =>
    Effect.suspend(() => {
      // The parser is not told of an end that comes too early: it would say that the part is complete.
      if (chunk === undefined) return Effect.fail(new UploadFault({ detail: "the body ends in the middle of a part" }))
      parser.write(chunk)
      return Effect.void
    })
  )
  /** Reads to the end, so that the connection can be used again; what is long behind the last part is left. */
  let passedOver = 0
  const rest: Effect.Effect<void, UploadFault> = Effect.flatMap(body.read, (chunk) => {
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
  const pass: Effect.Effect<Part | undefined, UploadFault> = Effect.flatMap(following, (next) => {
    if (next === undefined) return Effect.succeed(undefined)
    if (next._tag !== "Begin") return pass
    current = next.info
    return Effect.succeed({ info: next.info, bytes: bytesOf(next.info) })
  })
  const bytesOf = (info: MultipartParser.PartInfo): Part["bytes"] => {
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
  | { readonly _tag: "Fault"; readonly fault: UploadFault }

const END: Event = { _tag: "End" }

const fault = (detail: string): Event => ({ _tag: "Fault", fault: new UploadFault({ detail }) })

const MAX_EPILOGUE = 64 * 1024

/** What Kubo says of a body without parts. */
export const noFile: UploadFault = new UploadFault({ detail: "expected a file argument" })

/** The parts as what is to be added: files, directories and symlinks. At least one part is there, or it fails. */
export const entries = (parts: Parts): Stream.Stream<Entry<UploadFault>, UploadFault> => {
  let count = 0
  const folders = new Folders()
  const pull = Effect.gen(function* () {
    for (;;) {
      const part = yield* parts.next
      if (part === undefined) return yield* count === 0 ? Effect.fail(noFile) : Cause.done()
      count++
      const path = pathOf(part.info)
      // another name in its place would be an answer to something else
      if (path === undefined) return yield* notUtf8
      if (folders.count(path) > FOLDERS + count * FOLDERS_PER_PART) return yield* tooManyFolders
      const entry = yield* entryOf(part, path)
      if (entry !== undefined) return [entry] as const
    }
  })
  return Stream.fromPull(Effect.succeed(pull))
}

/**
 * How many directories an upload has that no part of its own stands for: a path makes as many as it has names, and a node
 * has them all in memory until it knows what is in them.
 */
class Folders {
  #before: ReadonlyArray<string> = []
  #count = 0

  /** Counts what differs from the path before, which is exact where directories come one after the other. */
  count(path: string): number {
    const names = path.split("/")
    let same = 0
    while (same < names.length - 1 && names[same] === this.#before[same]) same++
    this.#before = names
    this.#count += names.length - 1 - same
    return this.#count
  }
}

/** What a single part may have, which is as deep as a path of 4 KiB can be, and what each one adds to it. */
const FOLDERS = 2048
const FOLDERS_PER_PART = 8

const notUtf8 = Effect.fail(new UploadFault({ detail: "the name of a part is not UTF-8" }))

const tooManyFolders = Effect.fail(new UploadFault({ detail: "too many directories for so few parts" }))

/** Nothing for the root, which is there in any case. */
const entryOf = Effect.fnUntraced(function* ({ bytes, info }: Part, path: string) {
  const attributes = yield* Effect.fromResult(attributesOf(info.name))
  switch (info.contentType) {
    case "application/x-directory":
    case "multipart/form-data":
      return path === "" ? undefined : ({ type: "directory", path, ...attributes } satisfies Entry)
    case "application/symlink": {
      const sent = yield* collect(bytes, MAX_TARGET)
      const target = isUtf8(sent) ? utf8.decode(sent) : sent
      return { type: "symlink", path, target, ...attributes } satisfies Entry
    }
    default: {
      const file: Entry<UploadFault> = { content: bytes, ...attributes, ...(path === "" ? {} : { path }) }
      return file
    }
  }
})

/** What is UTF-8 comes as text, its byte order marks included. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Bytes of where a symlink leads: as many as a path of Linux may have. */
const MAX_TARGET = 4096

/** All bytes of a part, if they are not more than so many. */
const collect = <E>(bytes: Stream.Stream<Uint8Array, E>, limit: number): Effect.Effect<Uint8Array, E | UploadFault> =>
  Effect.suspend(() => {
    const pieces: Array<Uint8Array> = []
    let size = 0
    const take = (piece: Uint8Array) => {
      size += piece.length
      if (size > limit) return Effect.fail(new UploadFault({ detail: `a part is larger than ${limit} bytes` }))
      pieces.push(piece)
      return Effect.void
    }
    return Effect.map(Stream.runForEach(bytes, take), () => Buffer.concat(pieces, size))
  })

/** Does something with all bytes of a part. Meanwhile they count among those that all requests hold. */
export const withWhole = <A, E>(
  part: Part,
  { budget, limit }: { readonly budget: Budget; readonly limit: number },
  use: (bytes: Uint8Array) => Effect.Effect<A, E>
): Effect.Effect<A, E | UploadFault | Refusal.Refusal> =>
  Effect.suspend(() => {
    let held = 0
    const counted = Stream.mapEffect(part.bytes, (piece) => {
      if (!budget.take(piece.length)) return Effect.fail(Refusal.busy)
      held += piece.length
      return Effect.succeed(piece)
    })
    return Effect.ensuring(
      Effect.flatMap(collect(counted, limit), use),
      Effect.sync(() => budget.give(held))
    )
  })

/** Go takes a backslash for an escape only before these; browsers send the one of `C:\x` as it is. */
const ESCAPED = /\\([()<>@,;:\\"/[\]?=])/gu

/**
 * The path, if its name is UTF-8. The parser puts U+FFFD in the place of what is not, so that one of the client's own has to
 * come percent-encoded.
 */
const pathOf = ({ filename = "" }: MultipartParser.PartInfo): string | undefined => {
  if (filename.includes("\ufffd")) return undefined
  const name = Go.unescapeName(filename.replaceAll(ESCAPED, "$1"))
  return name === undefined ? undefined : Go.cleanPath(name)
}

const attributesOf = (name: string): Result.Result<Attributes, UploadFault> => {
  const question = name.indexOf("?")
  if (question === -1) return Result.succeed({})
  const query = new URLSearchParams(name.slice(question + 1))
  // all of Go's mode, in 32 bits, and the zero that its octal numbers begin with
  const mode = numberOf(query.get("mode"), /^0*(?:[0-3][0-7]{10}|[0-7]{1,10})$/u, 8)
  const mtime = numberOf(query.get("mtime"), /^-?[0-9]{1,15}$/u, 10)
  const mtimeNsecs = numberOf(query.get("mtime-nsecs"), /^[0-9]{1,9}$/u, 10)
  if (Number.isNaN(mode)) return badAttribute("mode")
  if (Number.isNaN(mtime)) return badAttribute("mtime")
  if (Number.isNaN(mtimeNsecs)) return badAttribute("mtime-nsecs")
  // Kubo takes a name with anything behind its question mark for one that says a time, if only that of 1970
  return Result.succeed({ mode, mtime: mtime ?? 0, mtimeNsecs })
}

const numberOf = (text: string | null, form: RegExp, base: number): number | undefined =>
  text === null ? undefined : form.test(text) ? Number.parseInt(text, base) : Number.NaN

const badAttribute = (name: string): Result.Result<never, UploadFault> =>
  Result.fail(new UploadFault({ detail: `the ${name} of a part is not a number as it should be` }))
