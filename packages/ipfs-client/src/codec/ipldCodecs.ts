/**
 * The codecs of blocks, each with its decoder and a function that finds links. A failure is a sentence about the bytes.
 */
import * as Result from "effect/Result"

import type * as Cid from "../cid/Cid.ts"
import type { Steps } from "../work/steps.ts"
import type { Flaw } from "./blockBounds.ts"
import * as BlockLinks from "./blockLinks.ts"
import * as DagCbor from "./dagCbor.ts"
import * as DagJose from "./dagJose.ts"
import * as DagJson from "./dagJson.ts"
import * as DagPb from "./dagPb.ts"
import * as DagPbValue from "./dagPbValue.ts"
import * as Eth from "./ethLinks.ts"

interface Codec {
  readonly name: string
  /**
   * Returns the value with distinct integers and floats, in steps. `DagCodec.plain` converts it to the types that
   * programs see.
   */
  readonly decode: (bytes: Uint8Array) => Steps<Result.Result<unknown, Flaw>>
  /** Finds the links, in steps. No object is made for a link before it is asked for. */
  readonly links: (bytes: Uint8Array) => Steps<Result.Result<BlockLinks.BlockLinks, Flaw>>
}

export const RAW = 0x55
const CBOR = 0x51
const JSON_TEXT = 0x0200
export const DAG_PB = 0x70
export const DAG_CBOR = 0x71
export const DAG_JOSE = 0x85
export const DAG_JSON = 0x0129
export const ETH_BLOCK = Eth.BLOCK
export const ETH_STATE_TRIE = Eth.STATE_TRIE
export const ETH_STORAGE_TRIE = Eth.STORAGE_TRIE

function* none(): Steps<Result.Result<BlockLinks.BlockLinks, Flaw>> {
  return Result.succeed(BlockLinks.none)
}

const eth = ([code, { links, name }]: readonly [number, Eth.EthCodec]): readonly [number, Codec] => [
  code,
  {
    name,
    *decode(bytes) {
      return Eth.decode(bytes)
    },
    *links(bytes) {
      const place = ({ multihash: { digest } }: Cid.Cid) => ({
        offset: digest.byteOffset - bytes.byteOffset,
        length: digest.length
      })
      return Result.map(Result.flatMap(Eth.decode(bytes), links), (cids) => BlockLinks.ofCids(cids, place))
    }
  }
]

export const all: ReadonlyMap<number, Codec> = new Map<number, Codec>([
  [
    RAW,
    {
      name: "raw",
      *decode(bytes) {
        return Result.succeed(bytes)
      },
      links: none
    }
  ],
  [DAG_PB, { name: "dag-pb", decode: DagPbValue.decode, links: DagPb.links }],
  // Plain JSON and CBOR have no links, even where a value looks like a link.
  [CBOR, { name: "cbor", decode: DagCbor.decodeSteps, links: none }],
  [JSON_TEXT, { name: "json", decode: (bytes) => DagJson.decodeSteps(bytes, { isPlain: true }), links: none }],
  // `decode` refuses a block with invalid keys. `links` accepts it, because the block still links to other blocks.
  [DAG_CBOR, { name: "dag-cbor", decode: DagCbor.decodeSteps, links: DagCbor.links }],
  [DAG_JOSE, { name: "dag-jose", decode: DagJose.decode, links: DagJose.links }],
  [DAG_JSON, { name: "dag-json", decode: DagJson.decodeSteps, links: DagJson.links }],
  ...[...Eth.kinds].map(eth)
])
