/**
 * Every way to store with the proving client, with the answer of an honest node and the answers of liars. The CIDs,
 * sizes and names in a liar's answer agree with each other, but not with the sent content.
 */
import { CarWriter } from "@ipld/car/writer"
import * as dagCbor from "@ipld/dag-cbor"
import { type Cid, type IpfsClient } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import { importer } from "ipfs-unixfs-importer"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"

import * as Dag from "./dag.ts"

type Client = IpfsClient.AnyClient

type Line = object

/** One call, the lines of an honest answer, all false answers, and the truth in the form that the oracle compares. */
export interface Writing {
  readonly method: string
  readonly command: string
  readonly write: (ipfs: Client) => Effect.Effect<unknown, IpfsClient.IpfsFailure>
  readonly honest: ReadonlyArray<Line>
  readonly lies: ReadonlyArray<ReadonlyArray<Line>>
  readonly truth: unknown
}

/**
 * Returns wrong CIDs to answer with: of another version or codec, with a cut digest, with the data inside the CID, and
 * of other content.
 */
const variants = (cid: CID, bytes: Uint8Array, others: ReadonlyArray<CID>): ReadonlyArray<CID> => {
  const { digest } = cid.multihash
  const cut = (size: number, code = 0x12): CID => CID.createV1(cid.code, Digest.create(code, digest.subarray(0, size)))
  return [
    ...(digest.length === 32 ? [CID.createV0(Digest.create(0x12, digest)), CID.createV1(0x70, cid.multihash)] : []),
    CID.createV1(0x55, cid.multihash),
    CID.createV1(0x71, cid.multihash),
    CID.createV1(0x0129, cid.multihash),
    cut(20),
    cut(31),
    cut(32, 0x1b),
    CID.createV1(cid.code, Digest.create(0, bytes.subarray(0, 100))),
    CID.createV1(
      cid.code,
      Digest.create(
        0x12,
        digest.map((byte, i) => (i === 31 ? byte ^ 1 : byte))
      )
    ),
    ...others
  ].filter((other) => !other.equals(cid))
}

interface Sent {
  readonly path: string
  readonly content: string
}

interface Added {
  readonly Name: string
  readonly Hash: string
  readonly Size: string
}

/** Returns Kubo's answer to adding these files, as the importer computes it. */
const added = async (sent: ReadonlyArray<Sent>, isV1: boolean): Promise<ReadonlyArray<Added>> => {
  const store = { put: async (cid: CID) => cid }
  const candidates = sent.map(({ content, path }) => ({ path, content: Dag.utf8(content) }))
  const lines: Array<Added> = []
  const options = isV1
    ? ({ profile: "unixfs-v0-2015", cidVersion: 1, rawLeaves: true } as const)
    : ({ profile: "unixfs-v0-2015" } as const)
  for await (const { cid, path, size } of importer(candidates, store, options)) {
    lines.push({ Name: path ?? "", Hash: String(cid), Size: String(size) })
  }
  return lines
}

const TREE: ReadonlyArray<Sent> = [
  { path: "d/a.txt", content: "one" },
  { path: "d/b.txt", content: "two" },
  { path: "d/sub/\ufeffc", content: "three and more" }
]

/** Exchanges these fields between two lines. */
const exchanged = (
  lines: ReadonlyArray<Added>,
  fields: ReadonlyArray<keyof Added>
): ReadonlyArray<ReadonlyArray<Added>> =>
  lines.flatMap((one, i) =>
    lines.slice(i + 1).map((two, j) => {
      const pick = (from: Added): Partial<Added> => Object.fromEntries(fields.map((field) => [field, from[field]]))
      return lines.with(i, { ...one, ...pick(two) }).with(i + 1 + j, { ...two, ...pick(one) })
    })
  )

const liesAboutTree = (
  honest: ReadonlyArray<Added>,
  others: ReadonlyArray<ReadonlyArray<Added>>
): ReadonlyArray<ReadonlyArray<Line>> => [
  ...exchanged(honest, ["Hash"]),
  ...exchanged(honest, ["Size"]),
  ...exchanged(honest, ["Name"]),
  ...exchanged(honest, ["Hash", "Size"]),
  ...others,
  // True files in a false directory, and the reverse.
  ...others.flatMap((other) => honest.map((_, i) => honest.with(i, other[i]!))),
  ...honest.flatMap((line, i) => [
    honest.toSpliced(i, 1),
    ...[-1, 1, 1000].map((more) => honest.with(i, { ...line, Size: String(Number(line.Size) + more) })),
    ...["", "x", `${line.Name}/`, line.Name.slice(1), `\ufeff${line.Name}`].map((Name) =>
      honest.with(i, { ...line, Name })
    ),
    ...variants(CID.parse(line.Hash), Dag.utf8("one"), []).map((cid) => honest.with(i, { ...line, Hash: String(cid) })),
    honest.with(i, { ...line, Mode: "0777", Mtime: 5 } as Added)
  ]),
  [...honest, { Name: "d/more", Hash: honest[0]!.Hash, Size: honest[0]!.Size }],
  []
]

/** Returns the lines of an answer by name, because Kubo chooses their order. */
const byName = (events: ReadonlyArray<{ readonly name: string }>): unknown =>
  Object.fromEntries(events.map((event) => [event.name, event]))

const truthOf = (lines: ReadonlyArray<Added>): unknown =>
  byName(lines.map(({ Hash, Name, Size }) => ({ name: Name, cid: Hash, size: Number(Size) })))

const tree = async (isV1: boolean, isStreamed: boolean): Promise<Writing> => {
  const honest = await added(TREE, isV1)
  const others = [
    await added(
      TREE.map((file) => ({ ...file, content: file.content.toUpperCase() })),
      isV1
    ),
    await added(TREE, !isV1),
    await added(
      TREE.map((file, i) => ({ ...file, content: TREE[(i + 1) % 3]!.content })),
      isV1
    )
  ]
  const entries = TREE.map(({ content, path }) => ({
    path,
    content: isStreamed ? Stream.make(Dag.utf8(content)) : content
  }))
  return {
    method: `addAll${isV1 ? " v1" : ""}${isStreamed ? " streamed" : ""}`,
    command: "add",
    write: (ipfs) =>
      Effect.map(Stream.runCollect(ipfs.addAll(entries, { cidVersion: isV1 ? 1 : 0 })), (events) =>
        byName(events.filter((event) => event.cid !== undefined))
      ),
    honest: honest,
    lies: liesAboutTree(honest, others),
    truth: truthOf(honest)
  }
}

/** Adds one file inside directories. The result is the outermost directory, whatever the order of the lines. */
const one = async (): Promise<Writing> => {
  const sent = TREE.slice(0, 1)
  const honest = await added(sent, false)
  const others = [await added([{ path: "d/a.txt", content: "ONE" }], false)]
  const outermost = honest.at(-1)!
  return {
    method: "add",
    command: "add",
    write: (ipfs) => ipfs.add({ path: "d/a.txt", content: "one" }),
    honest: honest,
    lies: [...liesAboutTree(honest, others), honest.toReversed()],
    truth: { name: outermost.Name, cid: outermost.Hash, size: Number(outermost.Size) }
  }
}

const nameless = async (): Promise<Writing> => {
  const [line] = await added([{ path: "x", content: "alone" }], false)
  const honest = [{ ...line!, Name: line!.Hash }]
  return {
    method: "add without a name",
    command: "add",
    write: (ipfs) => ipfs.add({ content: "alone" }),
    honest,
    lies: liesAboutTree(honest, [await added([{ path: "x", content: "ALONE" }], false)]),
    truth: { name: line!.Hash, cid: line!.Hash, size: Number(line!.Size) }
  }
}

const BYTES = Dag.utf8("a block that is put")

const OTHERS = ["other", "another"].map((text) => Dag.raw(text).cid)

const put = (method: string, codec: number, options: Parameters<Client["blockPut"]>[1], isV0 = false): Writing => {
  const v1 = Dag.cidOf(codec, BYTES)
  const cid = isV0 ? v1.toV0() : v1
  const answer = (named: CID, size = BYTES.length): ReadonlyArray<Line> => [{ Key: String(named), Size: size }]
  return {
    method,
    command: "block/put",
    write: (ipfs) => ipfs.blockPut(BYTES, options),
    honest: answer(cid),
    lies: [
      ...variants(cid, BYTES, OTHERS).map((other) => answer(other)),
      ...[0, 1, BYTES.length - 1, BYTES.length + 1].map((size) => answer(cid, size)),
      [],
      [...answer(cid), ...answer(cid)]
    ],
    truth: { cid: String(cid), size: BYTES.length }
  }
}

const dagPut = (json: string, stored: Uint8Array): Writing => {
  const cid = Dag.cidOf(Dag.DAG_CBOR, stored)
  const answer = (named: CID): ReadonlyArray<Line> => [{ Cid: { "/": String(named) } }]
  const nearby = [{ a: 1 }, { a: 2 }, { a: 1, b: 1 }, [1], {}].map((value) =>
    Dag.cidOf(Dag.DAG_CBOR, dagCbor.encode(value))
  )
  return {
    method: `dagPut ${json}`,
    command: "dag/put",
    write: (ipfs) => ipfs.dagPut(Dag.utf8(json)),
    honest: answer(cid),
    lies: variants(cid, stored, [...OTHERS, ...nearby]).map((other) => answer(other)),
    truth: String(cid)
  }
}

const NODE = Dag.directory([[Dag.utf8("a"), Dag.raw("x")]])

const objectPut: Writing = {
  method: "objectPut",
  command: "object/put",
  write: (ipfs) => ipfs.objectPut(NODE.bytes),
  honest: [{ Hash: String(NODE.cid.toV0()) }],
  // Version 1 of the same CID is not a lie, because nodes without the option answer with it.
  lies: variants(NODE.cid.toV0(), NODE.bytes, OTHERS)
    .filter((cid) => !cid.equals(NODE.cid))
    .map((cid) => [{ Hash: String(cid) }]),
  truth: String(NODE.cid.toV0())
}

const [P, Q] = ["p", "q"].map((text) => String(Dag.raw(text).cid) as Cid.CidText) as [Cid.CidText, Cid.CidText]
const PINNED = [P, Q]

/** Lies about pins. A list of pins is a claim of the node; these answers name other CIDs than the requested ones. */
const pins = (method: "pinAdd" | "pinRm" | "pinUpdate", command: string): Writing => ({
  method,
  command,
  write: (ipfs) => (method === "pinUpdate" ? ipfs.pinUpdate(P, Q) : ipfs[method](PINNED)),
  honest: [{ Pins: PINNED }],
  lies: [
    PINNED.toReversed(),
    [],
    PINNED.slice(1),
    [...PINNED, String(OTHERS[0])],
    [P, String(OTHERS[0])],
    OTHERS.map(String),
    variants(Dag.raw("p").cid, Dag.utf8("p"), []).map(String)
  ].map((Pins) => [{ Pins }]),
  truth: PINNED
})

const pinLs: Writing = {
  method: "pinLs",
  command: "pin/ls",
  write: (ipfs) => Effect.map(Stream.runCollect(ipfs.pinLs({ paths: PINNED })), (found) => found.map(({ cid }) => cid)),
  honest: PINNED.map((Cid) => ({ Cid, Type: "recursive" })),
  lies: [...OTHERS, ...variants(Dag.raw("p").cid, Dag.utf8("p"), [])].map((cid) => [
    { Cid: P, Type: "recursive" },
    { Cid: String(cid), Type: "recursive" }
  ]),
  truth: PINNED
}

const dagImport = async (): Promise<Writing> => {
  const { out, writer } = CarWriter.create([NODE.cid])
  const parts: Array<Uint8Array> = []
  const reading = (async () => {
    for await (const part of out) parts.push(part)
  })()
  await writer.put(NODE)
  await writer.close()
  await reading
  const car = Buffer.concat(parts)
  const root = (cid: CID): Line => ({ Root: { Cid: { "/": String(cid) }, PinErrorMsg: "" } })
  const stats = (blocks: number, bytes: number): Line => ({ Stats: { BlockCount: blocks, BlockBytesCount: bytes } })
  const sum = stats(1, NODE.bytes.length)
  return {
    method: "dagImport",
    command: "dag/import",
    write: (ipfs) => Stream.runCollect(ipfs.dagImport(car, { stats: true })),
    honest: [root(NODE.cid), sum],
    lies: [
      ...variants(NODE.cid, NODE.bytes, OTHERS)
        .filter((cid) => !cid.toV1().equals(NODE.cid))
        .map((cid) => [root(cid), sum]),
      ...[stats(0, 0), stats(2, NODE.bytes.length), stats(1, 1)].map((stats) => [root(NODE.cid), stats]),
      [root(NODE.cid), root(OTHERS[0]!), sum],
      [sum],
      [root(NODE.cid)],
      []
    ],
    truth: [{ root: { cid: String(NODE.cid), pinError: "" } }, { stats: { blocks: 1, bytes: NODE.bytes.length } }]
  }
}

/** `{"a":1.0}` as Kubo 0.43 stores it: a float of 64 bits. */
const FLOAT = Uint8Array.of(0xa1, 0x61, 0x61, 0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0)

export const writings: ReadonlyArray<Writing> = [
  await tree(false, false),
  await tree(true, false),
  await tree(false, true),
  await one(),
  await nameless(),
  put("blockPut", Dag.RAW, undefined),
  put("blockPut dag-cbor", Dag.DAG_CBOR, { cidCodec: "dag-cbor" }),
  put("blockPut v0", Dag.DAG_PB, { format: "v0" }, true),
  dagPut('{"a":1}', dagCbor.encode({ a: 1 })),
  dagPut('{"a":1.0}', FLOAT),
  objectPut,
  pins("pinAdd", "pin/add"),
  pins("pinRm", "pin/rm"),
  pins("pinUpdate", "pin/update"),
  pinLs,
  await dagImport()
]
