/** Tests answers that lie, break off or never end. Each becomes an error that says what happened. */
import type { IncomingMessage, ServerResponse } from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { Cid, type IpfsClient, type IpfsError } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import * as Clients from "../support/clients.ts"
import * as Liar from "../support/liar.ts"

const CID = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")

const added = (name: string): string => `${JSON.stringify({ Name: name, Hash: Cid.toText(CID), Size: "19" })}\n`

const ADD = "add"
const addTwo = (ipfs: IpfsClient.Client) => Stream.runCollect(ipfs.addAll([{ content: "a" }, { content: "b" }]))
const cat = (ipfs: IpfsClient.Client) => Stream.runCollect(ipfs.cat(CID))

interface Lie {
  readonly title: string
  readonly call: (ipfs: IpfsClient.Client) => Effect.Effect<unknown, IpfsError.IpfsError>
  readonly answer: (response: ServerResponse, request: IncomingMessage) => void
  readonly says: string
}

/** Returns the message of an error with the tag of its reason. */
const tagged = ({ command, reason }: IpfsError.IpfsError): string => `${command}: ${reason._tag}: ${reason.message}`

/** Sends an endless body as fast as the client reads it. */
const endless = (response: ServerResponse, piece: Uint8Array): void => {
  const more = (): void => {
    while (!response.destroyed && response.write(piece)) {
      // the loop writes until the socket is full
    }
  }
  response.on("drain", more)
  more()
}

const lies: ReadonlyArray<Lie> = [
  {
    title: "a line that is not JSON",
    call: addTwo,
    answer: (response) => response.end(`${added("a")}no\n`),
    says: "add: ProtocolError: the answer is not JSON"
  },
  {
    title: "a page instead of JSON",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end("<html>Welcome"),
    says: "version: ProtocolError: the answer is HTML, not JSON"
  },
  {
    title: "nothing instead of JSON",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end(),
    says: "version: ProtocolError: the answer is empty"
  },
  {
    title: "JSON that breaks off",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end('{"Version":"0.4'),
    says: "version: ProtocolError: the answer is not JSON"
  },
  {
    title: "bytes instead of JSON",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end(Uint8Array.of(0x22, 0xff, 0x22)),
    says: "version: ProtocolError: the answer is not UTF-8"
  },
  {
    title: "bytes instead of a line",
    call: addTwo,
    answer: (response) => response.end(Uint8Array.of(0x22, 0xff, 0x22, 0x0a)),
    says: "add: ProtocolError: the answer is not UTF-8"
  },
  {
    title: "two values where there is one",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end('{"Version":"1"}\n{"Version":"2"}\n'),
    says: "version: ProtocolError: the answer is not JSON"
  },
  {
    title: "no CID of what was added",
    call: (ipfs) => ipfs.add({ content: "a" }),
    answer: (response) => response.end('{"Name":"a","Bytes":1}\n'),
    says: "add: ProtocolError: the answer says no CID"
  },
  {
    title: "two blocks for one",
    call: (ipfs) => ipfs.blockPut(Uint8Array.of(1)),
    answer: (response) => response.end(`{"Key":"${Cid.toText(CID)}","Size":1}\n`.repeat(2)),
    says: "block/put: ProtocolError: the answer has more than one value"
  },
  {
    title: "no word of what was pinned",
    call: (ipfs) => ipfs.pinAdd(CID),
    answer: (response) => response.end('{"Progress":1}\n'),
    says: "pin/add: ProtocolError: the answer says no pins"
  },
  {
    title: "a CID that is none",
    call: (ipfs) => ipfs.blockStat(CID),
    answer: (response) => response.end('{"Key":"Qmnobody","Size":1}'),
    says: "block/stat: DecodeError: answer.Key: Expected a CID"
  },
  {
    title: "a size that is none",
    call: (ipfs) => ipfs.blockStat(CID),
    answer: (response) => response.end(`{"Key":"${Cid.toText(CID)}","Size":"-1"}`),
    says: "block/stat: DecodeError: answer.Size: Expected "
  },
  {
    title: "a pinned CID that is none, in a table",
    call: (ipfs) => Stream.runCollect(ipfs.pinLs()),
    answer: (response) => response.end('{"Keys":{"Qmnobody":{"Type":"recursive"}}}'),
    says: "pin/ls: DecodeError: answer"
  },
  {
    title: "an error in the last value",
    call: addTwo,
    answer: (response) => response.end(`${added("a")}{"Message":"disk full","Code":0,"Type":"error"}\n`),
    says: "add: StreamError: disk full"
  },
  {
    title: "an error in the only value",
    call: (ipfs) => ipfs.version(),
    answer: (response) => response.end('{"Message":"disk full","Code":0,"Type":"error"}'),
    says: "version: StreamError: disk full"
  },
  {
    title: "an error in a header",
    call: cat,
    answer: (response) => response.writeHead(200, { "x-stream-error": "disk full" }).end("partial"),
    says: "cat: StreamError: disk full"
  },
  {
    title: "fewer bytes than it said",
    call: cat,
    answer: (response) => response.writeHead(200, { "x-content-length": "11" }).end("partial"),
    says: "cat: LengthError: the answer has only 7 of 11 bytes"
  },
  {
    title: "more bytes than it said, without end",
    call: cat,
    answer: (response) => {
      response.writeHead(200, { "x-content-length": "11" })
      endless(response, Buffer.from("partial answer"))
    },
    says: "cat: LengthError: the answer has at least"
  },
  {
    title: "a body that is cut off",
    call: cat,
    answer: (response) => {
      response.write("partial")
      setTimeout(() => response.destroy(), 20)
    },
    says: "cat: TransportError: the answer was cut off"
  },
  {
    title: "lines that are cut off",
    call: addTwo,
    answer: (response) => {
      response.write(added("a"))
      setTimeout(() => response.destroy(), 20)
    },
    says: "add: TransportError: the answer was cut off"
  },
  {
    title: "a connection that is closed without a word",
    call: (ipfs) => Stream.runDrain(ipfs.addAll([{ content: Stream.make(Uint8Array.of(1)) }])),
    answer: (response) => response.destroy(),
    says: "add: TransportError: connection failed"
  },
  {
    title: "a block without end",
    call: (ipfs) => ipfs.blockGet(CID),
    answer: (response) => endless(response, Buffer.alloc(1000)),
    says: "block/get: ProtocolError: the answer is larger than 5000 bytes"
  },
  {
    title: "a line without end",
    call: addTwo,
    answer: (response) => endless(response, Buffer.from("a".repeat(1000))),
    says: "add: ProtocolError: a line of the answer is larger than 5000 bytes"
  },
  {
    title: "an error without end",
    call: (ipfs) => ipfs.version(),
    answer: (response) => {
      response.writeHead(500, { "content-type": "text/plain" })
      endless(response, Buffer.from("a".repeat(1000)))
    },
    says: `version: FailedError: ${"a".repeat(2000)}...`
  },
  {
    title: "a redirect",
    call: (ipfs) => ipfs.version(),
    answer: (response, request) => {
      if (request.url?.startsWith("/api") === true) {
        response.writeHead(307, { location: "/elsewhere" }).end()
      } else {
        response.end('{"Version":"1"}')
      }
    },
    says: "version: TransportError: redirected: give the final URL"
  }
]

for (const [name, client] of Object.entries(Clients.httpClients)) {
  const asked = (answer: Lie["answer"]) =>
    Effect.flatMap(
      Liar.make((request, response) => answer(response, request)),
      (url) => Clients.over(client, { url, maxBytes: 5000, retries: 0 })
    )

  describe(`over ${name}`, () => {
    for (const { answer, call, says, title } of lies) {
      it.effect(`${title} is an error`, () =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(call(yield* asked(answer)))
          assert.strictEqual(tagged(error).slice(0, says.length), says)
        })
      )
    }

    it.effect("what came before the error is not lost", () =>
      Effect.gen(function* () {
        const ipfs = yield* asked((response) =>
          response.end(`${added("a")}{"Message":"disk full","Code":0,"Type":"error"}`)
        )
        const names: Array<string> = []
        const error = yield* Effect.flip(
          Stream.runForEach(ipfs.addAll([{ content: "a" }]), (event) => Effect.sync(() => names.push(event.name)))
        )
        assert.deepStrictEqual(names, ["a"])
        assert.strictEqual(error.command, ADD)
      })
    )

    // `fetch` hides trailers, so only an announced length or a cut connection shows the failure.
    it.effect(`an error in the trailer is ${name === "fetch" ? "hidden" : "an error"}`, () =>
      Effect.gen(function* () {
        const ipfs = yield* asked((response) => {
          response.writeHead(200, { trailer: "X-Stream-Error" })
          response.write("partial")
          response.addTrailers({ "X-Stream-Error": "context deadline exceeded" })
          response.end()
        })
        const outcome = yield* Effect.result(cat(ipfs))
        if (name === "fetch") {
          assert.strictEqual(outcome._tag, "Success")
        } else {
          assert.strictEqual(
            outcome._tag === "Failure" && tagged(outcome.failure),
            "cat: StreamError: context deadline exceeded"
          )
        }
      })
    )

    // After an error in the middle of an answer, our service sends the last chunk and the trailer, but not the end
    // (docs/decisions/ipfs-service.md).
    it.effect("an answer that is broken behind its trailer is an error, whatever was asked", () =>
      Effect.gen(function* () {
        const cid = Cid.fromTextUnsafe("bafkqaaqha4")
        const pin = '{"Cid":"bafkqaaqha4","Type":"recursive"}\n'
        const calls: ReadonlyArray<
          readonly [body: string, call: (ipfs: IpfsClient.Client) => Effect.Effect<unknown, IpfsError.IpfsError>]
        > = [
          ["half", cat],
          ["half", (ipfs) => Stream.runDrain(ipfs.get(cid))],
          ["half", (ipfs) => Stream.runDrain(ipfs.dagExport(cid))],
          ["half", (ipfs) => ipfs.blockGet(cid)],
          ["{}", (ipfs) => ipfs.dagGet(cid)],
          [added("a"), (ipfs) => Stream.runDrain(ipfs.addAll([{ path: "a", content: "a" }]))],
          ['{"Objects":[]}\n', (ipfs) => Stream.runDrain(ipfs.ls(cid))],
          [pin, (ipfs) => Stream.runDrain(ipfs.pinLs())]
        ]
        for (const [body, call] of calls) {
          const ipfs = yield* asked((response) => {
            response.writeHead(200, { trailer: "X-Stream-Error", "transfer-encoding": "chunked" })
            response.write(body)
            response.flushHeaders()
            response.socket?.end("0\r\nX-Stream-Error: a block is missing\r\n")
          })
          const error = yield* Effect.flip(call(ipfs))
          assert.include(["TransportError", "StreamError"], error.reason._tag, body)
        }
      })
    )

    it.effect("each failing status has its error", () =>
      Effect.gen(function* () {
        const statuses: ReadonlyArray<readonly [number, string, string, string]> = [
          [400, "text/plain", 'argument "key" is required\n', 'MalformedError: argument "key" is required'],
          [400, "application/json", '{"Message":"bad","Code":1,"Type":"error"}', "MalformedError: bad"],
          [401, "text/plain", "project id required\n", "UnauthorizedError: project id required"],
          [403, "text/plain", "403 - Forbidden\n", "ForbiddenError: 403 - Forbidden"],
          [404, "text/plain", "404 page not found\n", "UnknownCommandError: 404 page not found"],
          [405, "text/plain", "405 - Method Not Allowed\n", "NotAllowedError: 405 - Method Not Allowed"],
          [413, "text/html", "<html>too large</html>", "FailedError: HTTP 413"],
          [429, "text/plain", "slow down", "TransportError: HTTP 429"],
          [500, "application/json", '{"Message":"broken","Code":0,"Type":"error"}', "FailedError: broken"],
          [500, "application/json", '{"error":"broken"}', "FailedError: broken"],
          [500, "application/json", '{"Mess', "FailedError: HTTP 500"],
          [500, "text/plain", "", "FailedError: HTTP 500"],
          [502, "text/html", "<html>", "TransportError: HTTP 502"],
          [504, "text/html", "<html>", "TransportError: HTTP 504"]
        ]
        for (const [status, type, body, says] of statuses) {
          const ipfs = yield* asked((response) => response.writeHead(status, { "content-type": type }).end(body))
          const error = yield* Effect.flip(ipfs.version())
          assert.strictEqual(tagged(error), `version: ${says}`)
          assert.strictEqual("status" in error.reason && error.reason.status, status)
          const inStream = yield* Effect.flip(cat(ipfs))
          assert.strictEqual(tagged(inStream), `cat: ${says}`)
        }
      })
    )
  })
}
