/**
 * Writes RLP straight from hex text, numbers and bytes into one buffer, without intermediate items.
 */
import * as keccakEngine from "../hash/engine.ts"
import * as hexCodec from "../hex/convert.ts"
import * as hexDigits from "../hex/digits.ts"
import * as explainHex from "../hex/explain.ts"
import * as bigEndian from "../value/bigEndian.ts"
import * as Quantity from "../value/Quantity.ts"
import { QuantityError } from "../value/QuantityError.ts"

/**
 * A writer with a buffer of its own. Reuse one writer: `reset` keeps the buffer.
 *
 * Positions are byte offsets since the last `reset`. Positions inside an open list move when the list ends, because
 * only then the size of its head is known. So use positions before or after whole items.
 *
 * A call that throws leaves the writer unchanged. RangeError means a mistake of the program: an end without a
 * beginning, or a position that was not written.
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
  /** Marks of the lists that are not ended. */
  private readonly open: Array<number> = []

  constructor(capacity: number) {
    this.buffer = new Uint8Array(capacity)
    this.dataView = new DataView(this.buffer.buffer)
  }

  /** Number of bytes written. */
  get position(): number {
    return this.end
  }

  /** Forgets everything written. */
  reset(): void {
    this.end = 0
    this.open.length = 0
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
    if (!hexDigits.hasPrefix(hex) || hex.length % 2 !== 0) throw explainHex.explain(hex)
    const size = (hex.length - 2) / 2
    const at = this.string(size)
    if (!hexCodec.get().decodeInto(hex, this.buffer, at)) throw explainHex.explain(hex)
    this.finish(at, size)
  }

  /** Writes a whole number, zero as the empty string. Throws QuantityError below zero. */
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
   * Writes the whole number that `0x` text stands for, with or without leading zeros, and zero as the empty string.
   * Throws HexError, which names the position in the text.
   */
  integer(hex: string): void {
    if (!hexDigits.hasPrefix(hex)) throw explainHex.explain(hex)
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
    return keccakEngine.get().hash(this.buffer.subarray(from, to))
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

const NOTHING = new Uint8Array(0)

/**
 * Bytes kept free for the head of a list. It is right for 256 to 65,535 bytes, the usual size of blocks, transactions
 * and nodes.
 */
const LIST_HEAD = 3

const headSize = (size: number): number => {
  if (size < 56) return 1
  let width = 1
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) width++
  return width
}
