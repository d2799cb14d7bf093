/** The codecs of blocks: how each is decoded, and where its links are. A failure is a sentence about the bytes. */
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import * as Result from "effect/Result"

import * as Cid from "../Cid.ts"
import * as Eth from "./ethLinks.ts"

interface Codec {
  readonly name: string
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

/** A decoder of a library, which throws: what it says is about the form, never more than a line. */
const guarded =
  <A>(name: string, decode: (bytes: Uint8Array) => A) =>
  (bytes: Uint8Array): Result.Result<A, string> => {
    try {
      return Result.succeed(decode(bytes))
    } catch {
      return Result.fail(`not ${name}`)
    }
  }

/** A block of dag-pb: bytes, and links with names. */
export const decodePb: (bytes: Uint8Array) => Result.Result<dagPb.PBNode, string> = guarded("dag-pb", dagPb.decode)

/** CIDs anywhere in a value, found by a loop: depth is the block's to choose, and the stack is ours. */
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

const dataModel = (name: string, decode: (bytes: Uint8Array) => unknown): Codec => {
  const read = guarded(name, decode)
  return { name, decode: read, links: (bytes) => Result.map(read(bytes), linksOf) }
}

const none = () => Result.succeed([])

const parseJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))

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
      decode: decodePb,
      links: (bytes) => Result.map(decodePb(bytes), (node) => node.Links.map(({ Hash }) => Hash))
    }
  ],
  // what looks like a link in plain JSON and CBOR is none
  [CBOR, { name: "cbor", decode: guarded("cbor of the kind that dag-cbor is", dagCbor.decode), links: none }],
  [JSON_TEXT, { name: "json", decode: guarded("json", parseJson), links: none }],
  [DAG_CBOR, dataModel("dag-cbor", dagCbor.decode)],
  [DAG_JSON, dataModel("dag-json", dagJson.decode)],
  ...[...Eth.kinds].map(eth)
])
