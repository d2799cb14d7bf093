/**
 * Encodes items. Copying is most of the work, so each form of item is encoded in the way that copies least.
 *
 * A byte string, or a list without lists, is measured and then written into its own array. A list of lists is written
 * from the last byte to the first into a buffer that is reused, so that the size of a list is known before its head is
 * written. A list that does not fit into the buffer is measured first.
 */
import { RlpEncodeError } from "./RlpError.ts"

/**
 * A string of bytes, or a list of items.
 */
export type Rlp = Uint8Array | ReadonlyArray<Rlp>

/** The bounds of one call. */
export interface RlpBounds {
  readonly maxDepth: number
  readonly maxBytes: number
}

/** Returns the encoding of an item. Throws RlpEncodeError beyond the bounds. */
export const encode = (item: Rlp, bounds: RlpBounds): Uint8Array<ArrayBuffer> => {
  if (isList(item)) return flat(item, bounds) ?? nested(item, bounds)
  const size = stringSize(item, bounds)
  if (size > bounds.maxBytes) throw tooLarge(bounds)
  const out = allocate(size)
  putString(out, 0, item)
  return out
}

/**
 * Up to this many bytes, a loop is faster than `set`. Measured: `set` is faster for 20 and 32 bytes, the loop for 8.
 */
const LOOP = 12
/** Number of bytes of the longest head: one byte for the width of the size, and up to 8 bytes for the size. */
const MAX_HEAD = 9
const BUFFER_SIZE = 32 * 1024

const isList = (item: Rlp): item is ReadonlyArray<Rlp> => Array.isArray(item)

const tooDeep = ({ maxDepth }: RlpBounds) => new RlpEncodeError({ reason: "TooDeep", limit: maxDepth })
const tooLarge = ({ maxBytes }: RlpBounds) => new RlpEncodeError({ reason: "TooLarge", limit: maxBytes })
const notAnItem = ({ maxBytes }: RlpBounds) => new RlpEncodeError({ reason: "NotAnItem", limit: maxBytes })

const headSize = (size: number): number => {
  if (size < 56) return 1
  let width = 1
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) width++
  return width
}

const stringSize = (bytes: Uint8Array, bounds: RlpBounds): number => {
  if (!ArrayBuffer.isView(bytes)) throw notAnItem(bounds)
  const size = bytes.length
  return size === 1 && bytes[0]! < 0x80 ? 1 : headSize(size) + size
}

/** Writes a head at `at`, and returns the position after it. */
const putHead = (out: Uint8Array, at: number, base: number, size: number): number => {
  if (size < 56) {
    out[at] = base + size
    return at + 1
  }
  const width = headSize(size) - 1
  out[at] = base + 55 + width
  for (let i = at + width, rest = size; i > at; i--, rest = Math.floor(rest / 256)) out[i] = rest % 256
  return at + 1 + width
}

/** Writes a byte string at `at`, and returns the position after it. */
const putString = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  const size = bytes.length
  if (size > LOOP) {
    const from = putHead(out, at, 0x80, size)
    out.set(bytes, from)
    return from + size
  }
  let from = at
  if (size !== 1 || bytes[0]! >= 0x80) out[from++] = 0x80 + size
  for (let i = 0; i < size; i++) out[from + i] = bytes[i]!
  return from + size
}

/** Encodes a list whose items are byte strings and empty lists. Returns `undefined` for any other list. */
const flat = (list: ReadonlyArray<Rlp>, bounds: RlpBounds): Uint8Array<ArrayBuffer> | undefined => {
  const { maxBytes, maxDepth } = bounds
  if (maxDepth < 1) throw tooDeep(bounds)
  let size = 0
  for (let i = 0; i < list.length; i++) {
    const child = list[i]!
    if (!isList(child)) size += stringSize(child, bounds)
    else if (child.length > 0) return undefined
    else if (maxDepth < 2) throw tooDeep(bounds)
    else size++
  }
  const total = headSize(size) + size
  if (total > maxBytes) throw tooLarge(bounds)
  const out = allocate(total)
  let at = putHead(out, 0, 0xc0, size)
  for (let i = 0; i < list.length; i++) {
    const child = list[i]!
    if (isList(child)) out[at++] = 0xc0
    else at = putString(out, at, child)
  }
  // if the items of a list change while they are read, part of the output stays unwritten; clear it, so that it does
  // not expose old memory
  return at === total ? out : out.fill(0, at)
}

/** From this number of bytes on, filling new memory with zeros takes longer than any other step except copying. */
const LARGE = 64 * 1024

interface BufferOfNode {
  readonly allocUnsafeSlow?: (size: number) => Uint8Array<ArrayBuffer>
}

/**
 * Makes the array for an encoding, which is then written from the first byte to the last. If the platform has `Buffer`,
 * a large array comes from there, because `Buffer` need not fill it with zeros first. `Buffer` is looked up on the
 * global object, so that no bundler adds a replacement.
 */
const allocate = (size: number): Uint8Array<ArrayBuffer> => {
  if (!(size >= LARGE)) return new Uint8Array(size)
  const { Buffer } = globalThis as { readonly Buffer?: BufferOfNode }
  const made = Buffer?.allocUnsafeSlow?.(size)
  // a polyfill may give a part of a larger buffer
  return made?.buffer.byteLength === size ? new Uint8Array(made.buffer) : new Uint8Array(size)
}

/** A buffer for the next list of lists. It is missing while a list is encoded, and after a list was refused. */
let spare: Uint8Array<ArrayBuffer> | undefined

/**
 * A list that is being written from its last item to its first; the items before `index` are still to come. Its content
 * ends `end` bytes before the end of the encoding.
 */
interface Open {
  readonly list: ReadonlyArray<Rlp>
  readonly index: number
  readonly end: number
}

const nested = (item: ReadonlyArray<Rlp>, bounds: RlpBounds): Uint8Array<ArrayBuffer> => {
  let buffer = spare ?? new Uint8Array(BUFFER_SIZE)
  spare = undefined
  /** True once the buffer has the size of the encoding, so that there is room for everything. */
  let exact = false
  let at = buffer.length
  const parents: Array<Open> = []
  let list = item
  let index = list.length
  let end = 0

  const grow = (): void => {
    const written = buffer.length - at
    const grown = new Uint8Array(totalSize([...parents, { list, index, end }], written, bounds))
    at = grown.length - written
    grown.set(buffer.subarray(buffer.length - written), at)
    spare = buffer
    buffer = grown
    exact = true
  }

  const head = (base: number, size: number): void => {
    at -= headSize(size)
    putHead(buffer, at, base, size)
  }

  for (;;) {
    if (index > 0) {
      const child = list[index - 1]!
      if (!ArrayBuffer.isView(child)) {
        if (!isList(child)) throw notAnItem(bounds)
        if (parents.length + 1 >= bounds.maxDepth) throw tooDeep(bounds)
        parents.push({ list, index: index - 1, end })
        list = child
        index = list.length
        end = buffer.length - at
        continue
      }
      const size = child.length
      if (at < size + MAX_HEAD && !exact) grow()
      index--
      at -= size
      if (size > LOOP) {
        buffer.set(child, at)
        if (size < 56) buffer[--at] = 0x80 + size
        else head(0x80, size)
      } else {
        for (let i = 0; i < size; i++) buffer[at + i] = child[i]!
        if (size !== 1 || child[0]! >= 0x80) buffer[--at] = 0x80 + size
      }
    } else {
      if (at < MAX_HEAD && !exact) grow()
      const size = buffer.length - at - end
      if (size < 56) buffer[--at] = 0xc0 + size
      else head(0xc0, size)
      const parent = parents.pop()
      if (parent === undefined) break
      ;({ list, index, end } = parent)
    }
  }
  if (buffer.length - at > bounds.maxBytes) throw tooLarge(bounds)
  if (exact) return buffer
  spare = buffer
  return new Uint8Array(buffer.subarray(at))
}

/**
 * Returns the size of the whole encoding. Its last `written` bytes have been written. The first list of `open` is the
 * outermost one.
 */
const totalSize = (open: ReadonlyArray<Open>, written: number, bounds: RlpBounds): number => {
  let size = 0
  let until = written
  for (let depth = open.length; depth > 0; depth--) {
    const { end, index, list } = open[depth - 1]!
    size += until - end + sizeOf(list, index, depth, bounds)
    size += headSize(size)
    if (size > bounds.maxBytes) throw tooLarge(bounds)
    until = end
  }
  return size
}

/** Returns the size of the encodings of the first `count` items of a list at depth `depth`. */
const sizeOf = (items: ReadonlyArray<Rlp>, count: number, depth: number, bounds: RlpBounds): number => {
  const parents: Array<Open> = []
  let list = items
  let index = count
  /**
   * `size` is the size of the items of `list` that have been measured; `seen` is the size of all items that have been
   * measured. A few large lists may occur in many places, so `seen` stops the measuring at the bound.
   */
  let size = 0
  let seen = 0
  for (;;) {
    if (index > 0) {
      const child = list[--index]!
      if (ArrayBuffer.isView(child)) {
        const length = child.length
        const added = length > 1 && length < 56 ? 1 + length : stringSize(child, bounds)
        size += added
        seen += added
      } else if (isList(child)) {
        if (depth + parents.length >= bounds.maxDepth) throw tooDeep(bounds)
        parents.push({ list, index, end: size })
        list = child
        index = list.length
        size = 0
        seen++
      } else throw notAnItem(bounds)
      if (seen > bounds.maxBytes) throw tooLarge(bounds)
    } else {
      const parent = parents.pop()
      if (parent === undefined) return size
      size += headSize(size) + parent.end
      ;({ index, list } = parent)
    }
  }
}
