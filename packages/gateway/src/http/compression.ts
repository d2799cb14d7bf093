/** Compresses answers in Node's thread pool, so that a large answer does not block the event loop. */
import { Buffer } from "node:buffer"
import { type BrotliOptions, constants, createBrotliCompress, createGzip, type ZlibOptions } from "node:zlib"

/** A content coding of answers. */
export type ContentCoding = "br" | "gzip"

/**
 * Maximum number of compressions at a time. Further answers are sent uncompressed, because they would have to wait for
 * a thread.
 */
const AT_ONCE = 16

/** Maximum size of an answer that is compressed as a whole, in bytes. A larger answer is sent piece by piece. */
const WHOLE = 4 * 1024 * 1024

/** Size of a compressed piece, in bytes. */
const PIECE = 64 * 1024

let underWay = 0

/**
 * Returns the coding that the caller prefers; undefined if the caller accepts neither Brotli nor gzip (RFC 9110,
 * section 12.5.3). If the caller prefers both equally, the result is Brotli, which compresses better at the same speed.
 */
export const negotiate = (accepted: string | undefined): ContentCoding | undefined => {
  if (accepted === undefined) return undefined
  const weights = { br: undefined, gzip: undefined, "*": 0 } as Record<string, number | undefined>
  for (const part of accepted.toLowerCase().split(",", MAX_PARTS)) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim())
    const q = parameters.find((parameter) => parameter.startsWith("q="))
    if (Object.hasOwn(weights, name)) weights[name] = q === undefined ? 1 : Number(q.slice(2)) || 0
  }
  const { "*": rest = 0, br = rest, gzip = rest } = weights
  if (br === 0 && gzip === 0) return undefined
  return br >= gzip ? "br" : "gzip"
}

/** Maximum number of codings that are read from one header. */
const MAX_PARTS = 16

/** Receives compressed bytes. */
export interface CompressedSink {
  /** Receives a small answer, compressed as a whole. Undefined means that it must be sent uncompressed. */
  readonly whole: (compressed: Uint8Array | undefined) => void
  /** Receives a piece of a large answer. Returns false to pause until it calls `resume`. */
  readonly piece: (compressed: Uint8Array, resume: () => void) => boolean
  /** Called after the last piece of a large answer. `isBroken` is true if the rest of the answer is missing. */
  readonly end: (isBroken: boolean) => void
}

/** True if a body of this size is sent piece by piece. */
export const isLarge = (bytes: number): boolean => bytes > WHOLE

/** True if fewer than the maximum number of compressions are under way. */
export const isFree = (): boolean => underWay < AT_ONCE

/** Compresses a body. The returned function stops the compression; after that no method of `taker` is called. */
export const compress = (coding: ContentCoding, body: Uint8Array, taker: CompressedSink): (() => void) => {
  underWay++
  let isOver = false
  const stream = coding === "br" ? createBrotliCompress(brotliOf(body.length)) : createGzip(GZIP)
  const pieces: Array<Uint8Array> = []
  const large = isLarge(body.length)
  const over = (then: () => void) => {
    if (isOver) return
    isOver = true
    underWay--
    then()
  }
  stream.on("data", (piece: Uint8Array) => {
    if (isOver) return
    if (!large) pieces.push(piece)
    else if (!taker.piece(piece, () => stream.resume())) stream.pause()
  })
  stream.once("end", () => over(() => (large ? taker.end(false) : taker.whole(Buffer.concat(pieces)))))
  stream.once("error", () => over(() => (large ? taker.end(true) : taker.whole(undefined))))
  stream.end(body)
  return () => over(() => stream.destroy())
}

const GZIP: ZlibOptions = { level: 6, chunkSize: PIECE }

const brotliOf = (bytes: number): BrotliOptions => ({
  chunkSize: PIECE,
  params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes }
})
