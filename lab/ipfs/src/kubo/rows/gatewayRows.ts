/**
 * Rows that GET blocks and CARs from the trustless gateway. They compare the headers of the answer, and the blocks in
 * order.
 */
import { CarReader } from "@ipld/car"

import { digestOf, keyStream } from "../../suite/content.ts"
import { linesOf, type Reply } from "../askNode.ts"
import type { Given, Row } from "../comparedRow.ts"

const CONTENT = keyStream("kubo/gateway", 900_000)

/**
 * Makes a directory that contains a file of four leaves (two of them equal), a small file, a symbolic link, and a
 * sharded directory.
 */
const setUp = async ({
  ask
}: Given): Promise<Readonly<Record<"DIR" | "FILE" | "SMALL" | "SHARDS" | "CBOR", string>>> => {
  const content = Buffer.from(CONTENT)
  content.copy(content, 524_288, 0, 262_144)
  const parts = [
    { body: content, name: "d/file" },
    { body: "hello", name: "d/in/small.txt" },
    { body: "in/small.txt", name: "d/link", type: "application/symlink" }
  ]
  const added = linesOf((await ask("add?pin=false", { parts })).body)
  const hashOf = (name: string): string => added.find(({ Name }) => Name === name).Hash
  const many = Array.from({ length: 60 }, (_, i) => ({ body: `${i}`, name: `s/${`${i}`.padStart(200, "n")}` }))
  const sharded = linesOf((await ask("add?pin=false&max-hamt-fanout=16&inline=false", { parts: many })).body)
  const data = JSON.stringify({ to: { "/": hashOf("d/in/small.txt") }, list: [1, { "/": hashOf("d") }] })
  const [put] = linesOf((await ask("dag/put?pin=false", { parts: [{ body: data }] })).body)
  return {
    DIR: hashOf("d"),
    FILE: hashOf("d/file"),
    SMALL: hashOf("d/in/small.txt"),
    SHARDS: sharded.find(({ Name }) => Name === "s").Hash,
    CBOR: put.Cid["/"]
  }
}

const NEVER = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"

const HEADERS = [
  "content-type",
  "content-disposition",
  "cache-control",
  "x-ipfs-path",
  "x-ipfs-roots",
  "x-content-type-options",
  "accept-ranges",
  "content-range"
]

const shown = async ({ body, headers, isWhole, status }: Reply, isHead: boolean) => {
  if (status !== 200 && status !== 206 && status !== 304) {
    return { status, ...(status === 416 ? { "content-range": headers["content-range"] } : {}) }
  }
  const type = headers["content-type"] ?? ""
  const head = Object.fromEntries(
    HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  )
  const etag = type.includes("car") ? {} : { etag: headers.etag }
  if (isHead || status === 304)
    return { status, ...head, ...etag, length: isHead ? headers["content-length"] : undefined }
  return {
    status,
    ...head,
    ...etag,
    isWhole,
    ...(type.includes("car") ? await carOf(body) : { bytes: digestOf(body) })
  }
}

const carOf = async (body: Buffer) => {
  const car = await CarReader.fromBytes(body)
  const blocks: Array<string> = []
  for await (const cid of car.cids()) blocks.push(String(cid))
  return { roots: (await car.getRoots()).map(String), blocks }
}

const row = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Row => ({
  name: [
    "gateway:",
    method === "GET" ? "" : `${method} `,
    path,
    ...Object.entries(headers).map(([name, value]) => `, ${name}: ${value}`)
  ]
    .join("")
    .replace(":", ": "),
  run: async (given) => {
    const cids = await setUp(given)
    const target = path.replaceAll(/DIR|FILE|SMALL|SHARDS|CBOR/gu, (name) => cids[name as keyof typeof cids])
    const filled = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replaceAll("FILE", cids.FILE)])
    )
    return shown(await given.ask(`/ipfs/${target}`, { method, headers: filled }), method === "HEAD")
  }
})

const RAW = { accept: "application/vnd.ipld.raw" }
const CAR = { accept: "application/vnd.ipld.car" }

/** Values of the header Range, for a block of 13 bytes. */
const RANGES = [
  "bytes=0-3",
  "bytes=0-0",
  "bytes=5-",
  "bytes=-3",
  "bytes=-30",
  "bytes=12-100",
  "bytes=13-",
  "bytes=14-20",
  "bytes=5-4",
  "bytes=x",
  "bytes=--2",
  "items=0-1",
  "bytes=0-1,3-4",
  "bytes=0-8,1-9",
  "bytes=",
  "bytes=1-2,",
  "bytes= 1-2 "
]

const ranges = ["0:*", "0:0", "262143:262144", "262144:524287", "-1:*", "-900000:0", "1:-1", "899999:899999", "5:*"]
const beyond = ["0:9000000", "900000:*", "900001:900002", "-9000000:*", "0:-900001"]
const wrong = ["5:4", "-4:-5", "x", "1", "1:2:3", "*:1", "1.5:2", ""]

export const rows: ReadonlyArray<Row> = [
  row("FILE?format=raw"),
  row("DIR?format=raw"),
  row("DIR/in/small.txt?format=raw"),
  row("CBOR?format=raw"),
  row("CBOR/to?format=raw"),
  row("FILE?format=raw&filename=a%20b.bin"),
  row("FILE", RAW),
  row("FILE?format=raw", CAR),
  row("FILE?format=raw", {}, "HEAD"),
  row("FILE?format=raw", { "if-none-match": '"FILE.raw"' }),
  row("FILE?format=raw", { "if-none-match": 'W/"FILE.raw"' }),
  row("FILE?format=raw", { "if-none-match": "*" }),
  row("FILE?format=raw", { "if-none-match": '"other"' }),
  ...RANGES.map((range) => row("SMALL?format=raw", { range })),
  row("SMALL?format=raw", { range: "bytes=1-3" }, "HEAD"),
  row("FILE?format=raw", { range: "bytes=1-3", "if-range": '"FILE.raw"' }),
  row("FILE?format=raw", { range: "bytes=1-3", "if-range": 'W/"FILE.raw"' }),
  row("FILE?format=raw", { range: "bytes=1-3", "if-range": '"other"' }),
  row("FILE?format=raw", { range: "bytes=1-3", "if-none-match": '"FILE.raw"' }),
  row("DIR/in/small.txt?format=raw", { range: "bytes=2-" }),
  row("FILE?format=car&dag-scope=block", { range: "bytes=1-3" }),
  row("bafkqaaa?format=raw", { range: "bytes=1-3" }),
  row("bafkqaaa?format=raw"),
  row("bafkqaaa?format=raw", {}, "HEAD"),
  row("bafkqaaa?format=car"),
  row(`${NEVER}?format=raw`),
  row(`${NEVER}?format=raw`, {}, "HEAD"),
  row(`${NEVER}?format=car`),
  row("DIR/none?format=raw"),
  row("FILE/none?format=raw"),
  row("nothing?format=raw"),
  row("FILE?format=raw", {}, "POST"),
  row("FILE?format=raw", {}, "DELETE"),
  ...[
    "FILE",
    "DIR",
    "SMALL",
    "SHARDS",
    "CBOR",
    "DIR/file",
    "DIR/in",
    "DIR/in/small.txt",
    "DIR/link",
    "CBOR/to",
    "CBOR/list/1/in"
  ].flatMap((path) => ["all", "entity", "block"].map((scope) => row(`${path}?format=car&dag-scope=${scope}`))),
  row("DIR?format=car"),
  row("DIR?format=car", {}, "HEAD"),
  row("DIR", CAR),
  row("DIR", { accept: "application/vnd.ipld.car; version=1; order=dfs; dups=y" }),
  row("FILE?format=car&car-dups=y"),
  row("FILE?format=car&car-dups=n"),
  row("FILE?format=car&car-order=unk"),
  row("FILE?format=car&car-version=1"),
  row("FILE?format=car&car-version=2"),
  row("FILE?format=car&car-order=bfs"),
  row("FILE?format=car&car-dups=x"),
  row("FILE?format=car&dag-scope=x"),
  row("DIR/none?format=car"),
  row("DIR/in/none?format=car"),
  row("SHARDS/none?format=car"),
  ...[...ranges, ...beyond, ...wrong].map((range) => row(`DIR/file?format=car&dag-scope=entity&entity-bytes=${range}`)),
  row("DIR?format=car&dag-scope=entity&entity-bytes=0:1"),
  row("DIR/file?format=car&entity-bytes=0:1")
]
