/** Bodies and messages that are not JSON, or too long. */
import { gzipSync } from "node:zlib"

import { MAX_BYTES } from "../contender.ts"
import {
  type Behaviour,
  type Expected,
  type Family,
  type Fault,
  http,
  saying,
  trueAnswer,
  UNMATCHED
} from "../fault.ts"

const says = (name: string, ours: Expected, body: (answer: string) => string | Uint8Array): Fault => ({
  name,
  read: "transaction",
  server: saying((asked) => body(trueAnswer(asked))),
  ours
})

const sends = (name: string, ours: Expected, server: Behaviour): Fault => ({ name, read: "transaction", server, ours })

/** Sends the true answer with other headers. */
const labelled = (headers: Readonly<Record<string, string>>, body = (answer: string): string | Uint8Array => answer) =>
  http((exchange) => {
    exchange.response.writeHead(200, headers)
    exchange.response.end(body(trueAnswer(exchange)))
  })

const json = { "content-type": "application/json" }
/** More bytes than a client may read. */
const SPACES = 2 * MAX_BYTES

export const family: Family = {
  name: "Bodies",
  faults: [
    says("nothing", "ProtocolError", () => ""),
    says("spaces", "ProtocolError", () => " \n "),
    says("HTML", "ProtocolError", () => "<!doctype html><title>Just a moment...</title>"),
    says("text", "ProtocolError", () => "upstream connect error"),
    says("JSON cut off", "ProtocolError", (answer) => answer.slice(0, -20)),
    says("JSON twice", "ProtocolError", (answer) => answer + answer),
    says("JSON and more", "ProtocolError", (answer) => `${answer}<!-- served from cache -->`),
    says("a number that is none: NaN", "ProtocolError", (answer) => answer.replace(/"nonce":"[^"]*"/, '"nonce":NaN')),
    says("bytes that are not UTF-8", { ...UNMATCHED, webSocket: "TransportError, retryable" }, (answer) =>
      Buffer.concat([Buffer.from(answer.slice(0, -1)), Buffer.from(',"x":"\xff"}', "latin1")])
    ),
    says("UTF-16", "ProtocolError", (answer) => Buffer.from(answer, "utf16le")),
    {
      ...says(
        "a byte order mark in front",
        { fetch: "the truth", undici: "the truth", webSocket: "ProtocolError" },
        (answer) => `\ufeff${answer}`
      ),
      honest: true
    },
    {
      ...says("a number of 400 digits beside the result", "the truth", (answer) =>
        answer.replace("{", `{"load":${"9".repeat(400)},`)
      ),
      honest: true
    },
    {
      ...says("100,000 lists, one in another, beside the result", "the truth", (answer) =>
        answer.replace("{", `{"debug":${"[".repeat(100_000)}${"]".repeat(100_000)},`)
      ),
      honest: true
    },
    { ...sends("another content type", "the truth", labelled({ "content-type": "text/html" })), honest: true },
    { ...sends("no content type", "the truth", labelled({})), honest: true },
    sends(
      "gzip, it says, but it is not",
      { fetch: "TransportError, retryable", undici: "the truth" },
      labelled({ ...json, "content-encoding": "gzip" })
    ),
    sends("gzip, but it does not say so", "ProtocolError", labelled(json, gzipSync)),
    sends(
      "gzip cut off",
      "ProtocolError",
      labelled({ ...json, "content-encoding": "gzip" }, (answer) => gzipSync(answer).subarray(0, -30))
    ),
    sends(
      "an encoding that nobody knows",
      "ProtocolError",
      labelled({ ...json, "content-encoding": "x-plumb" }, gzipSync)
    ),
    sends(
      "2 MiB where 1 is allowed, as 2 kB of gzip",
      { fetch: "TransportError", undici: "ProtocolError" },
      labelled({ ...json, "content-encoding": "gzip" }, (answer) => gzipSync(`${" ".repeat(SPACES)}${answer}`))
    ),
    sends(
      "2 MiB where 1 is allowed, announced",
      "TransportError",
      http((exchange) => {
        const answer = trueAnswer(exchange)
        exchange.response.writeHead(200, { ...json, "content-length": SPACES + answer.length })
        exchange.response.write(" ".repeat(SPACES))
        exchange.response.end(answer)
      })
    ),
    says("2 MiB where 1 is allowed, not announced", "TransportError", (answer) => `${" ".repeat(SPACES)}${answer}`)
  ]
}
