/**
 * An IPFS node in memory that implements the HTTP API as Kubo, Infura or js-ipfs does, with the same headers, forms and
 * messages. It is written by hand from the sources of these nodes, independently of the client, and tested with
 * `kubo-rpc-client`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

import { CarWriter } from "@ipld/car/writer"
import * as DagCbor from "@ipld/dag-cbor"
import * as DagJson from "@ipld/dag-json"
import * as DagPb from "@ipld/dag-pb"
import { MemoryBlockstore } from "blockstore-core"
import { Effect, type Scope } from "effect"
import { exporter, type UnixFSEntry } from "ipfs-unixfs-exporter"
import { importer } from "ipfs-unixfs-importer"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { base58btc as base58 } from "multiformats/bases/base58"
import { CID } from "multiformats/cid"
import * as Raw from "multiformats/codecs/raw"
import { sha256 } from "multiformats/hashes/sha2"

import { collect } from "./collect.ts"

/** The kind of node to imitate. */
export type Flavour = "kubo" | "infura" | "js-ipfs"

/** A request that a node received. */
export interface Asked {
  readonly method: string
  readonly command: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage["headers"]
  readonly parts: ReadonlyArray<Part>
}

/** A part of an upload. */
export interface Part {
  readonly field: string
  readonly fileName: string
  readonly type: string
  readonly bytes: Uint8Array
}

/** A running node. */
export interface IpfsNode {
  readonly url: string
  readonly asked: Array<Asked>
}

const REMOVED = "removed, use 'ipfs dag' or 'ipfs files' instead"

class Failure extends Error {
  readonly status: number
  constructor(message: string, status = 500) {
    super(message)
    this.status = status
  }
}

/** Starts a node on a free port of the loopback interface. It is closed with the scope. */
export const make = (
  flavour: Flavour,
  credentials?: { readonly key: string; readonly secret: string }
): Effect.Effect<IpfsNode, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly server: ReturnType<typeof createServer>; readonly asked: Array<Asked> }>((resume) => {
        const asked: Array<Asked> = []
        const commands = commandsOf(flavour)
        const server = createServer((request, response) => {
          void serve(request, response).catch((error: unknown) => fail(response, error))
        })
        const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
          const url = new URL(request.url ?? "", "http://node")
          const command = url.pathname.replace("/api/v0/", "")
          const body = Buffer.concat(await collect<Buffer>(request))
          const type = request.headers["content-type"] ?? ""
          const parts = type.startsWith("multipart/form-data") ? await partsOf(body, type) : []
          const question: Asked = {
            method: request.method ?? "",
            command,
            query: url.searchParams,
            headers: request.headers,
            parts
          }
          asked.push(question)
          if (request.method !== "POST") {
            response.writeHead(405, { allow: "OPTIONS, POST", "content-type": "text/plain" })
            response.end("405 - Method Not Allowed\n")
            return
          }
          if (credentials !== undefined) {
            const expected = `Basic ${Buffer.from(`${credentials.key}:${credentials.secret}`).toString("base64")}`
            const { authorization } = request.headers
            if (authorization !== expected) {
              response.writeHead(401, { "content-type": "text/plain" })
              response.end(
                authorization === undefined
                  ? "project id required\n"
                  : "basic auth failure: invalid project id or project secret\n"
              )
              return
            }
          }
          const run = commands[command]
          if (run === undefined) {
            if (flavour === "js-ipfs") {
              response.writeHead(404, { "content-type": "application/json" })
              response.end(JSON.stringify({ Message: "Not Found", Code: 3, Type: "error" }))
            } else {
              response.writeHead(404, { "content-type": "text/plain; charset=utf-8" })
              response.end("404 page not found\n")
            }
            return
          }
          await run(question, response)
        }
        const fail = (response: ServerResponse, error: unknown): void => {
          const status = error instanceof Failure ? error.status : 500
          const message = error instanceof Error ? error.message : String(error)
          if (status === 400 && flavour !== "js-ipfs") {
            response.writeHead(400, { "content-type": "text/plain; charset=utf-8" })
            response.end(`${message}\n`)
            return
          }
          response.writeHead(status, { "content-type": "application/json" })
          response.end(JSON.stringify({ Message: message, Code: status === 400 ? 1 : 0, Type: "error" }))
        }
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, asked })))
      }),
      ({ server }) =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    ),
    ({ asked, server }) => ({ asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  )

const partsOf = async (body: Uint8Array<ArrayBuffer>, type: string): Promise<ReadonlyArray<Part>> => {
  const form = await new Response(body, { headers: { "content-type": type } }).formData()
  return Promise.all(
    Array.from(form.entries(), async ([field, value]) => {
      if (typeof value === "string") {
        return { field, fileName: "", type: "", bytes: new TextEncoder().encode(value) }
      }
      return { field, fileName: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }
    })
  )
}

type Run = (asked: Asked, response: ServerResponse) => Promise<void>

const CODECS = { raw: Raw, "dag-pb": DagPb, "dag-cbor": DagCbor, "dag-json": DagJson } as const

const commandsOf = (flavour: Flavour): Readonly<Record<string, Run>> => {
  const isJs = flavour === "js-ipfs"
  const store = new MemoryBlockstore()
  const pins = new Map<string, { readonly type: string; readonly name: string }>()

  const blockOf = async (cid: CID): Promise<Uint8Array> => {
    try {
      return Buffer.concat(await collect<Uint8Array>(store.get(cid)))
    } catch {
      throw new Failure(`block was not found locally (offline): ipld: could not find ${String(cid)}`)
    }
  }
  /** Returns a DAG of dag-pb and raw blocks as a CAR, depth first, each block once, as Kubo exports it. */
  const carOf = async (root: CID): Promise<Uint8Array> => {
    const seen = new Set<string>()
    const { out, writer } = CarWriter.create([root])
    const written = collect<Uint8Array>(out)
    const visit = async (cid: CID): Promise<void> => {
      if (seen.has(String(cid)) || cid.multihash.code === 0) return
      seen.add(String(cid))
      const block = await blockOf(cid)
      await writer.put({ cid, bytes: block })
      if (cid.code === DagPb.code) for (const { Hash } of DagPb.decode(block).Links) await visit(Hash)
    }
    await visit(root)
    await writer.close()
    return Buffer.concat(await written)
  }
  const argsOf = ({ query }: Asked, name: string): ReadonlyArray<string> => {
    const args = query.getAll("arg")
    if (args.length === 0) {
      throw new Failure(isJs ? "Invalid request query input" : `argument "${name}" is required`, 400)
    }
    return args
  }
  const partOf = ({ parts }: Asked, name: string): Part => {
    if (parts[0] === undefined) {
      throw new Failure(`file argument '${name}' is required`, 400)
    }
    return parts[0]
  }
  const flag = ({ query }: Asked, name: string, usual: boolean): boolean => {
    const given = query.getAll(name)
    if (given.length > 1) {
      throw new Failure(`expected key ${name} to have only a single value, received [${given.join(" ")}]`, 400)
    }
    if (given[0] === undefined) {
      return usual
    }
    if (!["true", "false", "1", "0"].includes(given[0])) {
      throw new Failure(`could not convert value "${given[0]}" to type "bool" (for option "-${name}")`, 400)
    }
    return given[0] === "true" || given[0] === "1"
  }
  const cidOf = (text: string): CID => {
    try {
      return CID.parse(text.replace(/^\/ipfs\//, "").split("/")[0]!)
    } catch {
      throw new Failure(`invalid path "${text}": invalid cid: selected encoding not supported`, isJs ? 400 : 500)
    }
  }
  const entryAt = async (path: string): Promise<UnixFSEntry> => {
    cidOf(path)
    try {
      return await exporter(path.replace(/^\/ipfs\//, ""), store)
    } catch {
      throw new Failure(`no link named "${path.split("/").at(-1)}" under ${String(cidOf(path))}`)
    }
  }
  const textOf = (cid: CID): string => (isJs && cid.version === 1 ? cid.toString(base58) : cid.toString())

  const head = (response: ServerResponse, headers: Readonly<Record<string, string>>): void => {
    response.writeHead(200, {
      "access-control-expose-headers": "X-Stream-Output, X-Chunked-Output, X-Content-Length",
      trailer: "X-Stream-Error",
      server: "kubo/0.43.1",
      vary: "Origin",
      ...headers
    })
  }
  const json = (response: ServerResponse, value: unknown): void => {
    head(response, { "content-type": "application/json" })
    response.end(`${JSON.stringify(value)}\n`)
  }
  const lines = (response: ServerResponse, values: ReadonlyArray<unknown>): void => {
    head(response, { "content-type": "application/json", "x-chunked-output": "1" })
    values.forEach((value) => response.write(`${JSON.stringify(value)}\n`))
    response.end()
  }
  const bytes = (response: ServerResponse, content: Uint8Array, type: string, hasLength = false): void => {
    head(response, {
      "content-type": type,
      "x-stream-output": "1",
      ...(hasLength && !isJs ? { "x-content-length": String(content.length) } : {})
    })
    response.write(content)
    response.end()
  }

  const put = async (code: number, content: Uint8Array, version: 0 | 1): Promise<CID> => {
    const digest = await sha256.digest(content)
    const cid = version === 0 ? CID.createV0(digest) : CID.createV1(code, digest)
    await store.put(cid, content)
    return cid
  }

  const add: Run = async (asked, response) => {
    if (asked.parts.length === 0) {
      throw new Failure("file argument 'path' is required", 400)
    }
    const version = asked.query.get("cid-version") === "1" ? 1 : 0
    const events: Array<unknown> = []
    const isWrapped = flag(asked, "wrap-with-directory", false)
    const options = {
      profile: "unixfs-v0-2015",
      cidVersion: version,
      rawLeaves: flag(asked, "raw-leaves", version === 1),
      chunker: fixedSize({ chunkSize: Number(asked.query.get("chunker")?.slice("size-".length) ?? 262144) })
    } as const
    const cidTextOf = async (content: Uint8Array): Promise<string> =>
      String((await collect(importer([{ content }], store, options)))[0]?.cid)
    const source = await Promise.all(
      asked.parts
        .filter(({ type }) => type !== "application/symlink")
        .map(async (part) => {
          const attributes = new URLSearchParams(part.field.split("?")[1] ?? "")
          const mode = flag(asked, "preserve-mode", false) ? attributes.get("mode") : null
          const path = decodeURIComponent(part.fileName)
          if (flag(asked, "progress", false) && part.type !== "application/x-directory") {
            events.push({ Name: path, ...(part.bytes.length > 0 ? { Bytes: part.bytes.length } : {}) })
          }
          return {
            // In a directory, an entry without a name is named by its CID.
            path: path !== "" ? path : isWrapped ? await cidTextOf(part.bytes) : undefined,
            ...(mode === null ? {} : { mode: Number.parseInt(mode, 8) }),
            ...(part.type === "application/x-directory" ? {} : { content: part.bytes })
          }
        })
    )
    const imported = importer(source as never, store, { ...options, wrapWithDirectory: isWrapped })
    for await (const { cid, path, size, unixfs } of imported) {
      const mode = (unixfs?.mode ?? 0o644).toString(8).padStart(4, "0")
      const hasMode = isJs || asked.query.get("preserve-mode") === "true"
      events.push({
        Name: path === cid.toString() || path === "" || path === undefined ? (path === "" ? "" : textOf(cid)) : path,
        Hash: textOf(cid),
        Size: isJs ? Number(size) : String(size),
        ...(hasMode ? { Mode: mode } : {})
      })
      if (flag(asked, "pin", true)) {
        pins.set(cid.toString(), { type: "recursive", name: "" })
      }
    }
    lines(response, events)
  }

  const cat: Run = async (asked, response) => {
    const offset = Number(asked.query.get("offset") ?? 0)
    if (offset < 0) {
      throw new Failure("cannot specify negative offset")
    }
    const length = asked.query.get("length")
    const pieces: Array<Uint8Array> = []
    for (const path of argsOf(asked, "ipfs-path")) {
      const entry = await entryAt(path)
      if (entry.type === "directory") {
        throw new Failure("this dag node is a directory")
      }
      const range = length === null ? { offset } : { offset, length: Number(length) }
      pieces.push(...(await contentOf(entry, range)))
    }
    bytes(response, Buffer.concat(pieces), isJs ? "application/json" : "text/plain", true)
  }

  const contentOf = async (entry: UnixFSEntry, range = {}): Promise<ReadonlyArray<Uint8Array>> =>
    entry.type === "file" || entry.type === "raw" ? collect(entry.content(range)) : []

  const linksOf = async (entry: UnixFSEntry) => {
    const found: Array<Record<string, unknown>> = []
    if (entry.type === "directory") {
      for await (const child of entry.entries()) {
        const inside = await exporter(child.cid, store)
        const isDirectory = inside.type === "directory"
        found.push({
          Name: child.name,
          Hash: textOf(child.cid),
          Size: isDirectory ? 0 : Number(inside.size),
          Type: isDirectory ? 1 : 2,
          ...(isJs ? { Depth: 1 } : { Target: "", Mode: 0, ModTime: "0001-01-01T00:00:00Z" })
        })
      }
    }
    return found
  }

  const objects: Readonly<Record<string, Run>> = {
    "object/get": async (asked, response) => {
      const cid = cidOf(argsOf(asked, "key")[0]!)
      const node = DagPb.decode(await blockOf(cid))
      const data = Buffer.from(node.Data ?? [])
      const encoding = asked.query.get("data-encoding") ?? "base64"
      json(response, {
        Links: node.Links.map((link) => ({ Name: link.Name, Hash: textOf(link.Hash), Size: link.Tsize })),
        Data: encoding === "base64" ? data.toString("base64") : data.toString("utf8"),
        ...(isJs ? { Hash: textOf(cid), Size: data.length } : {})
      })
    },
    "object/data": async (asked, response) => {
      const node = DagPb.decode(await blockOf(cidOf(argsOf(asked, "key")[0]!)))
      bytes(response, node.Data ?? new Uint8Array(), "text/plain")
    },
    "object/stat": async (asked, response) => {
      const cid = cidOf(argsOf(asked, "key")[0]!)
      const block = await blockOf(cid)
      const node = DagPb.decode(block)
      const size = node.Data?.length ?? 0
      json(response, {
        Hash: textOf(cid),
        NumLinks: node.Links.length,
        BlockSize: block.length,
        LinksSize: block.length - size,
        DataSize: size,
        CumulativeSize: node.Links.reduce((sum, link) => sum + (link.Tsize ?? 0), block.length)
      })
    },
    "object/put": async (asked, response) => {
      if (asked.query.get("inputenc") !== "protobuf") {
        throw new Failure("only protobuf here")
      }
      const cid = await put(DagPb.code, partOf(asked, "data").bytes, 0)
      json(response, { Hash: cid.toString() })
    }
  }

  const removed: Run = async () => {
    throw new Failure(REMOVED)
  }

  const pinned = (asked: Asked): ReadonlyArray<string> => argsOf(asked, "ipfs-path").map((arg) => cidOf(arg).toString())

  const commands: Readonly<Record<string, Run>> = {
    add,
    cat,
    get: async (asked, response) => {
      const path = argsOf(asked, "ipfs-path")[0]!
      const entry = await entryAt(path)
      const content = entry.type === "directory" ? [] : await contentOf(entry)
      bytes(response, tarOf(path.split("/").at(-1)!, Buffer.concat(content)), "application/x-tar", true)
    },
    ls: async (asked, response) => {
      const path = argsOf(asked, "ipfs-path")[0]!
      const links = await linksOf(await entryAt(path))
      const object = (some: ReadonlyArray<unknown>) => ({ Objects: [{ Hash: path, Links: some }] })
      if (flag(asked, "stream", false)) {
        lines(
          response,
          links.map((link) => object([link]))
        )
      } else {
        json(response, object(links))
      }
    },
    "files/stat": async (asked, response) => {
      const entry = await entryAt(argsOf(asked, "path")[0]!)
      const block = await blockOf(entry.cid)
      const links = entry.cid.code === DagPb.code ? DagPb.decode(block).Links : []
      json(response, {
        Hash: textOf(entry.cid),
        Size: entry.type === "directory" ? 0 : Number(entry.size),
        CumulativeSize: links.reduce((sum, link) => sum + (link.Tsize ?? 0), block.length),
        Blocks: links.length,
        Type: entry.type === "directory" ? "directory" : "file",
        ...(isJs ? { Mode: "0644" } : {})
      })
    },
    "block/get": async (asked, response) =>
      bytes(response, await blockOf(cidOf(argsOf(asked, "cid")[0]!)), isJs ? "text/plain" : "application/vnd.ipld.raw"),
    "block/put": async (asked, response) => {
      const part = partOf(asked, "data")
      if (part.bytes.length > 2 * 1024 * 1024 && !flag(asked, "allow-big-block", false)) {
        throw new Failure(
          "produced block is over 2MiB: big blocks can't be exchanged with other peers. consider using UnixFS"
        )
      }
      const format =
        asked.query.get("format") ?? (flavour === "infura" && !asked.query.has("cid-codec") ? "v0" : undefined)
      const codec = CODECS[(asked.query.get("cid-codec") ?? "raw") as keyof typeof CODECS]
      const cid = format === "v0" ? await put(DagPb.code, part.bytes, 0) : await put(codec.code, part.bytes, 1)
      json(response, { Key: textOf(cid), Size: part.bytes.length })
    },
    "block/stat": async (asked, response) => {
      const cid = cidOf(argsOf(asked, "cid")[0]!)
      json(response, { Key: textOf(cid), Size: (await blockOf(cid)).length })
    },
    "dag/get": async (asked, response) => {
      const entry = cidOf(argsOf(asked, "ref")[0]!)
      const codec = Object.values(CODECS).find(({ code }) => code === entry.code)!
      const value = codec.decode(await blockOf(entry))
      const output = CODECS[(asked.query.get("output-codec") ?? "dag-json") as keyof typeof CODECS]
      bytes(response, output.encode(value as never), "text/plain")
    },
    "dag/put": async (asked, response) => {
      const input = CODECS[(asked.query.get("input-codec") ?? "dag-json") as keyof typeof CODECS]
      const output = CODECS[(asked.query.get("store-codec") ?? "dag-cbor") as keyof typeof CODECS]
      const value = input.decode(partOf(asked, "object data").bytes)
      json(response, { Cid: { "/": String(await put(output.code, output.encode(value as never), 1)) } })
    },
    "dag/resolve": async (asked, response) =>
      json(response, { Cid: { "/": String((await entryAt(argsOf(asked, "ref")[0]!)).cid) }, RemPath: "" }),
    "dag/export": async (asked, response) => {
      const cid = cidOf(argsOf(asked, "root")[0]!)
      const car = cid.code === DagPb.code ? await carOf(cid) : await blockOf(cid)
      bytes(response, car, "application/vnd.ipld.car")
    },
    "dag/import": async (asked, response) => {
      const part = partOf(asked, "path")
      lines(response, [
        { Root: { Cid: { "/": String(await put(Raw.code, part.bytes, 1)) }, PinErrorMsg: "" } },
        ...(flag(asked, "stats", false) ? [{ Stats: { BlockCount: 1, BlockBytesCount: part.bytes.length } }] : [])
      ])
    },
    "pin/add": async (asked, response) => {
      const cids = pinned(asked)
      await Promise.all(cids.map((cid) => blockOf(CID.parse(cid))))
      cids.forEach((cid) =>
        pins.set(cid, {
          type: flag(asked, "recursive", true) ? "recursive" : "direct",
          name: asked.query.get("name") ?? ""
        })
      )
      if (flag(asked, "progress", false) && !isJs) {
        lines(response, [{ Progress: 1, Bytes: 20 }, { Progress: 2 }, { Pins: cids }])
      } else {
        json(response, { Pins: cids })
      }
    },
    "pin/rm": async (asked, response) => {
      for (const cid of pinned(asked)) {
        if (!pins.delete(cid)) {
          throw new Failure("not pinned or pinned indirectly")
        }
      }
      json(response, { Pins: pinned(asked) })
    },
    "pin/ls": async (asked, response) => {
      const type = asked.query.get("type") ?? "all"
      if (!["direct", "indirect", "recursive", "all"].includes(type)) {
        throw new Failure(`invalid type '${type}', must be one of {direct, indirect, recursive, all}`)
      }
      const only = asked.query.getAll("arg").map((arg) => cidOf(arg).toString())
      for (const cid of only) {
        if (!pins.has(cid)) {
          throw new Failure(`path '${cid}' is not pinned`)
        }
      }
      const found = [...pins].filter(
        ([cid, pin]) => (only.length === 0 || only.includes(cid)) && [pin.type, "all"].includes(type)
      )
      const named = asked.query.get("names") === "true"
      // Infura ignores unknown options, and js-ipfs uses another name for this option.
      if (flag(asked, "stream", false) && flavour !== "infura") {
        lines(
          response,
          found.map(([Cid, pin]) =>
            isJs
              ? { Cid, Type: pin.type, Metadata: null }
              : { Cid, ...(named ? { Name: pin.name } : {}), Type: pin.type }
          )
        )
      } else {
        const keys = Object.fromEntries(found.map(([cid, pin]) => [cid, { Type: pin.type, Name: pin.name }]))
        json(response, found.length > 0 ? { Keys: keys } : {})
      }
    },
    "pin/update": async (asked, response) => {
      const [from, to] = pinned(asked)
      if (!pins.has(from!)) {
        throw new Failure("'from' cid was not recursively pinned already")
      }
      pins.set(to!, pins.get(from!)!)
      if (flag(asked, "unpin", true)) {
        pins.delete(from!)
      }
      json(response, { Pins: [from, to] })
    },
    version: async (_, response) =>
      json(
        response,
        isJs
          ? { Version: "0.18.1", Commit: "", Repo: "12", "interface-ipfs-core": "^0.158.1" }
          : { Version: "0.43.1", Commit: "0e8cc57", Repo: "18", System: "amd64/linux", Golang: "go1.26.1" }
      ),
    id: async (_, response) =>
      json(response, {
        ID: "12D3KooWDpp7U7W9Q8feMZPPEpPP5FKXTUakLgnVLbavfjb9mzrT",
        PublicKey: "CAESIDt",
        Addresses: isJs ? [] : null,
        AgentVersion: isJs ? "js-ipfs/0.18.1" : "kubo/0.43.1/",
        ...(isJs ? { ProtocolVersion: "ipfs/0.1.0" } : {}),
        Protocols: ["/ipfs/bitswap/1.2.0"]
      })
  }
  const { "pin/update": _, ...withoutUpdate } = commands
  switch (flavour) {
    case "kubo":
      return {
        ...commands,
        "object/get": removed,
        "object/data": removed,
        "object/stat": removed,
        "object/put": removed
      }
    case "infura":
      return { ...commands, ...objects }
    case "js-ipfs":
      return { ...withoutUpdate, ...objects }
  }
}

/** Returns a tar archive of one file, with the parts of ustar that a reader needs. */
const tarOf = (name: string, content: Uint8Array): Uint8Array => {
  const header = Buffer.alloc(512)
  header.write(name, 0, 100)
  header.write("0000644\0", 100)
  header.write("0000000\0", 108)
  header.write("0000000\0", 116)
  header.write(`${content.length.toString(8).padStart(11, "0")}\0`, 124)
  header.write("00000000000\0", 136)
  header.write("        ", 148)
  header.write("0", 156)
  header.write("ustar\u000000", 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc(((512 - (content.length % 512)) % 512) + 1024)])
}
