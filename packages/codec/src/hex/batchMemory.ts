/**
 * Decodes many hex texts into one scratch memory. Each text has room there for its hash and for the padding of
 * Keccak-256.
 */
import * as WasmMemory from "../wasm/wasmMemory.ts"
import * as hexCodec from "./hexConversion.ts"
import * as HexDigits from "./hexDigits.ts"

/**
 * The texts of one batch, in scratch memory of a fixed size.
 *
 * **Gotchas**
 *
 * There is one batch for the whole program, and any code can clear it. So a caller must add all texts, hash them and
 * read them without waiting in between. A text that is in the batch already is not decoded again: code that checks an
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
   * Adds all texts of a list. Returns their items, or `undefined` if a text cannot be added; the texts before it stay
   * in the batch.
   *
   * If the same array objects are added again in the same order, their items are found at once, provided that their
   * texts are unchanged.
   */
  readonly addAll: (texts: ReadonlyArray<string>) => ReadonlyArray<number> | undefined
}

const BLOCK = 136
const DIGEST = 32
const MAX_ITEMS = 2048
const END = WasmMemory.BATCH + WasmMemory.BATCH_SIZE

/**
 * Number of places in the table of earlier texts. Eight characters of a text determine its place, which holds the
 * newest text with the same eight characters.
 */
const PLACES = 1024
/**
 * Texts of up to this many characters, such as hashes, are not looked up in the table, because decoding them is as
 * fast.
 */
const NOT_SOUGHT = 66

/** Makes a batch in the memory of the started module. */
export const make = ({ memory, unhex }: hexCodec.HexModule): HexBatch => {
  const encoder = new TextEncoder()
  const textArea = memory.subarray(WasmMemory.TEXT)
  const starts = new Int32Array(MAX_ITEMS)
  const ends = new Int32Array(MAX_ITEMS)
  const texts: Array<string> = Array.from({ length: MAX_ITEMS }, () => "")
  const places = new Int16Array(PLACES)
  let count = 0
  let top = WasmMemory.BATCH

  const add = (text: string): number => {
    const { length } = text
    let place = 0
    if (length > NOT_SOUGHT) {
      // the middle of a trie node is part of a hash, so two different nodes nearly always differ there
      const middle = length >> 1
      for (let i = middle; i < middle + 8; i++) place = (place * 7 + text.charCodeAt(i)) & (PLACES - 1)
      const known = places[place]!
      // an entry from a cleared batch is recognized: its number is not below `count`, or its text differs
      if (known < count && texts[known] === text) return known
    }
    const size = (length - 2) >> 1
    const start = top + DIGEST
    const next = start + BLOCK * blocksOf(size) + 16
    if (length % 2 !== 0 || size > WasmMemory.TEXT_BYTES || next > END || count === MAX_ITEMS) return -1
    if (!HexDigits.hasPrefix(text) || encoder.encodeInto(text, textArea).written !== length) return -1
    if (unhex(WasmMemory.TEXT + 2, size, start) === 0) return -1
    const item = count++
    if (length > NOT_SOUGHT) places[place] = item
    texts[item] = text
    starts[item] = start
    ends[item] = start + size
    top = next
    return item
  }

  const lists: Array<List> = []
  /** The index in `lists` of the list that is expected next. */
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
    top = WasmMemory.BATCH
  }

  return { memory, view: new DataView(memory.buffer), starts, ends, count: () => count, clear, add, addAll }
}

/** A list that was added: the array object, the texts that it then held, and their items. */
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
export const get = (): HexBatch | undefined => (chosen ??= { batch: best(hexCodec.load(WasmMemory.get())) }).batch

/** Makes a batch if the module started. */
export const best = (hex: hexCodec.HexModule | undefined): HexBatch | undefined => hex && make(hex)
