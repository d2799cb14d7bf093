/**
 * Writes RLP straight from hex text, numbers and bytes into one buffer, without intermediate items.
 */
import { roomOf } from "../hash/hashJobs.ts"
import * as KeccakEngine from "../hash/keccakEngine.ts"
import * as explainHex from "../hex/explain.ts"
import * as hexCodec from "../hex/hexConversion.ts"
import * as HexDigits from "../hex/hexDigits.ts"
import * as bigEndian from "../value/bigEndian.ts"
import * as Quantity from "../value/Quantity.ts"
import { QuantityError } from "../value/QuantityError.ts"
import { TEXT_BYTES } from "../wasm/wasmMemory.ts"
import * as rlpScratchMemory from "./scratchMemory.ts"

/**
 * Writes RLP to its own buffer. Reuse one writer: `reset` keeps the buffer.
 *
 * Positions are byte offsets since the last `reset`. Positions inside an open list move when the list ends, because
 * only then the size of its head is known. So use positions before or after whole items.
 *
 * A call that throws leaves the writer unchanged. A `RangeError` is a mistake in the calling program: it ended a list
 * or message that it had not begun, or gave a position that was not written.
 *
 * ```ts import.meta.vitest
 * import { Keccak256, RlpWriter } from "@plumbline/codec"
 *
 * const writer = RlpWriter.make()
 * const list = writer.beginList()
 * writer.quantity(1024n)
 * writer.data("0xC0ffee")
 * writer.endList(list)
 * writer.slice(0) // => new Uint8Array([0xc7, 0x82, 4, 0, 0x83, 192, 255, 238])
 * writer.hash(0) // => Keccak256.hash(writer.slice(0))
 * ```
 */
export class RlpWriter {
  private buffer: Uint8Array<ArrayBuffer>
  private dataView: DataView<ArrayBuffer>
  private end = 0
  /** Marks of the lists that have begun and not ended. */
  private readonly open: Array<number> = []
  /** Starts and ends of the messages that are not hashed yet: start, end, start, end. */
  private readonly messages: Array<number> = []
  /** The part of linear memory that this writer uses, until its output no longer fits there. */
  private scratch: rlpScratchMemory.ScratchMemory | undefined

  constructor(capacity: number, scratch?: rlpScratchMemory.ScratchMemory) {
    this.scratch = scratch
    this.buffer = scratch?.area ?? new Uint8Array(capacity)
    this.dataView = new DataView(this.buffer.buffer, this.buffer.byteOffset, this.buffer.length)
  }

  /** Number of bytes written. */
  get position(): number {
    return this.end
  }

  /** Forgets everything written. */
  reset(): void {
    this.end = 0
    this.open.length = 0
    this.messages.length = 0
  }

  /** Writes one byte as it is, such as the type of a transaction. */
  byte(value: number): void {
    if (!(value >= 0 && value <= 255)) throw new RangeError("a byte is 0 to 255")
    this.reserve(1)
    this.buffer[this.end++] = value
  }

  /** Writes bytes as they are, such as an item that is already encoded. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.buffer.set(bytes, this.end)
    this.end += bytes.length
  }

  /** Writes a byte string. */
  bytes(bytes: Uint8Array): void {
    const at = this.string(bytes.length)
    this.buffer.set(bytes, at)
    this.finish(at, bytes.length)
  }

  /** Writes the byte string that `0x` text stands for. Throws HexError, which names the position in the text. */
  data(hex: string): void {
    if (!HexDigits.hasPrefix(hex) || hex.length % 2 !== 0) throw explainHex.explain(hex)
    const size = (hex.length - 2) / 2
    const at = this.string(size)
    const { scratch } = this
    const isHex =
      scratch === undefined || size <= FEW || size > TEXT_BYTES
        ? hexCodec.get().decodeInto(hex, this.buffer, at)
        : scratch.decodeAt(hex, scratch.base + at)
    if (!isHex) throw explainHex.explain(hex)
    this.finish(at, size)
  }

  /** Writes a whole number. Zero is written as the empty string. Throws QuantityError below zero. */
  quantity(n: bigint): void {
    if (n < 0n) throw new QuantityError({ reason: "Negative", index: 0 })
    this.reserve(1 + bigEndian.MAX_SIZE)
    const at = this.end + 1
    const size = bigEndian.write(n, this.buffer, this.dataView, at)
    if (size < 0) this.bytes(Quantity.toBytes(n))
    else {
      this.buffer[this.end] = 0x80 + size
      this.finish(at, size)
    }
  }

  /**
   * Writes the whole number that `0x` text stands for, with or without leading zeros. Zero is written as the empty
   * string. Throws HexError, which names the position in the text.
   */
  integer(hex: string): void {
    if (!HexDigits.hasPrefix(hex)) throw explainHex.explain(hex)
    let first = 2
    while (first < hex.length && hex.charCodeAt(first) === 0x30) first++
    const digits = hex.length - first
    if (digits === 0) this.bytes(NOTHING)
    else if (first === 2 && digits % 2 === 0) this.data(hex)
    else {
      const text = digits % 2 === 0 ? `0x${hex.slice(first)}` : `0x0${hex.slice(first)}`
      if (!hexCodec.isData(text)) throw explainHex.explain(hex)
      this.data(text)
    }
  }

  /** Starts a list. Pass the result to `endList`. Lists end in the reverse order of their beginning. */
  beginList(): number {
    const mark = this.end
    this.reserve(LIST_HEAD)
    this.end += LIST_HEAD
    this.open.push(mark)
    return mark
  }

  /** Ends the list that started at `mark`. Everything written since then is its items. */
  endList(mark: number): void {
    const { open } = this
    if (open[open.length - 1] !== mark) throw new RangeError("only the list begun last can be ended")
    open.pop()
    const from = mark + LIST_HEAD
    const size = this.end - from
    const width = headSize(size)
    if (width !== LIST_HEAD) {
      this.reserve(width)
      if (size > 0) this.buffer.copyWithin(mark + width, from, this.end)
      this.end += width - LIST_HEAD
    }
    this.head(0xc0, size, mark)
  }

  /**
   * Writes the head of a list. The items must follow, and must take `size` bytes. Unlike `endList`, this moves no
   * bytes.
   *
   * ```ts import.meta.vitest
   * import { RlpWriter } from "@plumbline/codec"
   *
   * const writer = RlpWriter.make()
   * writer.listHead(2)
   * writer.quantity(200n)
   * writer.slice(0) // => new Uint8Array([0xc2, 0x81, 200])
   * ```
   */
  listHead(size: number): void {
    const width = headSize(size)
    this.reserve(width)
    this.head(0xc0, size, this.end)
    this.end += width
  }

  /** Returns a copy of the bytes from `from` up to `to` (default: the end). */
  slice(from: number, to: number = this.end): Uint8Array<ArrayBuffer> {
    this.check(from, to)
    return this.buffer.slice(from, to)
  }

  /**
   * Returns a view of the bytes from `from` up to `to` (default: the end). It is not a copy: the next write or `reset`
   * invalidates it.
   */
  view(from: number, to: number = this.end): Uint8Array<ArrayBuffer> {
    this.check(from, to)
    return this.buffer.subarray(from, to)
  }

  /** Returns Keccak-256 of the bytes from `from` up to `to` (default: the end). */
  hash(from: number, to: number = this.end): Uint8Array<ArrayBuffer> {
    this.check(from, to)
    return KeccakEngine.get().hash(this.buffer.subarray(from, to))
  }

  /** Copies bytes that were written before, from `from` up to `to`. */
  copy(from: number, to: number): void {
    this.check(from, to)
    this.reserve(to - from)
    this.copyTo(this.end, from, to)
    this.end += to - from
  }

  /** Returns the size of the byte string that `copyBytes` writes. */
  sizeOfBytes(from: number, to: number): number {
    this.check(from, to)
    const size = to - from
    return size === 1 && this.buffer[from]! < 0x80 ? 1 : headSize(size) + size
  }

  /** Writes a byte string whose content is bytes that were written before, from `from` up to `to`. */
  copyBytes(from: number, to: number): void {
    this.check(from, to)
    const size = to - from
    const at = this.string(size)
    this.copyTo(at, from, to)
    this.finish(at, size)
  }

  /**
   * Starts a message that is hashed with others, and returns its position. The 32 bytes before it are for its hash. No
   * list may be open.
   *
   * ```ts import.meta.vitest
   * import { Hex, Keccak256, RlpWriter } from "@plumbline/codec"
   *
   * const writer = RlpWriter.make()
   * const start = writer.beginMessage()
   * writer.data("0xc0ffee")
   * const end = writer.endMessage(start)
   * writer.hashMessages()
   * writer.text(start - 32, start) // => Keccak256.hashHex(writer.slice(start, end))
   * ```
   */
  beginMessage(): number {
    if (this.open.length > 0) throw new RangeError("a message cannot begin inside a list")
    // the positions of a message and of its hash must be multiples of 4
    const start = ((this.end + 3) & ~3) + DIGEST
    this.reserve(start - this.end)
    this.end = start
    return start
  }

  /**
   * Ends the message that started at `start`, and returns the position after it. Padding may follow the message, so the
   * next item can begin at a later position.
   */
  endMessage(start: number): number {
    const { end } = this
    if (this.open.length > 0) throw new RangeError("a message cannot end inside a list")
    this.check(start, end)
    this.messages.push(start, end)
    if (this.scratch !== undefined) {
      const padded = start + roomOf(end - start)
      this.reserve(padded - end)
      this.end = padded
    }
    return end
  }

  /** Hashes the messages that ended since the last call. Keccak-256 of each is in the 32 bytes before it. */
  hashMessages(): void {
    const { messages, scratch } = this
    if (scratch === undefined) this.hashCopies()
    else {
      const { base, jobs } = scratch
      jobs.clear()
      for (let i = 0; i < messages.length; i += 2) {
        const start = messages[i]!
        jobs.add(base + start, messages[i + 1]! - start, base + start - DIGEST)
      }
      jobs.run()
    }
    messages.length = 0
  }

  /** Returns the bytes from `from` up to `to` (default: the end) as lower-case `0x` text. */
  text(from: number, to: number = this.end): `0x${string}` {
    const { scratch } = this
    if (scratch === undefined || to - from > TEXT_BYTES) return hexCodec.get().encode(this.view(from, to))
    this.check(from, to)
    return scratch.encodeAt(scratch.base + from, to - from)
  }

  /**
   * Returns the hashes of messages that were hashed, as one text: the lower-case `0x` text of each, 66 characters. The
   * messages start at the positions `starts`. It takes a quarter of the time of one text for each.
   */
  hashTexts(starts: ReadonlyArray<number>): string {
    const { scratch } = this
    for (const start of starts) this.check(start - DIGEST, start)
    if (scratch !== undefined) return scratch.encodeHashes(starts, scratch.base - DIGEST)
    return starts.map((start) => this.text(start - DIGEST, start)).join("")
  }

  /** Hashes copies of the messages, a limited number at a time, so that their views and hashes do not fill memory. */
  private hashCopies(): void {
    const { buffer, messages } = this
    for (let from = 0; from < messages.length; from += 2 * AT_A_TIME) {
      const to = Math.min(from + 2 * AT_A_TIME, messages.length)
      const views: Array<Uint8Array> = []
      for (let i = from; i < to; i += 2) views.push(buffer.subarray(messages[i], messages[i + 1]))
      const hashes = KeccakEngine.get().hashMany(views)
      for (let i = 0; i < hashes.length; i++) buffer.set(hashes[i]!, messages[from + 2 * i]! - DIGEST)
    }
  }

  /** Copies a range of the written bytes to the position `at`. For few bytes, a loop is faster than `copyWithin`. */
  private copyTo(at: number, from: number, to: number): void {
    const { buffer } = this
    if (to - from > 2 * DIGEST) buffer.copyWithin(at, from, to)
    else for (let i = from, next = at; i < to; i++, next++) buffer[next] = buffer[i]!
  }

  /** Makes room for a byte string and writes its head beyond the end. Returns the position of its first byte. */
  private string(size: number): number {
    const width = headSize(size)
    this.reserve(width + size)
    this.head(0x80, size, this.end)
    return this.end + width
  }

  /** Ends the byte string at `at`; a byte below 0x80 is its own encoding and has no head. */
  private finish(at: number, size: number): void {
    if (size === 1 && this.buffer[at]! < 0x80) this.buffer[this.end++] = this.buffer[at]!
    else this.end = at + size
  }

  private head(base: number, size: number, at: number): void {
    if (size < 56) {
      this.buffer[at] = base + size
      return
    }
    const width = headSize(size) - 1
    this.buffer[at] = base + 55 + width
    for (let i = at + width, rest = size; i > at; i--, rest = Math.floor(rest / 256)) this.buffer[i] = rest % 256
  }

  private reserve(extra: number): void {
    if (this.end + extra <= this.buffer.length) return
    const grown = new Uint8Array(Math.max(2 * this.buffer.length, this.end + extra))
    grown.set(this.buffer.subarray(0, this.end))
    this.buffer = grown
    this.dataView = new DataView(grown.buffer)
    this.scratch = undefined
  }

  private check(from: number, to: number): void {
    if (!(from >= 0 && from <= to && to <= this.end))
      throw new RangeError(`no bytes from ${from} to ${to} were written`)
  }
}

/**
 * Makes a new writer. It grows as needed. Give `capacity`, in bytes, to save the growing if the size will be large.
 */
export const make = (capacity = 1024): RlpWriter => new RlpWriter(capacity)

/**
 * Runs synchronous code with an empty writer in memory that all borrowers share, where hashing needs no copies. The
 * writer must not be kept.
 *
 * A call of `borrow` inside another one gets a separate writer. On a platform without WebAssembly and SIMD every call
 * gets one. A writer that outgrows the shared memory of 4 MiB continues in separate memory.
 *
 * ```ts import.meta.vitest
 * import { Keccak256, RlpWriter } from "@plumbline/codec"
 *
 * const hash = RlpWriter.borrow((writer) => {
 *   writer.bytes(new Uint8Array(0))
 *   return writer.hash(0)
 * })
 * hash // => Keccak256.hash(new Uint8Array([0x80]))
 * ```
 */
export const borrow = <A>(use: (writer: RlpWriter) => A): A => {
  const scratch = isBorrowed ? undefined : rlpScratchMemory.get()
  if (scratch === undefined) return use(make())
  isBorrowed = true
  try {
    return use(new RlpWriter(0, scratch))
  } finally {
    isBorrowed = false
  }
}

let isBorrowed = false

const NOTHING = new Uint8Array(0)

/** Bytes of a hash. */
const DIGEST = 32

/** Number of messages that are copied and hashed at a time. */
const AT_A_TIME = 1024

/** Up to this many bytes, text is decoded by a loop in JavaScript. */
const FEW = 12

/**
 * Bytes kept free for the head of a list. A head has this size if the list's items take 256 to 65,535 bytes, as blocks,
 * transactions and nodes usually do.
 */
const LIST_HEAD = 3

const headSize = (size: number): number => {
  if (size < 56) return 1
  let width = 1
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) width++
  return width
}
