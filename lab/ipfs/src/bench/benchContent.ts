/** The content of the bench: bytes that are cheap to make. All pieces differ, so that no store can skip one. */
import { keyStream } from "../suite/content.ts"

/** Size of the chunks into which Kubo cuts a file, in bytes. */
export const PIECE = 262_144

const base = keyStream("bench", PIECE)

/** Returns piece `index` of file `file`. */
export const piece = (file: number, index: number, size = PIECE): Buffer => {
  const bytes = Buffer.from(base.subarray(0, size))
  bytes.writeUInt32LE(file, 0)
  bytes.writeUInt32LE(index, 4)
  return bytes
}

/** A file in the bench: its number, its path and its size in bytes. */
export interface File {
  readonly file: number
  readonly path: string
  readonly size: number
}

/** Yields the pieces of a file. */
export const pieces = function* ({ file, size }: File): Generator<Buffer> {
  for (let offset = 0; offset < size; offset += PIECE) {
    yield piece(file, offset / PIECE, Math.min(PIECE, size - offset))
  }
}
