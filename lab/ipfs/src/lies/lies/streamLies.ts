/** Answers that begin correctly, and then break off, fail, stall or never end. */
import type { ServerResponse } from "node:http"

import { utf8 } from "../answer.ts"
import { type Behaviour, type Exchange, type Family, forAll, half, type Lie, responding } from "../lie.ts"
import { begin } from "../lyingServer.ts"
import type { Read } from "../trueContent.ts"

/** The reads that are streams, and the commands that they send. */
const READS: ReadonlyArray<readonly [read: Read, commands: ReadonlyArray<string>]> = [
  ["cat", ["cat", "block/get"]],
  ["block", ["block/get"]],
  ["export", ["dag/export"]],
  ["ls", ["ls", "block/get"]],
  ["add", ["add"]],
  ["pins", ["pin/ls"]]
]

const forEachRead = (
  name: string,
  behaviour: Behaviour,
  reads: ReadonlyArray<Read>,
  more: (read: Read) => Pick<Lie, "says" | "unprovable"> = () => ({})
): ReadonlyArray<Lie> =>
  READS.filter(([read]) => reads.includes(read)).map(([read, commands]) => ({
    name: `${name}: ${read}`,
    read,
    commands: forAll(commands, behaviour),
    ...more(read)
  }))

const says = (says: string) => () => ({ says })

/** Adds the reason `unprovable` to lies about pins, because a list of pins is a claim of the node. */
const ofPins =
  (unprovable: string, more: Pick<Lie, "says"> = {}) =>
  (read: Read) =>
    read === "pins" ? { ...more, unprovable } : more

const CLAIM = "which pins a node has is its own word"
const HIDDEN = "which pins a node has is its own word, and fetch hides the trailer that takes it back"

const everywhere: ReadonlyArray<Read> = READS.map(([read]) => read)

/** Sends the first half of the body in a separate packet, without the length, and then calls `then`. */
const afterHalf = (then: (exchange: Exchange) => void): Behaviour =>
  responding((exchange) => {
    const { answer, response } = exchange
    begin(response, { status: answer.status, headers: withoutLength(answer.headers) })
    // Each line that is sent is whole, so that only the end of the answer is wrong.
    const isLines = answer.headers["content-type"] === "application/json"
    response.write(isLines ? wholeLines(answer.body) : half(answer.body), () => setTimeout(() => then(exchange), 20))
  })

/** Returns all lines except the last one. If there is only one line, returns a line that reports progress. */
const wholeLines = (body: Uint8Array): Uint8Array => {
  const kept = linesOf(body).slice(0, -1)
  return utf8(kept.length === 0 ? "\n" : `${kept.join("\n")}\n`)
}

const linesOf = (body: Uint8Array): ReadonlyArray<string> => new TextDecoder().decode(body).trimEnd().split("\n")

export const withoutLength = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "x-content-length"))

const fail = ({ response }: Exchange): void => {
  response.addTrailers({ "X-Stream-Error": "disk full" })
  response.end()
}

/** Sends pieces without end, with a pause after each: some 12 MiB a second. */
const endlessly = (response: ServerResponse, piece: Uint8Array): void => {
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer)
    else if (!response.writableNeedDrain) response.write(piece)
  }, 5)
}

const endless = (piece: (exchange: Exchange) => Uint8Array): Behaviour =>
  responding((exchange) => {
    const { answer, response } = exchange
    begin(response, { status: 200, headers: withoutLength(answer.headers) })
    endlessly(response, piece(exchange))
  })

const PIECE = new Uint8Array(65_536).fill(97)

const ends: Family = {
  name: "Ends",
  lies: [
    ...forEachRead(
      "the connection is cut",
      afterHalf(({ socket }) => socket.destroy()),
      everywhere,
      says("TransportError")
    ),
    ...forEachRead("an error in the trailer", afterHalf(fail), everywhere, ofPins(HIDDEN, { says: "StreamError" })),
    ...forEachRead(
      "an error in the trailer, behind everything",
      responding((exchange) => {
        begin(exchange.response, { status: 200, headers: withoutLength(exchange.answer.headers) })
        exchange.response.write(exchange.answer.body)
        setTimeout(() => fail(exchange), 20)
      }),
      ["cat", "add", "pins"],
      says("StreamError")
    ),
    ...forEachRead(
      "an error in the header",
      responding(({ answer, response }) => {
        begin(response, { status: 200, headers: { ...withoutLength(answer.headers), "x-stream-error": "disk full" } })
        response.end(half(answer.body))
      }),
      ["cat", "add"],
      says("StreamError")
    ),
    ...forEachRead(
      "an error in the last object",
      afterHalf(({ response }) => response.end('{"Message":"disk full","Code":0,"Type":"error"}\n')),
      ["ls", "add", "pins"],
      says("StreamError")
    ),
    ...forEachRead(
      "half of it, as if that were all",
      afterHalf(({ response }) => response.end()),
      everywhere,
      ofPins(CLAIM)
    ),
    ...forEachRead(
      "fewer bytes than X-Content-Length says",
      responding(({ answer, response }) => {
        const headers = { ...answer.headers, "x-content-length": String(answer.body.length) }
        begin(response, { status: 200, headers })
        response.end(half(answer.body))
      }),
      ["cat", "block", "export"],
      says("LengthError")
    ),
    ...forEachRead(
      "more bytes than X-Content-Length says",
      responding(({ answer, response }) => {
        begin(response, { status: 200, headers: { ...answer.headers, "x-content-length": String(answer.body.length) } })
        response.end(Buffer.concat([answer.body, PIECE]))
      }),
      ["cat", "block"],
      says("LengthError")
    ),
    ...forEachRead(
      "fewer bytes than Content-Length says",
      responding(({ answer, socket }) => {
        const head = ["HTTP/1.1 200 OK", "content-type: text/plain", `content-length: ${answer.body.length}`, "", ""]
        socket.write(head.join("\r\n"))
        socket.end(half(answer.body))
      }),
      ["cat", "block", "pins"],
      says("TransportError")
    ),
    ...forEachRead(
      "a line that breaks off",
      responding(({ answer, response }) => {
        begin(response, answer)
        response.end(answer.body.subarray(0, answer.body.length - 10))
      }),
      ["ls", "add", "pins"],
      says("ProtocolError")
    )
  ]
}

const silences: Family = {
  name: "Silence and no end",
  lies: [
    ...forEachRead(
      "silence after the headers",
      responding(({ answer, response }) => {
        begin(response, answer)
        response.flushHeaders()
      }),
      everywhere,
      says("TimeoutError")
    ),
    ...forEachRead(
      "silence after a half",
      afterHalf(() => {}),
      everywhere,
      says("TimeoutError")
    ),
    ...forEachRead(
      "no answer at all",
      responding(() => {}),
      everywhere,
      says("TimeoutError")
    ),
    ...forEachRead(
      "bytes without end",
      endless(() => PIECE),
      ["cat", "block", "export"]
    ),
    ...forEachRead(
      "a line without end",
      endless(() => PIECE),
      ["ls", "add", "pins"],
      says("ProtocolError")
    ),
    ...forEachRead(
      "lines without end",
      endless(({ answer, asked }) => {
        if (asked.command === "block/get") return PIECE
        const line = asked.command === "add" ? '{"Name":"b.bin","Bytes":1}' : linesOf(answer.body)[0]!
        return utf8(`${line}\n`.repeat(500))
      }),
      ["ls", "add", "pins"],
      (read) => (read === "pins" ? { unprovable: "a list may be long" } : {})
    )
  ]
}

export const families: ReadonlyArray<Family> = [ends, silences]
