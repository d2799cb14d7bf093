/**
 * The items of an RLP encoding with their positions, for programs that show or explain bytes.
 *
 * **When to use**: to locate an item in the bytes. To read values, use `Rlp`, which is many times as fast.
 */
import * as Result from "effect/Result"

import * as Rlp from "./Rlp.ts"
import type { RlpError } from "./RlpError.ts"

/**
 * An item with its position.
 */
export type RlpItem = RlpStringItem | RlpListItem

/**
 * The place of an item in the whole encoding, in bytes.
 */
export interface RlpPosition {
  /** The position of the item's first byte: the start of its head, if it has a head. */
  readonly offset: number
  /** The length of the head: 0 for a byte below 0x80, because that byte is its own encoding. */
  readonly head: number
  /** The length of the content, without the head. */
  readonly length: number
}

/**
 * A string of bytes.
 */
export interface RlpStringItem extends RlpPosition {
  readonly _tag: "String"
  /** The content, as a view of the input. */
  readonly bytes: Uint8Array
}

/**
 * A list of items.
 */
export interface RlpListItem extends RlpPosition {
  readonly _tag: "List"
  readonly items: ReadonlyArray<RlpItem>
}

/**
 * Decodes the canonical encoding of one item. Returns the item, with the places of all items inside it.
 *
 * Fails with {@link RlpError} exactly where `Rlp.decode` does, and within the same bounds.
 *
 * ```ts import.meta.vitest
 * import { RlpTree } from "@plumbline/codec"
 * import { Result } from "effect"
 *
 * const list = Result.getOrThrow(RlpTree.decode(new Uint8Array([0xc3, 5, 0x81, 0x80])))
 * list._tag // => "List"
 * list._tag === "List" && list.items.map(({ offset, head, length }) => [offset, head, length]) // => [[1, 0, 1], [2, 1, 1]]
 * ```
 */
export const decode = (bytes: Uint8Array, options?: Rlp.RlpOptions): Result.Result<RlpItem, RlpError> =>
  Result.map(Rlp.decode(bytes, options), (item) => place(item, bytes, 0))

/**
 * Finds the places of an item whose encoding starts at `offset`. The encoding must already be checked: canonical, and
 * at most 64 deep.
 */
const place = (item: Rlp.Rlp, bytes: Uint8Array, offset: number): RlpItem => {
  if (item instanceof Uint8Array) {
    const head = item.byteOffset - bytes.byteOffset - offset
    return { _tag: "String", offset, head, length: item.length, bytes: item }
  }
  const [head, length] = listHead(bytes, offset)
  let at = offset + head
  const items = item.map((inner) => {
    const placed = place(inner, bytes, at)
    at += placed.head + placed.length
    return placed
  })
  return { _tag: "List", offset, head, length, items }
}

const listHead = (bytes: Uint8Array, offset: number): readonly [head: number, length: number] => {
  const first = bytes[offset]!
  if (first <= 0xf7) return [1, first - 0xc0]
  const width = first - 0xf7
  let length = 0
  for (let i = 1; i <= width; i++) length = length * 256 + bytes[offset + i]!
  return [1 + width, length]
}
