/**
 * The codecs of blocks, each with its decoder and a function that finds links. A failure is a sentence about the bytes.
 */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as DagCbor from "./cbor.ts"
import * as DagCodec from "./DagCodec.ts"
import * as Eth from "./ethLinks.ts"
import * as DagJson from "./json.ts"
import * as DagPb from "./pb.ts"

interface Codec {
  readonly name: string
  /**
   * Returns the value with distinct integers and floats. `DagCodec.plain` converts it to the types that programs see.
   */
  readonly decode: (bytes: Uint8Array) => Result.Result<unknown, string>
  readonly links: (bytes: Uint8Array) => Result.Result<ReadonlyArray<Cid.Cid>, string>
}

export const RAW = 0x55
const CBOR = 0x51
const JSON_TEXT = 0x0200
export const DAG_PB = 0x70
export const DAG_CBOR = 0x71
export const DAG_JSON = 0x0129
export const ETH_BLOCK = Eth.BLOCK
export const ETH_STATE_TRIE = Eth.STATE_TRIE
export const ETH_STORAGE_TRIE = Eth.STORAGE_TRIE

/**
 * Returns all CIDs in a value. The function uses a loop, because the maker of a block chooses the depth of its value,
 * and recursion could exhaust the stack.
 */
const linksOf = (value: unknown): ReadonlyArray<Cid.Cid> => {
  const found: Array<Cid.Cid> = []
  const rest = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next !== "object" || next === null || next instanceof Uint8Array) continue
    const cid = Cid.asCid(next)
    if (cid !== undefined) found.push(cid)
    else {
      const inner: ReadonlyArray<unknown> = Object.values(next)
      for (let i = inner.length - 1; i >= 0; i--) rest.push(inner[i])
    }
  }
  return found
}

const none = () => Result.succeed([])

const eth = ([code, { links, name }]: readonly [number, Eth.Kind]): readonly [number, Codec] => [
  code,
  { name, decode: Eth.decode, links: (bytes) => Result.flatMap(Eth.decode(bytes), links) }
]

export const all: ReadonlyMap<number, Codec> = new Map<number, Codec>([
  [RAW, { name: "raw", decode: Result.succeed, links: none }],
  [
    DAG_PB,
    {
      name: "dag-pb",
      decode: (bytes) => DagCodec.decode("dag-pb", bytes),
      links: (bytes) => Result.map(DagPb.decode(bytes), ({ links }) => links.map(({ cid }) => cid))
    }
  ],
  // Plain JSON and CBOR have no links, even where a value looks like a link.
  [CBOR, { name: "cbor", decode: DagCbor.decode, links: none }],
  [JSON_TEXT, { name: "json", decode: (bytes) => DagJson.decode(bytes, { isPlain: true }), links: none }],
  // `decode` refuses a block with invalid keys. `links` accepts it, because the block still links to other blocks.
  [
    DAG_CBOR,
    {
      name: "dag-cbor",
      decode: DagCbor.decode,
      links: (bytes) => Result.map(DagCbor.decode(bytes, { anyKeys: true }), linksOf)
    }
  ],
  [
    DAG_JSON,
    {
      name: "dag-json",
      decode: DagJson.decode,
      links: (bytes) => Result.map(DagJson.decode(bytes, { anyKeys: true }), linksOf)
    }
  ],
  ...[...Eth.kinds].map(eth)
])
