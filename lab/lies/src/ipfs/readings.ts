/**
 * Every way to read with the proving client, each with its true result, which is known because the content is made
 * here.
 */
import { CarReader } from "@ipld/car/reader"
import * as dagCbor from "@ipld/dag-cbor"
import { type IpfsClient, IpfsPath } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import type { CID } from "multiformats/cid"

import * as Dag from "./dag.ts"
import * as World from "./ipfsWorld.ts"
import * as Tar from "./tar.ts"

type Client = IpfsClient.AnyClient

/** One call, its value in a form that the oracle compares, and the truth in the same form. */
export interface Reading {
  readonly method: string
  readonly read: (ipfs: Client) => Effect.Effect<unknown, IpfsClient.IpfsFailure>
  readonly truth: unknown
}

const FILE = Dag.utf8("a".repeat(40) + "b".repeat(40) + "c".repeat(40))

const at = (cid: CID, ...names: ReadonlyArray<string>): IpfsPath.IpfsPath => IpfsPath.make(cid, ...names)

const text = (cid: CID): string => String(cid)

const bytes = (stream: Stream.Stream<Uint8Array, IpfsClient.IpfsFailure>) => Stream.mkUint8Array(stream)

const list = <A>(stream: Stream.Stream<A, IpfsClient.IpfsFailure>, key: (value: A) => string) =>
  Effect.map(Stream.runCollect(stream), (values) => Object.fromEntries(values.map((value) => [key(value), value])))

const keyOf = ({ name, nameBytes }: { readonly name: string; readonly nameBytes?: Uint8Array | undefined }): string =>
  Dag.hex(nameBytes ?? Dag.utf8(name))

const [a, b, link, sub, marked, broken] = World.ENTRIES.map(([, to]) => text(to.cid)) as [
  string,
  string,
  string,
  string,
  string,
  string
]

const entries = (isBare: boolean) =>
  Object.fromEntries(
    [
      { name: "a.txt", cid: a, size: 5, type: 2, target: "" },
      { name: "b.bin", cid: b, size: 120, type: 2, target: "" },
      { name: "link", cid: link, size: 0, type: 4, target: "\ufeffup" },
      { name: "sub", cid: sub, size: 0, type: 1, target: "" },
      { name: "\ufeffa.txt", cid: marked, size: 5, type: 2, target: "" },
      { name: "\ufffd", cid: broken, size: 5, type: 2, target: "", nameBytes: Uint8Array.of(0xff) }
    ].map((entry) => [
      keyOf(entry),
      isBare ? { name: entry.name, cid: entry.cid, size: 0, type: 0, nameBytes: entry.nameBytes } : entry
    ])
  )

const root = text(World.directory.cid)

const archived: ReadonlyArray<Tar.Entry> = [
  { path: Dag.hex(Dag.utf8(root)), type: "5", content: "", target: "" },
  ...(
    [
      [Dag.utf8("a.txt"), "0", Dag.utf8("small"), ""],
      [Dag.utf8("b.bin"), "0", FILE, ""],
      [Dag.utf8("link"), "2", new Uint8Array(0), Dag.hex(Dag.utf8("\ufeffup"))],
      [Dag.utf8("sub"), "5", new Uint8Array(0), ""],
      [Dag.utf8("sub/\ufeffa"), "0", Dag.utf8("small"), ""],
      [Dag.utf8("\ufeffa.txt"), "0", Dag.utf8("twins"), ""],
      [Uint8Array.of(0xff), "0", Dag.utf8("twins"), ""]
    ] as const
  ).map(([name, type, content, target]) => ({
    path: Dag.hex(Buffer.concat([Dag.utf8(`${root}/`), name])),
    type,
    content: Dag.hex(content),
    target
  }))
]

const blocksIn = (car: Uint8Array) =>
  Effect.promise(async () => {
    const reader = await CarReader.fromBytes(car)
    const found: Record<string, string> = { roots: (await reader.getRoots()).map(String).join(" ") }
    for await (const block of reader.blocks()) found[String(block.cid)] = Dag.hex(block.bytes)
    return found
  })

/** The blocks of the file. */
const dag = Object.fromEntries([
  ["roots", text(World.file.cid)],
  ...World.truth.slice(0, 5).map(({ bytes, cid }) => [text(cid), Dag.hex(bytes)] as const)
])

const json = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes))

const shown = { big: "1152921504606846976", a: [1, 2.5, { deep: "yes" }], link: { "/": root }, text: "\ufeffmark" }

const sizes = {
  cid: root,
  links: World.ENTRIES.length,
  blockSize: World.directory.bytes.length,
  dataSize: 2,
  linksSize: World.directory.bytes.length - 2,
  cumulativeSize: World.ENTRIES.reduce((sum, [, to]) => sum + to.bytes.length, World.directory.bytes.length)
}

export const readings: ReadonlyArray<Reading> = [
  { method: "cat file", read: (ipfs) => bytes(ipfs.cat(World.file.cid)), truth: FILE },
  {
    method: "cat range",
    read: (ipfs) => bytes(ipfs.cat(World.file.cid, { offset: 38, length: 50 })),
    truth: FILE.subarray(38, 88)
  },
  { method: "cat path", read: (ipfs) => bytes(ipfs.cat(at(World.directory.cid, "b.bin"))), truth: FILE },
  {
    method: "cat marked",
    read: (ipfs) => bytes(ipfs.cat(at(World.directory.cid, "\ufeffa.txt"))),
    truth: Dag.utf8("twins")
  },
  {
    method: "cat deep",
    read: (ipfs) => bytes(ipfs.cat(at(World.directory.cid, "sub", "\ufeffa"))),
    truth: Dag.utf8("small")
  },
  {
    method: "cat shard",
    read: (ipfs) => bytes(ipfs.cat(at(World.shards.root, World.SHARDED[4]!))),
    truth: Dag.utf8(World.shardedContent(4))
  },
  {
    method: "absent",
    read: (ipfs) =>
      bytes(ipfs.cat(at(World.directory.cid, "\ufffd"))).pipe(
        Effect.map((): unknown => "there"),
        Effect.catchTag("NoSuchEntry", () => Effect.succeed("absent"))
      ),
    truth: "absent"
  },
  {
    method: "get",
    read: (ipfs) => Effect.map(bytes(ipfs.get(World.directory.cid)), Tar.read),
    truth: archived
  },
  { method: "ls", read: (ipfs) => list(ipfs.ls(World.directory.cid), keyOf), truth: entries(false) },
  {
    method: "ls bare",
    read: (ipfs) => list(ipfs.ls(World.directory.cid, { resolveType: false, size: false }), keyOf),
    truth: entries(true)
  },
  {
    method: "ls shard",
    read: (ipfs) => list(ipfs.ls(World.shards.root), keyOf),
    truth: Object.fromEntries(
      World.SHARDED.map((name, i) => {
        const { bytes, cid } = Dag.raw(World.shardedContent(i))
        return [keyOf({ name }), { name, cid: text(cid), size: bytes.length, type: 2, target: "" }]
      })
    )
  },
  {
    method: "filesStat file",
    read: (ipfs) => ipfs.filesStat(`/ipfs/${text(World.file.cid)}`),
    truth: {
      cid: text(World.file.cid),
      size: 120,
      cumulativeSize: World.file.bytes.length + 40 + World.truth[3]!.bytes.length,
      blocks: 2,
      type: "file"
    }
  },
  {
    method: "filesStat directory",
    read: (ipfs) => ipfs.filesStat(`/ipfs/${root}`),
    truth: { cid: root, size: 0, cumulativeSize: sizes.cumulativeSize, blocks: sizes.links, type: "directory" }
  },
  {
    method: "blockGet",
    read: (ipfs) => ipfs.blockGet(World.small.cid),
    truth: World.small.bytes
  },
  {
    method: "blockStat",
    read: (ipfs) => ipfs.blockStat(World.file.cid),
    truth: { cid: text(World.file.cid), size: World.file.bytes.length }
  },
  {
    method: "dagGet",
    read: (ipfs) =>
      Effect.map(ipfs.dagGet(World.data.cid), (bytes) => ({
        ...(json(bytes) as object),
        // JSON.parse would round this number
        big: /"big":(\d+)/u.exec(new TextDecoder().decode(bytes))?.[1]
      })),
    truth: shown
  },
  {
    method: "dagGet path",
    read: (ipfs) => Effect.map(ipfs.dagGet(at(World.data.cid, "a", "2", "deep")), json),
    truth: "yes"
  },
  {
    method: "dagGet in dag-cbor",
    read: (ipfs) => ipfs.dagGet(at(World.data.cid, "a"), { outputCodec: "dag-cbor" }),
    truth: dagCbor.encode(World.DATA.a)
  },
  {
    method: "dagGet through a link",
    read: (ipfs) => ipfs.dagGet(at(World.data.cid, "link", "a.txt"), { outputCodec: "raw" }),
    truth: World.small.bytes
  },
  {
    method: "dagResolve",
    read: (ipfs) => ipfs.dagResolve(at(World.data.cid, "link", "sub", "\ufeffa")),
    truth: { cid: text(World.small.cid), remainder: "" }
  },
  {
    method: "dagResolve inside",
    read: (ipfs) => ipfs.dagResolve(at(World.data.cid, "a", "2")),
    truth: { cid: text(World.data.cid), remainder: "a/2" }
  },
  {
    method: "dagExport",
    read: (ipfs) => Effect.flatMap(bytes(ipfs.dagExport(World.file.cid)), blocksIn),
    truth: dag
  },
  {
    method: "objectGet",
    read: (ipfs) => ipfs.objectGet(World.directory.cid),
    truth: {
      links: World.ENTRIES.map(([name, { bytes, cid }]) => ({
        name: name[0] === 0xff ? "\ufffd" : new TextDecoder("utf-8", { ignoreBOM: true }).decode(name),
        cid: text(cid),
        size: bytes.length,
        nameBytes: name[0] === 0xff ? name : undefined
      })),
      data: "CAE="
    }
  },
  {
    method: "objectData",
    read: (ipfs) => ipfs.objectData(World.directory.cid),
    truth: Uint8Array.of(8, 1)
  },
  { method: "objectStat", read: (ipfs) => ipfs.objectStat(World.directory.cid), truth: sizes }
]

/** An export of the node's blocks. It must contain the root, and only true blocks that the root leads to. */
export const partial: Reading = {
  method: "dagExport localOnly",
  read: (ipfs) => Effect.flatMap(bytes(ipfs.dagExport(World.file.cid, { localOnly: true })), blocksIn),
  truth: dag
}
