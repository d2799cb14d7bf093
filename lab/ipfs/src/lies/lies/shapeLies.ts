/** Answers whose form is not what the API promises, errors, and true answers in an unusual form. */
import type { ServerResponse } from "node:http"

import { type Answer, failure, json, lines, pinLine, utf8 } from "../answer.ts"
import { type Behaviour, changing, type Family, forAll, type Lie, responding } from "../lie.ts"
import { begin } from "../lyingServer.ts"
import * as Truth from "../trueContent.ts"
import { withoutLength } from "./streamLies.ts"

const HTML = "<!doctype html><html><body>Welcome to nginx!</body></html>"

const raw = (status: number, type: string, text: string | Uint8Array): Answer => ({
  status,
  headers: { "content-type": type },
  body: typeof text === "string" ? utf8(text) : text
})

const answering = (name: string, read: Truth.Read, answer: Answer): Lie => ({
  name: `${name}: ${read}`,
  read,
  commands: forAll(
    COMMANDS[read] ?? [],
    changing(() => answer)
  )
})

/** The commands that each read sends, in verifying clients and in others. */
const COMMANDS: { readonly [read in Truth.Read]?: ReadonlyArray<string> } = {
  cat: ["cat", "block/get"],
  ls: ["ls", "block/get"],
  add: ["add"],
  blockPut: ["block/put"],
  dataPut: ["dag/put"],
  stat: ["files/stat", "block/get"],
  pins: ["pin/ls"],
  version: ["version"]
}

/** Returns a lie that gives the same answer to several reads. */
const forReads = (name: string, answer: Answer, reads: ReadonlyArray<Truth.Read>): ReadonlyArray<Lie> =>
  reads.map((read) => answering(name, read, answer))

const JSON_READS = ["add", "blockPut", "dataPut", "stat", "pins", "version"] as const
const ALL_READS = ["cat", "ls", ...JSON_READS] as const

const file = Truth.added[1]
const added = (changes: object): Answer =>
  lines([{ Name: file.path, Hash: String(file.cid), Size: String(file.size), ...changes }])

const shapes: Family = {
  name: "Shapes",
  lies: [
    ...forReads("a page", raw(200, "text/html", HTML), ALL_READS),
    ...forReads("a page that says it is JSON", raw(200, "application/json", HTML), JSON_READS),
    ...forReads(
      "nothing",
      raw(200, "application/json", ""),
      ALL_READS.filter((read) => read !== "pins")
    ),
    {
      ...answering("nothing", "pins", raw(200, "application/json", "")),
      unprovable: "which pins a node has is its own word, and a node without pins sends no lines"
    },
    ...forReads("null", raw(200, "application/json", "null\n"), JSON_READS),
    ...forReads("a list", raw(200, "application/json", "[]\n"), JSON_READS),
    ...forReads("an empty object", raw(200, "application/json", "{}\n"), [
      "add",
      "blockPut",
      "dataPut",
      "stat",
      "version"
    ]),
    ...forReads("JSON that breaks off", raw(200, "application/json", '{"Hash":"Qm'), JSON_READS),
    ...forReads("no UTF-8", raw(200, "application/json", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)), JSON_READS),
    ...forReads("an error object with status 200", { ...failure("disk full"), status: 200 }, ALL_READS),
    answering("deep", "version", raw(200, "application/json", `${"[".repeat(200_000)}${"]".repeat(200_000)}`)),
    answering("a CID that is none", "add", added({ Hash: "Qmnobody" })),
    answering("a CID that is a number", "add", added({ Hash: 1 })),
    answering("a size that is none", "add", added({ Size: "many" })),
    answering("a size below zero", "add", added({ Size: "-1" })),
    answering("a size that is an object", "add", added({ Size: { toString: 1 } })),
    answering("a name that is a number", "add", added({ Name: 7 })),
    answering("a CID that is none", "blockPut", json({ Key: "Qmnobody", Size: 1000 })),
    answering("a CID that is an object", "blockPut", json({ Key: { "/": String(Truth.block) }, Size: 1000 })),
    answering("a CID that is not a link", "dataPut", json({ Cid: String(Truth.data) })),
    answering("a CID that is null", "dataPut", json({ Cid: { "/": null } })),
    answering("a size that is text", "stat", statWith({ Size: "large" })),
    answering("a CID that is none", "stat", statWith({ Hash: "nobody" })),
    answering("a type that is a number", "pins", lines([{ Cid: String(Truth.data), Type: 5 }])),
    answering("a type that is none", "pins", lines([pinLine(Truth.data, "loosely")])),
    answering("a CID that is none", "pins", lines([pinLine("nobody", "recursive")])),
    answering("a CID that is none, in a table", "pins", json({ Keys: { nobody: { Type: "recursive" } } })),
    answering("a version that is a number", "version", json({ Version: 1 })),
    answering("objects that are not a list", "ls", lines([{ Objects: "none" }])),
    answering("links that are not a list", "ls", lines([{ Objects: [{ Hash: String(file.cid), Links: "none" }] }])),
    answering(
      "a link without a CID",
      "ls",
      lines([{ Objects: [{ Hash: String(file.cid), Links: [{ Name: "a", Size: 1, Type: 2 }] }] }])
    )
  ]
}

function statWith(changes: object): Answer {
  return json({
    Hash: String(file.cid),
    Size: Truth.FILE.length,
    CumulativeSize: file.size,
    Blocks: 3,
    Type: "file",
    ...changes
  })
}

const errors: Family = {
  name: "Errors, as Kubo, Infura and proxies have them",
  lies: [
    ...forReads("500 with a sentence", failure("disk full"), ["cat", "add", "pins"]),
    ...forReads("500 with a page", raw(500, "text/html", HTML), ["cat", "add", "pins"]),
    ...forReads("500 that says JSON and is none", raw(500, "application/json", HTML), ["cat", "add"]),
    ...forReads("500 without a body", raw(500, "application/json", ""), ["cat", "add"]),
    ...forReads("400 in plain text", raw(400, "text/plain", 'argument "ipfs-path" is required\n'), ["cat", "pins"]),
    ...forReads("401", raw(401, "text/plain", "project id required\n"), ["cat", "add"]),
    ...forReads("403", raw(403, "text/plain", "403 - Forbidden\n"), ["cat", "add"]),
    ...forReads("404", raw(404, "text/plain", "404 page not found\n"), ["cat", "add"]),
    answering("204", "cat", raw(204, "text/plain", "")),
    {
      name: "a redirect to elsewhere: cat",
      read: "cat",
      commands: {
        ...forAll(
          ["cat", "block/get"],
          changing(({ body }) => ({ status: 307, headers: { location: "/elsewhere" }, body }))
        ),
        "/elsewhere": changing(() => raw(200, "text/plain", "evil"))
      }
    },
    {
      name: "no HTTP: cat",
      read: "cat",
      commands: forAll(
        ["cat", "block/get"],
        responding(({ socket }) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"))
      )
    },
    {
      name: "the connection is closed without a word: add",
      read: "add",
      commands: { add: responding(({ socket }) => socket.destroy()) }
    }
  ]
}

/** Sends a body in pieces, each in a separate packet. */
const inPieces = (sizes: (body: Uint8Array) => number): Behaviour =>
  responding(({ answer, response }) => {
    begin(response, answer)
    void trickle(response, answer.body, sizes(answer.body))
  })

const trickle = async (response: ServerResponse, body: Uint8Array, size: number): Promise<void> => {
  for (let offset = 0; offset < body.length; offset += size) {
    response.write(body.subarray(offset, offset + size))
    await new Promise((resolve) => setImmediate(resolve))
  }
  response.end()
}

const text = (change: (text: string) => string) =>
  changing((answer) => ({ ...answer, body: utf8(change(new TextDecoder().decode(answer.body))) }))

/** Makes a case with a true answer in an unusual form. */
const honest = (name: string, read: Truth.Read, commands: Lie["commands"]): Lie => ({
  name: `${name}: ${read}`,
  read,
  honest: true,
  commands
})

const LINES: ReadonlyArray<readonly [Truth.Read, string]> = [
  ["addAll", "add"],
  ["pins", "pin/ls"],
  ["ls", "ls"]
]

const unusual: Family = {
  name: "Unusual, and true",
  lies: [
    ...LINES.flatMap(([read, command]) => [
      honest("lines cut at every byte", read, { [command]: inPieces(() => 1) }),
      honest("lines that end with CR LF", read, { [command]: text((lines) => lines.replaceAll("\n", "\r\n")) }),
      honest("no end of the last line", read, { [command]: text((lines) => lines.trimEnd()) }),
      honest("empty lines between", read, { [command]: text((lines) => lines.replaceAll("\n", "\n\n")) })
    ]),
    honest(
      "small pieces",
      "cat",
      forAll(
        ["cat", "block/get"],
        inPieces((body) => Math.ceil(body.length / 50))
      )
    ),
    honest("without its length", "cat", {
      cat: changing((answer) => ({ ...answer, headers: withoutLength(answer.headers) }))
    }),
    honest("a size that is a number", "add", {
      add: changing(() => lines([{ Name: file.path, Hash: String(file.cid), Size: file.size }]))
    }),
    honest("progress before it", "add", {
      add: changing(() =>
        lines([
          { Name: file.path, Bytes: 262_144 },
          { Name: file.path, Hash: String(file.cid), Size: String(file.size) }
        ])
      )
    }),
    honest("fields that nobody knows", "add", { add: changing(() => added({ Extra: { deep: [1] } })) }),
    honest("a table in the place of lines", "pins", {
      "pin/ls": changing(() =>
        json({
          Keys: { [String(Truth.cids.file)]: { Type: "recursive" }, [String(Truth.data)]: { Type: "direct" } }
        })
      )
    })
  ]
}

export const families: ReadonlyArray<Family> = [shapes, errors, unusual]
