/** Reads a tar archive without our code. Names and targets are bytes in hex. */
import * as Dag from "./dag.ts"

export interface Entry {
  readonly path: string
  readonly type: string
  readonly content: string
  readonly target: string
}

const BLOCK = 512

export const read = (archive: Uint8Array): ReadonlyArray<Entry> => {
  const found: Array<Entry> = []
  let pax = new Map<string, Uint8Array>()
  for (let at = 0; at < archive.length && archive[at] !== 0;) {
    const field = (from: number, length: number): Uint8Array => {
      const bytes = archive.subarray(at + from, at + from + length)
      const end = bytes.indexOf(0)
      return end < 0 ? bytes : bytes.subarray(0, end)
    }
    const size = Number.parseInt(Buffer.from(field(124, 12)).toString(), 8)
    const type = String.fromCharCode(archive[at + 156]!)
    const content = archive.subarray(at + BLOCK, at + BLOCK + size)
    if (type === "x") pax = records(content)
    else {
      const path = pax.get("path") ?? field(0, 100)
      const target = pax.get("linkpath") ?? field(157, 100)
      found.push({ path: Dag.hex(path), type, content: Dag.hex(content), target: Dag.hex(target) })
      pax = new Map()
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return found
}

/**
 * Reads the records of a pax header. Each has its length in decimal digits, a space, a key, `=`, the value, and a line
 * feed.
 */
const records = (bytes: Uint8Array): Map<string, Uint8Array> => {
  const found = new Map<string, Uint8Array>()
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at)
    const length = Number(Buffer.from(bytes.subarray(at, space)).toString())
    const equals = bytes.indexOf(0x3d, space)
    const key = Buffer.from(bytes.subarray(space + 1, equals)).toString()
    found.set(key, bytes.subarray(equals + 1, at + length - 1))
    at += length
  }
  return found
}
