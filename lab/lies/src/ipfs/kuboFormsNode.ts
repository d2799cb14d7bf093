/** A node as an `HttpClient`, with answers in Kubo's formats. All answers are made from the blocks of one world. */
import { CarWriter } from "@ipld/car/writer"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import { IpfsClient } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { UnixFS } from "ipfs-unixfs"
import { CID } from "multiformats/cid"

import * as Dag from "./dag.ts"
import type { Blocks, World } from "./ipfsWorld.ts"
import * as Scan from "./scan.ts"

/** The answers to commands that store: the lines of the body, by command. */
export type Lines = Readonly<Record<string, ReadonlyArray<unknown>>>

const blockAt = (blocks: Blocks, cid: CID): Uint8Array => {
  const bytes = cid.multihash.code === 0 ? cid.multihash.digest : blocks.get(Dag.keyOf(cid))
  if (bytes === undefined) throw new Error(`block was not found locally (offline): ipld: could not find ${String(cid)}`)
  return bytes
}

/** Returns the CID at a path through plain directories. */
const resolved = (blocks: Blocks, path: string): CID => {
  const [root = "", ...names] = path.replace(/^\/ipfs\//u, "").split("/")
  return names.reduce((cid, name) => {
    const link = Scan.node(blockAt(blocks, cid)).links.find((link) => Dag.hex(link.name!) === Dag.hex(Dag.utf8(name)))
    if (link === undefined) throw new Error(`no link named ${JSON.stringify(name)} under ${String(cid)}`)
    return link.cid
  }, CID.parse(root))
}

/** Returns the blocks of a DAG, depth first, following the links of the world's blocks. */
const walk = (blocks: Blocks, cid: CID, seen = new Set<string>()): ReadonlyArray<Dag.Block> => {
  if (seen.has(String(cid))) return []
  seen.add(String(cid))
  const bytes = blockAt(blocks, cid)
  let links: ReadonlyArray<CID> = []
  try {
    links =
      cid.code === Dag.DAG_PB
        ? Scan.node(bytes).links.map((link) => link.cid)
        : cid.code === Dag.DAG_CBOR
          ? cidsIn(dagCbor.decode(bytes))
          : []
  } catch {
    // bytes that are not valid in their codec have no links
  }
  return [{ cid, bytes }, ...links.flatMap((link) => (blocks.has(Dag.keyOf(link)) ? walk(blocks, link, seen) : []))]
}

const cidsIn = (value: unknown): ReadonlyArray<CID> => {
  const cid = CID.asCID(value)
  if (cid !== null) return [cid]
  return typeof value === "object" && value !== null && !(value instanceof Uint8Array)
    ? Object.values(value).flatMap(cidsIn)
    : []
}

const carOf = async (root: CID, blocks: ReadonlyArray<Dag.Block>): Promise<Uint8Array> => {
  const { out, writer } = CarWriter.create([root])
  const parts: Array<Uint8Array> = []
  const reading = (async () => {
    for await (const piece of out) parts.push(piece)
  })()
  for (const block of blocks) await writer.put(block)
  await writer.close()
  await reading
  return Buffer.concat(parts)
}

const answer = async (
  { blocks, exported = (sections) => sections }: World,
  command: string,
  path: string
): Promise<unknown> => {
  switch (command) {
    case "block/get":
      return blockAt(blocks, CID.parse(path))
    case "block/stat":
      return { Key: path, Size: blockAt(blocks, CID.parse(path)).length }
    case "cat":
      return Scan.fileBytes(blocks, resolved(blocks, path))
    case "ls": {
      const { links } = Scan.node(blockAt(blocks, resolved(blocks, path)))
      const Links = links.map(({ cid, name, size }) => ({
        Name: Buffer.from(name ?? []).toString(),
        Hash: String(cid),
        Size: size,
        Type: 2,
        Target: ""
      }))
      return { Objects: [{ Hash: path, Links }] }
    }
    case "files/stat": {
      const cid = resolved(blocks, path)
      const bytes = blockAt(blocks, cid)
      const { data, links } = Scan.node(bytes)
      const unixFs = UnixFS.unmarshal(data)
      return {
        Hash: String(cid),
        Size: unixFs.isDirectory() ? 0 : Number(unixFs.fileSize()),
        CumulativeSize: links.reduce((sum, { size = 0 }) => sum + size, bytes.length),
        Blocks: links.length,
        Type: unixFs.isDirectory() ? "directory" : "file"
      }
    }
    case "dag/get":
      return dagJson.encode(dagCbor.decode(blockAt(blocks, CID.parse(path))))
    case "dag/export": {
      const root = CID.parse(path)
      return carOf(root, exported(walk(blocks, root)))
    }
    default:
      throw new Error(`unknown command ${command}`)
  }
}

/** Returns the plain client of a node with this world. */
export const client = (world: World, lines: Lines = {}): Effect.Effect<IpfsClient.Client> => {
  const node = HttpClient.make((request, url) =>
    Effect.promise(async () => {
      const command = url.pathname.replace("/api/v0/", "")
      const said = lines[command]
      // like a real node, reads the whole body before the answer begins
      if (request.body._tag === "Stream") await Effect.runPromise(Effect.ignore(Stream.runDrain(request.body.stream)))
      let response: Response
      try {
        const value =
          said === undefined
            ? await answer(world, command, url.searchParams.get("arg") ?? "")
            : said.map((line) => JSON.stringify(line)).join("\n")
        response = new Response(
          typeof value === "string"
            ? value
            : value instanceof Uint8Array
              ? Uint8Array.from(value)
              : JSON.stringify(value)
        )
      } catch (error) {
        const message = error instanceof Error ? error.message : "failed"
        response = new Response(JSON.stringify({ Message: message, Code: 0, Type: "error" }), { status: 500 })
      }
      return HttpClientResponse.fromWeb(request, response)
    })
  )
  return IpfsClient.make({ url: "http://node.example", retries: 0 }).pipe(
    Effect.provideService(HttpClient.HttpClient, node),
    Effect.orDie
  )
}
