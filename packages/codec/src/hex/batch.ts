/** Hex texts decoded side by side into scratch memory, each with room for its hash and for the padding of Keccak-256. */
import * as wasmMemory from "../wasm/memory.ts"
import * as hexCodec from "./convert.ts"
import * as hexDigits from "./digits.ts"

/**
 * The texts of one batch, in scratch memory of a fixed size.
 *
 * **Gotchas**
 *
 * There is one batch for the whole program, and any code can clear it. So a caller adds all texts, hashes and reads
 * them without waiting in between. A text that is in the batch already is not decoded again: code that checks an
 * answer can add its texts first, for the code that proves it.
 */
export interface HexBatch {
  /** The memory. The bytes of the item `i` lie from `starts[i]` up to `ends[i]`. */
  readonly memory: Uint8Array
  /** The same memory. */
  readonly view: DataView
  readonly starts: Readonly<Int32Array>
  readonly ends: Readonly<Int32Array>
  /** Returns the number of items. */
  readonly count: () => number
  /** Removes all items. */
  readonly clear: () => void
  /**
   * Adds the bytes of `0x` text. Returns the number of the item, from 0, or -1.
   *
   * It is -1 if the text is not hex of whole bytes, or if there is no room: for items of more than 64 KiB, for more
   * than 2,048 items, and for more than 512 KiB in all. An item takes 48 bytes and whole blocks of 136 bytes.
   */
  readonly add: (text: string) => number
  /**
   * Adds all texts of a list. Returns their items, or `undefined` if one cannot be added; those before it are added.
   *
   * If the same array objects are added again in the same order, their items are found at once, provided that their
   * texts are unchanged.
   */
  readonly addAll: (texts: ReadonlyArray<string>) => ReadonlyArray<number> | undefined
}

const BLOCK = 136
const DIGEST = 32
const MAX_ITEMS = 2048
const END = wasmMemory.BATCH + wasmMemory.BATCH_SIZE

/**
 * Number of places in a table of earlier texts. A few digits of a text give its place, which holds the newest text with
 * these digits.
 */
const PLACES = 1024
/** Texts of up to this many characters, such as hashes, are not looked for: decoding them is as fast. */
const NOT_SOUGHT = 66

/** Makes a batch in the memory of the started module. */
export const make = ({ memory, unhex }: hexCodec.HexModule): HexBatch => {
  const encoder = new TextEncoder()
  const textArea = memory.subarray(wasmMemory.TEXT)
  const starts = new Int32Array(MAX_ITEMS)
  const ends = new Int32Array(MAX_ITEMS)
  const texts: Array<string> = Array.from({ length: MAX_ITEMS }, () => "")
  const places = new Int16Array(PLACES)
  let count = 0
  let top = wasmMemory.BATCH

  const add = (text: string): number => {
    const { length } = text
    let place = 0
    if (length > NOT_SOUGHT) {
      // the middle of a node is in a hash, where texts that differ have different digits
      const middle = length >> 1
      for (let i = middle; i < middle + 8; i++) place = (place * 7 + text.charCodeAt(i)) & (PLACES - 1)
      const known = places[place]!
      // what is left from cleared batches is not below `count`, or it is found to be another text
      if (known < count && texts[known] === text) return known
    }
    const size = (length - 2) >> 1
    const start = top + DIGEST
    const next = start + BLOCK * blocksOf(size) + 16
    if (length % 2 !== 0 || size > wasmMemory.TEXT_BYTES || next > END || count === MAX_ITEMS) return -1
    if (!hexDigits.hasPrefix(text) || encoder.encodeInto(text, textArea).written !== length) return -1
    if (unhex(wasmMemory.TEXT + 2, size, start) === 0) return -1
    const item = count++
    if (length > NOT_SOUGHT) places[place] = item
    texts[item] = text
    starts[item] = start
    ends[item] = start + size
    top = next
    return item
  }

  const lists: Array<List> = []
  /** The list that is expected to come again next. */
  let turn = 0

  const addAll = (texts: ReadonlyArray<string>): ReadonlyArray<number> | undefined => {
    const known = lists[turn]
    if (known !== undefined && isSame(known, texts)) {
      turn++
      return known.items
    }
    const items: Array<number> = []
    for (let i = 0; i < texts.length; i++) {
      const item = add(texts[i]!)
      if (item < 0) return undefined
      items.push(item)
    }
    if (lists.length < MAX_ITEMS) lists.push({ source: texts, texts: texts.slice(), items })
    return items
  }

  const clear = (): void => {
    texts.fill("", 0, count)
    lists.length = 0
    turn = 0
    count = 0
    top = wasmMemory.BATCH
  }

  return { memory, view: new DataView(memory.buffer), starts, ends, count: () => count, clear, add, addAll }
}

/** A list of texts, as it was when it was added. */
interface List {
  readonly source: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
  readonly items: ReadonlyArray<number>
}

const isSame = ({ source, texts: before }: List, texts: ReadonlyArray<string>): boolean => {
  if (source !== texts || before.length !== texts.length) return false
  for (let i = 0; i < texts.length; i++) if (texts[i] !== before[i]) return false
  return true
}

const blocksOf = (size: number): number => 1 + Math.floor(size / BLOCK)

let chosen: { readonly batch: HexBatch | undefined } | undefined

/** Returns the batch in use, made at the first call. */
export const get = (): HexBatch | undefined => (chosen ??= { batch: best(hexCodec.load(wasmMemory.get())) }).batch

/** Makes a batch if the module started. */
export const best = (hex: hexCodec.HexModule | undefined): HexBatch | undefined => hex && make(hex)
