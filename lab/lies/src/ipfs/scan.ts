/**
 * An oracle that reads dag-pb and UnixFS with as little code as possible, without checks and bounds. It shares no code
 * with the readers under attack; `ipfs-unixfs` reads the messages of UnixFS.
 */
import { UnixFS } from "ipfs-unixfs"
import { CID } from "multiformats/cid"

import { DAG_PB, keyOf, type Link, RAW } from "./dag.ts"

export interface Node {
  readonly data: Uint8Array
  readonly links: ReadonlyArray<Link>
}

/** Yields the fields of a protobuf message, in order. */
export const fields = function* (bytes: Uint8Array): Generator<readonly [field: number, value: Uint8Array | number]> {
  let at = 0
  const number = (): number => {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error("cut")
      value += (byte & 0x7f) * shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = number()
    const value = number()
    if ((key & 7) === 0) yield [Math.floor(key / 8), value]
    else {
      if ((key & 7) !== 2 || at + value > bytes.length) throw new Error("cut")
      yield [Math.floor(key / 8), bytes.subarray(at, at + value)]
      at += value
    }
  }
}

const linkOf = (bytes: Uint8Array): Link => {
  let cid: CID | undefined
  let name: Uint8Array | undefined
  let size: number | undefined
  for (const [field, value] of fields(bytes)) {
    if (field === 1 && typeof value !== "number") cid = CID.decode(value)
    else if (field === 2 && typeof value !== "number") name = value
    else if (field === 3 && typeof value === "number") size = value
  }
  if (cid === undefined) throw new Error("no CID")
  return { cid, name, size }
}

/** Reads a block of dag-pb. Throws if the bytes are not dag-pb. */
export const node = (bytes: Uint8Array): Node => {
  let data = new Uint8Array(0)
  const links: Array<Link> = []
  for (const [field, value] of fields(bytes)) {
    if (typeof value === "number") throw new Error("a number")
    if (field === 1) data = Uint8Array.from(value)
    else links.push(linkOf(value))
  }
  return { data, links }
}

/** Reads packed numbers (protobuf's packed repeated field). */
export const packed = (bytes: Uint8Array): ReadonlyArray<number> => {
  const numbers: Array<number> = []
  let value = 0
  let shift = 1
  for (const byte of bytes) {
    value += (byte & 0x7f) * shift
    shift *= 128
    if (byte < 0x80) {
      numbers.push(value)
      value = 0
      shift = 1
    }
  }
  return numbers
}

/** Returns all bytes of a file in the order of the specification: the bytes of a node, then those below its links. */
export const fileBytes = (blocks: ReadonlyMap<string, Uint8Array>, cid: CID): Uint8Array => {
  const bytes = cid.multihash.code === 0 ? cid.multihash.digest : blocks.get(keyOf(cid))
  if (bytes === undefined) throw new Error("missing")
  if (cid.code === RAW) return bytes
  if (cid.code !== DAG_PB) throw new Error("another codec")
  const { data, links } = node(bytes)
  const own = UnixFS.unmarshal(data).data ?? new Uint8Array(0)
  return Buffer.concat([own, ...links.map((link) => fileBytes(blocks, link.cid))])
}
