/** The honest answers in Kubo's formats. Every lie is made from them. */
import { CID } from "multiformats/cid"

import * as Truth from "./trueContent.ts"

/** The parts of a request on which the answer depends. */
export interface Asked {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly query: URLSearchParams
}

/** An answer before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Returns an answer of one JSON value. */
export const json = (value: unknown): Answer => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: utf8(`${JSON.stringify(value)}\n`)
})

/** Returns an answer with one JSON value per line. */
export const lines = (values: ReadonlyArray<unknown>): Answer => ({
  status: 200,
  headers: { "content-type": "application/json", "x-chunked-output": "1" },
  body: utf8(values.map((value) => `${JSON.stringify(value)}\n`).join(""))
})

/** Returns an answer of bytes, with or without their length, as Kubo sends it. */
export const bytes = (body: Uint8Array, hasLength = false): Answer => ({
  status: 200,
  headers: {
    "content-type": "text/plain",
    "x-stream-output": "1",
    ...(hasLength ? { "x-content-length": String(body.length) } : {})
  },
  body
})

/** Returns an error that is sent before the first byte of an answer. */
export const failure = (message: string, status = 500, code = 0): Answer => ({
  ...json({ Message: message, Code: code, Type: "error" }),
  status
})

export const addedLine = (path: string, cid: unknown, size: unknown) => ({
  Name: path,
  Hash: String(cid),
  Size: String(size)
})

export const link = (name: string, cid: unknown, size: number) => ({
  Name: name,
  Hash: String(cid),
  Size: size,
  Type: 2,
  Target: ""
})

export const listing = (links: ReadonlyArray<unknown>): Answer =>
  lines([{ Objects: [{ Hash: String(Truth.cids.directory), Links: links }] }])

/** Returns the honest answer. */
export const honest = ({ args, command, query }: Asked): Answer => {
  switch (command) {
    case "cat": {
      const offset = Number(query.get("offset") ?? 0)
      const length = Number(query.get("length") ?? Truth.FILE.length)
      return bytes(Truth.FILE.subarray(offset, offset + length), true)
    }
    case "block/get": {
      const block = Truth.blockOf(CID.parse(args[0]!))
      return block === undefined ? missing(args[0]!) : bytes(block)
    }
    case "ls":
      return listing([
        link("a.bin", Truth.cids.small, Truth.SMALL.length),
        link("b.bin", Truth.cids.file, Truth.FILE.length)
      ])
    case "files/stat":
      return json({
        Hash: String(Truth.cids.file),
        Size: Truth.FILE.length,
        CumulativeSize: Truth.added[1].size,
        Blocks: 3,
        Type: "file"
      })
    case "get":
      return bytes(Truth.tar, true)
    case "dag/get":
      return bytes(Truth.blockOf(Truth.data)!)
    case "dag/export":
      return bytes(Truth.car)
    case "add":
      return query.get("wrap-with-directory") === "true"
        ? lines(Truth.added.map(({ cid, path, size }) => addedLine(path, cid, size)))
        : lines([addedLine("b.bin", Truth.cids.file, Truth.added[1].size)])
    case "block/put":
      return json({ Key: String(Truth.block), Size: Truth.BLOCK.length })
    case "dag/put":
      return json({ Cid: { "/": String(Truth.data) } })
    case "pin/ls":
      return lines([pinLine(Truth.cids.file, "recursive"), pinLine(Truth.data, "direct")])
    case "version":
      return json({ Version: "0.43.1", Commit: "", Repo: "18", System: "amd64/linux", Golang: "go1.26.1" })
    default:
      return { status: 404, headers: { "content-type": "text/plain" }, body: utf8("404 page not found\n") }
  }
}

export const pinLine = (cid: unknown, type: string) => ({ Cid: String(cid), Type: type })

export const missing = (cid: string): Answer =>
  failure(`block was not found locally (offline): ipld: could not find ${cid}`)
