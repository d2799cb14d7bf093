/**
 * What `object/get`, `object/data` and `object/stat` say of a dag-pb node, from the bytes of its block: for nodes that
 * dropped these commands.
 *
 * Source: Kubo 0.27 `core/commands/object`; sizes as js-ipfs computes them.
 */
import type { PBNode } from "@ipld/dag-pb"
import * as Result from "effect/Result"

import * as Cid from "./Cid.ts"
import { MalformedBlock } from "./DagError.ts"
import * as Codecs from "./internal/codecs.ts"

/** How the data of a node is written as text. */
export type DataEncoding = "base64" | "text"

/** A link: `size` is that of the whole DAG behind it, in bytes. */
export interface Link {
  readonly name: string
  readonly cid: Cid.CidText
  readonly size: number
}

/** A node: its links, and its data as text. */
export interface DagPbObject {
  readonly links: ReadonlyArray<Link>
  readonly data: string
}

/** The sizes of a node, in bytes. */
export interface Stat {
  readonly cid: Cid.CidText
  /** How many links it has. */
  readonly links: number
  readonly blockSize: number
  /** All of the block that is not data. */
  readonly linksSize: number
  readonly dataSize: number
  /** The block, and the DAGs behind its links. */
  readonly cumulativeSize: number
}

/**
 * A node, its data in the encoding asked for. Fails with `MalformedBlock` if the bytes are no dag-pb node.
 *
 * ```ts import.meta.vitest
 * import { Cid, DagPbObject } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const emptyDirectory = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)
 * const cid = Cid.parseUnsafe("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")
 * const object = DagPbObject.get(cid, emptyDirectory, "base64")
 * Result.getOrThrow(object) // => { links: [], data: "CAE=" }
 * ```
 */
export const get = (
  cid: Cid.Cid,
  block: Uint8Array,
  encoding: DataEncoding
): Result.Result<DagPbObject, MalformedBlock> =>
  Result.map(decode(cid, block), (node) => ({
    links: node.Links.map((link) => ({
      name: link.Name ?? "",
      cid: Cid.format(link.Hash),
      size: link.Tsize ?? 0
    })),
    data: (encoding === "base64" ? base64 : text)(node.Data ?? new Uint8Array())
  }))

/** The data of a node. Fails with `MalformedBlock` if the bytes are no dag-pb node. */
export const data = (cid: Cid.Cid, block: Uint8Array): Result.Result<Uint8Array, MalformedBlock> =>
  Result.map(decode(cid, block), (node) => node.Data ?? new Uint8Array())

/** The sizes of a node. Fails with `MalformedBlock` if the bytes are no dag-pb node. */
export const stat = (cid: Cid.Cid, block: Uint8Array): Result.Result<Stat, MalformedBlock> =>
  Result.map(decode(cid, block), (node) => {
    const dataSize = node.Data?.length ?? 0
    return {
      cid: Cid.format(cid),
      links: node.Links.length,
      blockSize: block.length,
      linksSize: block.length - dataSize,
      dataSize,
      cumulativeSize: node.Links.reduce((size, link) => size + (link.Tsize ?? 0), block.length)
    }
  })

/**
 * Bytes as Go writes them into a JSON string: each byte that is not part of UTF-8 becomes U+FFFD, so that they are lost.
 *
 * ```ts import.meta.vitest
 * import { DagPbObject } from "@plumbline/ipfs-client"
 *
 * DagPbObject.text(Uint8Array.of(0x61, 0xe2, 0x82)) // => "a\ufffd\ufffd"
 * ```
 */
export const text = (bytes: Uint8Array): string => {
  const whole = strict(bytes)
  if (whole !== undefined) {
    return whole
  }
  const parts: Array<string> = []
  for (let at = 0; at < bytes.length;) {
    const first = bytes[at]!
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const character = strict(bytes.subarray(at, at + length))
    parts.push(character ?? "\ufffd")
    at += character === undefined ? 1 : length
  }
  return parts.join("")
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const strict = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const base64 = (bytes: Uint8Array): string => {
  const parts: Array<string> = []
  for (let at = 0; at < bytes.length; at += PIECE) {
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + PIECE))))
  }
  return parts.join("")
}

/** A multiple of 3, so that only the last piece is padded, and few enough to be arguments. */
const PIECE = 3 * 4096

const decode = (cid: Cid.Cid, block: Uint8Array): Result.Result<PBNode, MalformedBlock> => {
  const node = cid.code === Codecs.DAG_PB ? Codecs.decodePb(block) : Result.fail("another codec")
  return Result.mapError(node, () => new MalformedBlock({ cid: Cid.format(cid), detail: "is not a dag-pb node" }))
}
