/** The codecs under attack; the libraries of IPLD are the oracles. */
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import { DagCodec, UnixFsData } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"
import { UnixFS } from "ipfs-unixfs"
import type { CID } from "multiformats/cid"

import { accepted, type Outcome, refused, type Target } from "../../fuzzTarget.ts"
import { type Difference, firstFalse } from "../../leaves.ts"
import * as Dag from "../dag.ts"
import * as Scan from "../scan.ts"
import * as Bytes from "./byteMutations.ts"

const LINK = Dag.raw("linked").cid

const VALUES: ReadonlyArray<unknown> = [
  { a: 1, b: [true, null, 1.5, "é\u{1f600}"], c: { d: LINK, e: Uint8Array.of(1, 2, 3) } },
  [0, 23, 24, 255, 256, 65535, 65536, 2 ** 32, -1, -24, -25, 2n ** 60n, -(2n ** 60n)],
  { "": "", "/": 1, bytes: "AA", link: { "/": "x", y: LINK }, "\ufeffmark": "\ufeff" },
  { __proto__x: 1, constructor: [LINK, [LINK]], long: "x".repeat(40) }
]

/**
 * True for a leaf that libraries read differently: they drop byte order marks, and replace bytes that are not UTF-8.
 */
const isLossy = (value: unknown): boolean =>
  /\\ufeff|\ufeff|\ufffd/u.test(
    JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}` : item))
  )

interface Library {
  readonly decode: (bytes: Uint8Array) => unknown
  readonly encode: (value: never) => Uint8Array
}

const target = (
  name: "dag-cbor" | "dag-json" | "dag-pb",
  about: string,
  library: Library,
  truths: ReadonlyArray<Uint8Array>,
  isOwnForm: (bytes: Uint8Array, value: unknown) => boolean
): Target => ({
  name: { "dag-cbor": "ipfsDagCbor", "dag-json": "ipfsDagJson", "dag-pb": "ipfsDagPb" }[name],
  about,
  prepare:
    async () =>
    (seed: number): Outcome => {
      const random = Random.make(seed)
      const bytes = Bytes.mutate(Random.pick(random, truths), random, truths)
      const exact = DagCodec.decode(name, bytes)
      if (Result.isFailure(exact)) return refused(exact.failure)
      const value = DagCodec.plain(exact.success)
      // Writing a value and reading it again must give the same value.
      const again = Result.flatMap(DagCodec.encode(name, exact.success), (bytes) => DagCodec.decode(name, bytes))
      if (Result.isFailure(again))
        return isOwnForm(bytes, exact.success) ? { _tag: "True" } : lie("written", again.failure)
      const lost = firstFalse(kindless(DagCodec.plain(again.success)), kindless(value), [])
      if (lost !== undefined && !isSorted(name)) return accepted(lost)
      if (isLossy(value)) return { _tag: "True" }
      const theirs = Result.try(() => library.decode(bytes))
      if (Result.isFailure(theirs)) {
        return isOwnForm(bytes, exact.success)
          ? { _tag: "True" }
          : lie("accepted", `${Dag.hex(bytes)}: the library refuses it`)
      }
      return accepted(difference(value, theirs.success))
    }
})

/** True if writing sorts the links, so that an unsorted node changes. */
const isSorted = (name: string): boolean => name === "dag-pb"

const lie = (leaf: string, got: string): Outcome => ({ _tag: "False", leaf, expected: "what the library says", got })

/**
 * Returns the value with whole floats as integers, because dag-json writes a whole float as an integer. Kubo does the
 * same.
 */
const kindless = (value: unknown): unknown => {
  if (typeof value === "number" || typeof value === "bigint") return `number ${Number(value)}`
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || "asCID" in value)
    return shown(value)
  if (Array.isArray(value)) return value.map(kindless)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, kindless(inner)]))
}

/** Returns a value with CIDs and floats as text, so that its leaves can be compared with the oracle's. */
const shown = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) {
    return typeof value === "number" && !Number.isSafeInteger(value) ? `float ${value}` : value
  }
  if ("asCID" in value && value.asCID === value) return `CID ${Dag.hex((value as CID).bytes)}`
  if (Array.isArray(value)) return value.map(shown)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]))
}

const difference = (value: unknown, truth: unknown): Difference | undefined =>
  firstFalse(shown(value), shown(truth), [])

const links = (names: ReadonlyArray<string | undefined>): ReadonlyArray<dagPb.PBLink> =>
  names.map((Name) => ({ Hash: LINK, ...(Name === undefined ? {} : { Name, Tsize: 300 }) }))

/** True for a map that only begins like a link. The specification of dag-json allows it, but the library does not. */
const beginsLikeLink = (bytes: Uint8Array): boolean => new TextDecoder().decode(bytes).includes('"/"')

/** True for integers of more than 64 bits, which the library turns into floats, or refuses. */
const hasWideInteger = (bytes: Uint8Array): boolean => /\d{16,}/u.test(new TextDecoder().decode(bytes))

/** True for a text with an escaped half of a surrogate pair. */
const hasEscapes = (bytes: Uint8Array): boolean => /\\u[dD][89abcdefABCDEF]/u.test(new TextDecoder().decode(bytes))

const never = (): boolean => false

const unixFs: Target = {
  name: "ipfsUnixFsData",
  about: "The message of UnixFS: mutated bytes, against a reader without checks",
  prepare: async () => {
    const truths = [
      Dag.message("file", Dag.utf8("hello")),
      Dag.message("file", undefined, [5, 300, 0]),
      Dag.message("directory"),
      Dag.message("symlink", Dag.utf8("to")),
      new UnixFS({ type: "file", data: Dag.utf8("x"), mode: 0o600, mtime: { secs: 7n, nsecs: 8 } }).marshal()
    ]
    return (seed: number): Outcome => {
      const random = Random.make(seed)
      const bytes = Bytes.mutate(Random.pick(random, truths), random, truths)
      const ours = UnixFsData.decode(bytes)
      if (Result.isFailure(ours)) return refused(ours.failure.replaceAll(/\d+/gu, "#"))
      const { blockSizes, data, fileSize, kind } = ours.success
      const found = Result.try(() => scanned(bytes))
      // the oracle does not support fields of four and eight bytes
      if (Result.isFailure(found)) return refused("by the oracle")
      return accepted(firstFalse({ kind, data: data ?? new Uint8Array(0), fileSize, blockSizes }, found.success, []))
    }
  }
}

const KINDS = ["raw", "directory", "file", "metadata", "symlink", "hamt-shard"]

/** Returns the message as the oracle reads it. */
const scanned = (bytes: Uint8Array) => {
  let kind: string | undefined
  let data = new Uint8Array(0)
  let fileSize: number | undefined
  const blockSizes: Array<number> = []
  for (const [field, value] of Scan.fields(bytes)) {
    if (field === 1) kind = KINDS[Number(value)]
    else if (field === 2 && typeof value !== "number") data = Uint8Array.from(value)
    else if (field === 3) fileSize = Number(value)
    else if (field === 4) blockSizes.push(...(typeof value === "number" ? [value] : Scan.packed(value)))
  }
  return { kind, data, fileSize, blockSizes }
}

export const targets: ReadonlyArray<Target> = [
  target(
    "dag-cbor",
    "Blocks of dag-cbor: mutated bytes, against @ipld/dag-cbor",
    dagCbor,
    VALUES.map((value) => dagCbor.encode(value)),
    never
  ),
  target(
    "dag-json",
    "Texts of dag-json: mutated bytes, against @ipld/dag-json",
    dagJson,
    VALUES.map((value, i) =>
      i === 2 ? Dag.utf8('{"":"","bytes":"AA","\ufeffmark":[1.0,1e3,-0,{"/":{"bytes":"AAE"}}]}') : dagJson.encode(value)
    ),
    (bytes) => beginsLikeLink(bytes) || hasWideInteger(bytes) || hasEscapes(bytes)
  ),
  target(
    "dag-pb",
    "Blocks of dag-pb: mutated bytes, against @ipld/dag-pb",
    dagPb,
    [
      dagPb.encode({ Data: Uint8Array.of(8, 1), Links: [...links(["a", "b", "cc"])] }),
      dagPb.encode({ Links: [...links([undefined, undefined])] }),
      dagPb.encode({ Data: Dag.message("file", undefined, [5, 6]), Links: [...links(["", ""])] })
    ],
    (_, value) =>
      (value as { readonly Links: ReadonlyArray<{ readonly Tsize?: unknown }> }).Links.some(
        ({ Tsize }) => typeof Tsize === "bigint"
      )
  ),
  unixFs
]
