/** Content with missing blocks, made with the standard's own libraries and stored block by block. */
import * as DagCbor from "@ipld/dag-cbor"
import * as DagPb from "@ipld/dag-pb"
import { CID } from "multiformats/cid"
import * as Raw from "multiformats/codecs/raw"
import { sha256 } from "multiformats/hashes/sha2"

import { keyStream, utf8 } from "../../suite/content.ts"
import type { Given } from "../comparedRow.ts"

type Make = (given: Given) => Promise<string>

const cidOf = async (code: number, bytes: Uint8Array): Promise<CID> => CID.createV1(code, await sha256.digest(bytes))

const put = async ({ ask }: Given, codec: string, body: Uint8Array): Promise<void> => {
  await ask(`block/put?cid-codec=${codec}`, { parts: [{ body }] })
}

/** Roots that no node has. */
export const missing: Readonly<Record<string, Make>> = {
  "a raw block that is not there": async () => String(await cidOf(Raw.code, utf8("kubo/missing/raw"))),
  "a dag-pb block that is not there": async () => String(await cidOf(DagPb.code, utf8("kubo/missing/dag-pb"))),
  "a block of version 0 that is not there": async () =>
    String(CID.createV0(await sha256.digest(utf8("kubo/missing/v0")))),
  "a dag-cbor block that is not there": async () => String(await cidOf(DagCbor.code, utf8("kubo/missing/dag-cbor")))
}

/** Returns a UnixFS message with this type, this size and these sizes of its parts. */
const message = (type: number, size: number | undefined, sizes: ReadonlyArray<number> = []): Uint8Array =>
  Uint8Array.from([
    8,
    type,
    ...(size === undefined ? [] : [24, ...varint(size)]),
    ...sizes.flatMap((each) => [32, ...varint(each)])
  ])

const varint = (value: number): ReadonlyArray<number> =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]

const CHUNK = 262_144

/** Makes a file of three chunks and leaves out the chunk at this place. */
const fileWithout =
  (place: number): Make =>
  async (given) => {
    const links: Array<DagPb.PBLink> = []
    for (const index of [0, 1, 2]) {
      const bytes = keyStream(`kubo/hole/${place}/${index}`, CHUNK)
      if (index !== place) await put(given, "raw", bytes)
      links.push({ Name: "", Hash: await cidOf(Raw.code, bytes), Tsize: CHUNK })
    }
    const bytes = DagPb.encode({ Data: message(2, 3 * CHUNK, [CHUNK, CHUNK, CHUNK]), Links: links })
    await put(given, "dag-pb", bytes)
    return String(await cidOf(DagPb.code, bytes))
  }

/** Makes a directory, and leaves out one of its entries. */
const folderWithout =
  (codec: "dag-pb" | "raw"): Make =>
  async (given) => {
    const there = utf8(`kubo/hole/there/${codec}`)
    await put(given, "raw", there)
    const absent = await cidOf(codec === "raw" ? Raw.code : DagPb.code, utf8(`kubo/hole/absent/${codec}`))
    const bytes = DagPb.encode({
      Data: message(1, undefined),
      Links: [
        { Name: "a", Hash: await cidOf(Raw.code, there), Tsize: there.length },
        { Name: "x", Hash: absent, Tsize: 5 }
      ]
    })
    await put(given, "dag-pb", bytes)
    return String(await cidOf(DagPb.code, bytes))
  }

/** Content whose root is present, and whose other blocks are partly missing. */
export const partial: Readonly<Record<string, Make>> = {
  "a file without its first chunk": fileWithout(0),
  "a file without its last chunk": fileWithout(2),
  "a directory without a file": folderWithout("raw"),
  "a directory without a directory": folderWithout("dag-pb"),
  "data with a link to nothing": async (given) => {
    const bytes = DagCbor.encode({ x: await cidOf(DagCbor.code, utf8("kubo/hole/cbor")) })
    await put(given, "dag-cbor", bytes)
    return String(await cidOf(DagCbor.code, bytes))
  }
}
