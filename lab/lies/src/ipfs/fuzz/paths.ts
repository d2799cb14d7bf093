/**
 * Attacks paths through data and directories: with mutated blocks under new or old hashes, and with names that are
 * similar to existing ones.
 */
import * as dagCbor from "@ipld/dag-cbor"
import { BlockSource, Cid, Dag as Paths } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"
import { CID } from "multiformats/cid"

import type { Target } from "../../fuzzTarget.ts"
import { firstFalse } from "../../leaves.ts"
import * as Dag from "../dag.ts"
import { judged } from "../ipfsJudge.ts"
import * as Scan from "../scan.ts"
import * as Bytes from "./byteMutations.ts"

const FILE = Dag.raw("file")
const FOLDER = Dag.directory([
  [Dag.utf8("a"), FILE],
  [Dag.utf8("é"), FILE]
])

const innerOf = (to: CID): Uint8Array => dagCbor.encode({ a: [1, { b: "two" }], dir: to, n: null, "0": false })

const outerOf = (to: CID): Uint8Array => dagCbor.encode({ list: [to, 7], next: to, text: "t" })

const STEPS = ["list", "next", "text", "0", "1", "a", "b", "dir", "é", "n", "x", "constructor", "length", "00", "-1"]

const TRUE_PATHS: ReadonlyArray<ReadonlyArray<string>> = [
  ["next", "a", "1", "b"],
  ["list", "0", "dir", "a"],
  ["next", "dir", "é"],
  ["list", "1"],
  ["next", "n"],
  ["next", "0"],
  []
]

type Blocks = ReadonlyMap<string, Uint8Array>

/** The codecs that are read as CBOR: dag-cbor, and cbor, which Kubo reads in the same way. */
const CBOR: ReadonlySet<number> = new Set([Dag.DAG_CBOR, 0x51])

/** Returns the value at a path as the libraries read it; `absent` if there is none. */
const walk = (blocks: Blocks, root: CID, names: ReadonlyArray<string>): unknown => {
  let cid = root
  let rest = [...names]
  for (;;) {
    const bytes = blocks.get(Dag.keyOf(cid))!
    if (cid.code === Dag.DAG_PB && rest.length > 0) {
      const name = Dag.hex(Dag.utf8(rest.shift()!))
      const link = Scan.node(bytes).links.find((link) => Dag.hex(link.name ?? new Uint8Array(0)) === name)
      if (link === undefined) return "absent"
      cid = link.cid
      continue
    }
    let value: unknown = CBOR.has(cid.code) ? dagCbor.decode(bytes) : bytes
    while (rest.length > 0 && CID.asCID(value) === null) {
      const name = rest.shift()!
      const isIndex = Array.isArray(value) && /^(?:0|[1-9]\d*)$/u.test(name)
      const isKey =
        typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
      if (!(isIndex || isKey) || !Object.hasOwn(value as object, name)) return "absent"
      value = (value as Readonly<Record<string, unknown>>)[name]
      if (rest.length === 0 && CID.asCID(value) === null) return value
    }
    const link = CID.asCID(value)
    if (link === null || (names.length === 0 && rest.length === 0)) return value
    cid = link
    if (rest.length === 0 && !CBOR.has(cid.code)) return blocks.get(Dag.keyOf(cid))
    if (rest.length === 0) return dagCbor.decode(blocks.get(Dag.keyOf(cid))!)
  }
}

/**
 * Returns a value as text. A `Buffer` turns itself into an object before the replacer gets it. So the replacer reads
 * the `Buffer` from the object that holds it.
 */
const shown = (value: unknown): string =>
  JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, name, item: unknown) {
    const held = this[name]
    return held instanceof Uint8Array ? Dag.hex(held) : typeof item === "bigint" ? `${item}` : item
  }) ?? "undefined"

const oneMark = (text: string): string => text.replaceAll(/\ufffd+/gu, "\ufffd")

export const targets: ReadonlyArray<Target> = [
  {
    name: "ipfsPath",
    about:
      "Paths through data and directories: blocks mutated under their CIDs and hashed anew, names that are almost there",
    prepare: async () => (seed) => {
      const random = Random.make(seed)
      const isRehashed = Random.chance(random, 0.6)
      const donors = [innerOf(FOLDER.cid), outerOf(FILE.cid), FOLDER.bytes]
      const maybe = (codec: number, bytes: Uint8Array): Dag.Block =>
        Dag.block(codec, isRehashed && Random.chance(random, 0.4) ? Bytes.mutate(bytes, random, donors) : bytes)
      const folder = maybe(Dag.DAG_PB, FOLDER.bytes)
      const inner = maybe(Dag.DAG_CBOR, innerOf(folder.cid))
      const outer = maybe(Dag.DAG_CBOR, outerOf(inner.cid))
      const blocks = new Map([FILE, folder, inner, outer].map(({ bytes, cid }) => [Dag.keyOf(cid), bytes]))
      const truth = new Map(blocks)
      if (!isRehashed) {
        const { bytes, cid } = Random.pick(random, [FILE, folder, inner, outer])
        blocks.set(Dag.keyOf(cid), Bytes.mutate(bytes, random, donors))
      }
      let path = Random.pick(random, TRUE_PATHS)
      if (Random.chance(random, 0.3)) path = [...path, Random.pick(random, STEPS)]
      if (path.length > 0 && Random.chance(random, 0.2)) {
        path = path.with(Random.int(random, path.length), Random.pick(random, STEPS))
      }
      const source = BlockSource.fromBlocks(
        [...blocks].map(([key, bytes]) => ({
          cid: Result.getOrThrow(Cid.fromBytes(Uint8Array.from([1, 0x55, ...Buffer.from(key, "hex")]))),
          bytes
        }))
      )
      const read = Paths.resolve(source, outer.cid, path).pipe(
        Effect.map(({ value }): unknown => value),
        Effect.catchTag("NoSuchEntry", () => Effect.succeed("absent"))
      )
      return judged(read, (value) => {
        const expected = walk(truth, outer.cid, path)
        // Each library has its own form for the value of a dag-pb block, so such values are not compared.
        if (shown(value).includes('"Links"')) return undefined
        // Libraries also differ in the number of U+FFFD for text that is not UTF-8.
        return firstFalse(oneMark(shown(value)), oneMark(shown(expected)), [])
      })
    }
  }
]
