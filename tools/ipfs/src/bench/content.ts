/** The content of the bench: bytes that are cheap to make, no two pieces the same, so that no store can skip one. */
import { keyStream } from "../suite/content.ts"

/** The size of a chunk, as Kubo cuts files. */
export const PIECE = 262_144

const base = keyStream("bench", PIECE)

/** Piece `index` of file `file`. */
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

/** The pieces of a file. */
export const pieces = function* ({ file, size }: File): Generator<Buffer> {
  for (let offset = 0; offset < size; offset += PIECE) {
    yield piece(file, offset / PIECE, Math.min(PIECE, size - offset))
  }
}
