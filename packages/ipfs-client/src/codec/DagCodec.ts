/**
 * Converts values between codecs of IPLD without loss, as `dag/put` and `dag/get` do.
 *
 * **When to use**: for a value that is written again. To look at a value, use `Block.decode`, which returns plain
 * numbers and strings. Plain values do not show whether 1 was an integer or a float, and cannot hold text that is not
 * UTF-8. In this module whole floats are `Float`, and strings that are not UTF-8 are `Text`.
 *
 * Blocks are written as Kubo writes them, so that their CIDs are Kubo's.
 *
 * Source: the specifications of dag-json, dag-cbor and dag-pb; go-ipld-prime 0.24 and go-codec-dagpb 1.7 for questions
 * that the specifications leave open.
 */
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as DagCbor from "./cbor.ts"
import * as DagJson from "./json.ts"
import * as Names from "./names.ts"
import * as DagPb from "./pb.ts"
import * as Value from "./value.ts"

export { Float, Text } from "./value.ts"

/** The name of a codec for reading and writing values. */
export type Name = "dag-cbor" | "dag-json" | "dag-pb" | "raw"

/** True if the text is the name of a codec of this module. */
export const isName = (name: string): name is Name => Object.hasOwn(CODECS, name)

/**
 * Reads a value.
 *
 * Fails with a sentence if the bytes are invalid in this codec.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * const json = new TextEncoder().encode('[1.0, 1]')
 * const value = Result.getOrThrow(DagCodec.decode("dag-json", json))
 * value // => [new DagCodec.Float(1), 1]
 * ```
 */
export const decode = (codec: Name, bytes: Uint8Array): Result.Result<unknown, string> => CODECS[codec].decode(bytes)

/**
 * Writes a value.
 *
 * Fails with a sentence if the codec cannot represent the value: dag-pb can write only its own nodes, and raw can write
 * only bytes. In dag-json, text that is not UTF-8 is written only for display, with U+FFFD for each byte that is not
 * part of a character.
 *
 * ```ts import.meta.vitest
 * import { DagCodec } from "@plumbline/ipfs-client"
 * import { Result } from "effect"
 *
 * Result.getOrThrow(DagCodec.encode("dag-cbor", [1])) // => Uint8Array.of(0x81, 1)
 * DagCodec.encode("dag-pb", { x: 1 }) // => Result.fail("not a dag-pb node: a key that it does not have")
 * ```
 */
export const encode = (codec: Name, value: unknown): Result.Result<Uint8Array, string> => CODECS[codec].encode(value)

/** Returns the value as `Block.decode` does: floats as numbers, and text that is not UTF-8 as text for display. */
export const plain = (value: unknown): unknown => Value.plain(value)

interface Codec {
  readonly decode: (bytes: Uint8Array) => Result.Result<unknown, string>
  readonly encode: (value: unknown) => Result.Result<Uint8Array, string>
}

/** Reads a node of dag-pb as a value. A key that the block omits is absent from the value. */
const decodePb = (bytes: Uint8Array): Result.Result<unknown, string> =>
  Result.map(DagPb.decode(bytes), ({ data, links }) => ({
    ...(data === undefined ? {} : { Data: data }),
    Links: links.map(({ cid, name, totalSize }) => ({
      Hash: cid,
      ...(name === undefined ? {} : { Name: Value.text(name) }),
      ...(totalSize === undefined ? {} : { Tsize: totalSize })
    }))
  }))

/**
 * Writes a node of dag-pb. Links may come in any order, and are sorted by their names. Source: the schema of dag-pb, in
 * which `Links` is required.
 */
const encodePb = (value: unknown): Result.Result<Uint8Array, string> => {
  if (!Value.isMap(value)) return notNode("no map")
  const { Data, Links, ...rest } = value
  if (Object.keys(rest).length > 0) return notNode("a key that it does not have")
  if (Object.hasOwn(value, "Data") && !(Data instanceof Uint8Array)) return notNode("Data that is not bytes")
  if (!Array.isArray(Links)) return notNode("no list of Links")
  const links: Array<DagPb.Link> = []
  for (const link of Links) {
    if (!Value.isMap(link)) return notNode("a link that is not a map")
    const { Hash, Name, Tsize, ...rest } = link
    if (Object.keys(rest).length > 0) return notNode("a key of a link that it does not have")
    const cid = Cid.asCid(Hash)
    if (cid === undefined) return notNode("a link without its Hash")
    const name = Object.hasOwn(link, "Name") ? bytesOf(Name) : undefined
    if (Object.hasOwn(link, "Name") && name === undefined) return notNode("a Name that is not a string")
    if (Object.hasOwn(link, "Tsize") && !isSize(Tsize)) return notNode("a Tsize that is not a size")
    links.push({ cid, name, totalSize: isSize(Tsize) ? Tsize : undefined })
  }
  return Result.succeed(DagPb.encode({ data: Data instanceof Uint8Array ? Data : undefined, links }))
}

const bytesOf = (value: unknown): Uint8Array | undefined => {
  if (value instanceof Value.Text) return value.bytes
  const name = typeof value === "string" ? Names.of(value) : undefined
  return name === undefined ? undefined : Names.toBytes(name)
}

/** True for an integer from 0 to 2^63 - 1, the range of Go's `int64` without negative numbers. */
const isSize = (value: unknown): value is number | bigint =>
  (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) ||
  (typeof value === "bigint" && value >= 0n && value < 1n << 63n)

const notNode = (detail: string): Result.Result<never, string> => Result.fail(`not a dag-pb node: ${detail}`)

const CODECS: Readonly<Record<Name, Codec>> = {
  "dag-cbor": DagCbor,
  "dag-json": DagJson,
  "dag-pb": { decode: decodePb, encode: encodePb },
  raw: {
    decode: Result.succeed,
    encode: (value) => (value instanceof Uint8Array ? Result.succeed(value) : Result.fail("only bytes can be raw"))
  }
}
