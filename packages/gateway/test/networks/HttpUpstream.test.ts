/** Tests the outcome of each kind of answer that a node can give, and the outcome of no answer. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream, UpstreamError } from "@plumbline/gateway"
import { Effect, Fiber, Redacted } from "effect"

import * as FakeNode from "../support/fakeNode.ts"
import { HASH } from "../support/methods.ts"
import * as PlainWay from "../support/plainWay.ts"
import * as Service from "../support/service.ts"

const decoder = new TextDecoder()

/** The clients that a node can be called with: the gateway's own, and undici, which sends letters that are not ASCII. */
const clients: ReadonlyArray<readonly [name: string, options: Partial<HttpUpstream.HttpUpstreamOptions>]> = [
  ["plain connections", {}],
  ["undici", { headers: { "x-name": "é" } }]
]

/** Calls a node that answers with this text. `ID` in it becomes the id of the call. */
const answered = (
  text: string | Uint8Array,
  status = 200,
  options: Partial<HttpUpstream.HttpUpstreamOptions> = {},
  way: PlainWay.Way = "an effect"
) =>
  Effect.gen(function* () {
    const node = yield* FakeNode.make(({ id }) => (response) => {
      response.writeHead(status)
      response.end(typeof text === "string" ? text.replace("ID", String(id)) : text)
    })
    const upstream = yield* HttpUpstream.make({ url: node.url, ...options })
    return yield* Effect.result(PlainWay.through(way, upstream).call("eth_chainId", []))
  }).pipe(Effect.scoped)

const unusable = (problem: string) => ({ _tag: "BadAnswer", problem })

const answers: ReadonlyArray<readonly [name: string, text: string | Uint8Array, status: number, expected: unknown]> = [
  ["a result", '{"jsonrpc":"2.0","id":ID,"result":"0x1"}', 200, '"0x1"'],
  ["null", '{"jsonrpc":"2.0","id":ID,"result":null}', 200, "null"],
  ["a result before its id", '{"result":{"a":[1]},"id":ID,"jsonrpc":"2.0"}', 200, '{"a":[1]}'],
  ["a result with spaces", ' {\n"jsonrpc" : "2.0" , "id" : ID , "result" :  [ 1 ]  }\n', 200, "[ 1 ]"],
  [
    "an error",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"header not found"}}',
    200,
    { code: -32_000, message: "header not found" }
  ],
  [
    "an error with data",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":3,"message":"reverted","data":null}}',
    200,
    { code: 3, message: "reverted", data: null }
  ],
  [
    "an error without an id",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too big"}}',
    200,
    { code: -32_600, message: "too big" }
  ],
  [
    "an error under a status of failure",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no such method"}}',
    500,
    { code: -32_601, message: "no such method" }
  ],
  ["nothing", "", 200, unusable("not JSON-RPC")],
  ["a page", "<html></html>", 200, unusable("not JSON-RPC")],
  ["an array", '[{"jsonrpc":"2.0","id":ID,"result":1}]', 200, unusable("not JSON-RPC")],
  ["half an answer", '{"jsonrpc":"2.0","id":ID,"result":"0x', 200, unusable("not JSON-RPC")],
  ["an answer and more", '{"jsonrpc":"2.0","id":ID,"result":1}{}', 200, unusable("not JSON-RPC")],
  ["neither result nor error", '{"jsonrpc":"2.0","id":ID}', 200, unusable("not JSON-RPC")],
  [
    "both result and error",
    '{"jsonrpc":"2.0","id":ID,"result":1,"error":{"code":1,"message":"x"}}',
    200,
    unusable("not JSON-RPC")
  ],
  ["a result that is not JSON", '{"jsonrpc":"2.0","id":ID,"result":{"a":tru}}', 200, unusable("not JSON-RPC")],
  ["a result with a control character", '{"jsonrpc":"2.0","id":ID,"result":"a\nb"}', 200, unusable("not JSON-RPC")],
  [
    "a result that is not JSON, before its id",
    '{"result":[1,],"id":ID,"jsonrpc":"2.0"}',
    200,
    unusable("not JSON-RPC")
  ],
  ["another version", '{"jsonrpc":"1.0","id":ID,"result":1}', 200, unusable("not JSON-RPC")],
  ["no version", '{"id":ID,"result":1}', 200, unusable("not JSON-RPC")],
  ["bytes that are not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), 200, unusable("not JSON-RPC")],
  ["another id", '{"jsonrpc":"2.0","id":99999,"result":1}', 200, unusable("wrong id")],
  ["the id as text", '{"jsonrpc":"2.0","id":"ID","result":1}', 200, unusable("wrong id")],
  ["a result without an id", '{"jsonrpc":"2.0","id":null,"result":1}', 200, unusable("wrong id")],
  [
    "an error of another id",
    '{"jsonrpc":"2.0","id":99999,"error":{"code":1,"message":"x"}}',
    200,
    unusable("wrong id")
  ],
  ["an error that is text", '{"jsonrpc":"2.0","id":ID,"error":"no"}', 200, unusable("bad error object")],
  ["an error without a code", '{"jsonrpc":"2.0","id":ID,"error":{"message":"x"}}', 200, unusable("bad error object")],
  [
    "an error with a fraction for a code",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":1.5,"message":"x"}}',
    200,
    unusable("bad error object")
  ],
  ["an error that is not JSON", '{"jsonrpc":"2.0","id":ID,"error":{code:1}}', 200, unusable("bad error object")],
  ["a failure in words", "upstream connect error", 503, { _tag: "BadStatus", status: 503 }],
  [
    "a result under a status of failure",
    '{"jsonrpc":"2.0","id":ID,"result":1}',
    500,
    { _tag: "BadStatus", status: 500 }
  ],
  ["a redirection", "", 302, { _tag: "BadStatus", status: 302 }],
  ...[401, 402, 403, 407, 429].map(
    (status) =>
      [
        `status ${status}, which is about this service`,
        '{"jsonrpc":"2.0","id":ID,"error":{"code":-32005,"message":"your key K is over its quota"}}',
        status,
        { _tag: "BadStatus", status }
      ] as const
  )
]

describe.each(clients)("a node's answer over %s", (_, client) => {
  it.live.each(answers)("%s", ([, text, status, expected]) =>
    Effect.gen(function* () {
      for (const way of PlainWay.ways) {
        const answer = yield* answered(text, status, client, way)
        if (answer._tag === "Success") assert.strictEqual(decoder.decode(answer.success), expected)
        else if (answer.failure instanceof UpstreamError.UpstreamError) {
          assert.deepStrictEqual<unknown>(answer.failure.reason, expected)
        } else assert.deepStrictEqual<unknown>(answer.failure, expected)
      }
    })
  )

  it.live("may be as large as the limit, and no larger", () =>
    Effect.gen(function* () {
      const text = '{"jsonrpc":"2.0","id":1,"result":"0123456789"}'
      const fits = yield* answered(text, 200, { ...client, maxAnswerBytes: text.length })
      assert.strictEqual(fits._tag, "Success")
      const tooLarge = yield* answered(text, 200, { ...client, maxAnswerBytes: text.length - 1 })
      assert.deepStrictEqual<unknown>(tooLarge._tag === "Failure" && Object(tooLarge.failure).reason, {
        _tag: "TooLarge",
        limit: text.length - 1
      })
    })
  )

  it.live("is put together from its pieces", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(({ id }) => (response) => {
        const text = `{"jsonrpc":"2.0","id":${id},"result":"é"}`
        response.writeHead(200, { "content-type": "application/json" })
        const bytes = Buffer.from(text)
        const write = (at: number): void => {
          if (at === bytes.length) response.end()
          else response.write(bytes.subarray(at, at + 1), () => write(at + 1))
        }
        write(0)
      })
      const upstream = yield* HttpUpstream.make({ url: node.url, ...client })
      assert.strictEqual(decoder.decode(yield* Effect.orDie(upstream.call("eth_chainId", []))), '"é"')
    }).pipe(Effect.scoped)
  )

  it.live("that breaks off is a fault", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => (response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("{", () => response.destroy())
      })
      const upstream = yield* HttpUpstream.make({ url: node.url, ...client })
      const fault = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.deepStrictEqual<unknown>(Object(fault).reason, { _tag: "Unreachable", code: "UND_ERR_SOCKET" })
    }).pipe(Effect.scoped)
  )

  it.live("that does not come in time is a fault, and the call is given up", () =>
    Effect.gen(function* () {
      // The node sends one byte and then nothing more. The timeout applies although a part of the answer arrived.
      const node = yield* FakeNode.make(() => (response) => response.write("{"))
      const upstream = yield* HttpUpstream.make({ url: node.url, timeout: "50 millis", ...client })
      const fault = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.deepStrictEqual<unknown>(Object(fault).reason, { _tag: "TimedOut", after: 50 })
      yield* Effect.promise(() => node.abandoned(1))
    }).pipe(Effect.scoped)
  )
})

/** Makes a server whose connections are handled by `behave`. */
const rawNode = (behave: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly connections: Set<Socket>; readonly server: Server }>((resume) => {
      const connections = new Set<Socket>()
      const server = createServer((socket) => {
        connections.add(socket)
        socket.on("error", () => undefined)
        socket.once("close", () => connections.delete(socket))
        socket.once("data", () => behave(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ url: `http://127.0.0.1:${port}/KEY`, connections, server }))
      })
    }),
    ({ connections, server }) =>
      Effect.callback<void>((resume) => {
        for (const socket of connections) socket.destroy()
        server.close(() => resume(Effect.void))
      })
  )

const BODY_OF_ONE = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const WHOLE = `HTTP/1.1 200 OK\r\ncontent-length: ${BODY_OF_ONE.length}\r\n\r\n${BODY_OF_ONE}`
const ENDLESS = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"

describe.each(clients)("a hostile node over %s", (_, client) => {
  it.live("may close at every byte of its answer: none but the whole one is taken", () =>
    Effect.gen(function* () {
      let end = 0
      const node = yield* rawNode((socket) => socket.end(WHOLE.slice(0, end)))
      for (end = 0; end <= WHOLE.length; end++) {
        const answer = yield* Effect.scoped(
          Effect.flatMap(HttpUpstream.make({ url: node.url, timeout: "2 seconds", ...client }), (upstream) =>
            Effect.result(upstream.call("eth_chainId", []))
          )
        )
        assert.strictEqual(answer._tag, end === WHOLE.length ? "Success" : "Failure", `${end} bytes`)
        if (answer._tag === "Success") continue
        assert.instanceOf(answer.failure, UpstreamError.UpstreamError)
        assert.notInclude(JSON.stringify(answer.failure), "KEY")
      }
    }).pipe(Effect.scoped)
  )

  const hostile: ReadonlyArray<readonly [name: string, behave: (socket: Socket) => void, reason: unknown]> = [
    [
      "headers without end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const more = () => {
          if (!socket.destroyed) socket.write(`x-${"y".repeat(100)}: 1\r\n`, more)
        }
        more()
      },
      { _tag: "Unreachable", code: "UND_ERR_HEADERS_OVERFLOW" }
    ],
    [
      "headers that come one by one",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const timer = setInterval(() => socket.write("x: 1\r\n"), 20)
        socket.once("close", () => clearInterval(timer))
      },
      { _tag: "TimedOut", after: 300 }
    ],
    [
      "signs of life for ever",
      (socket) => {
        const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 20)
        socket.once("close", () => clearInterval(timer))
      },
      { _tag: "TimedOut", after: 300 }
    ],
    [
      "a body without end",
      (socket) => {
        socket.write(ENDLESS)
        const chunk = `1000\r\n${" ".repeat(4096)}\r\n`
        const more = () => {
          if (!socket.destroyed) socket.write(chunk, more)
        }
        more()
      },
      { _tag: "TooLarge", limit: 100_000 }
    ],
    [
      "a redirect",
      (socket) => socket.end("HTTP/1.1 307 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"),
      { _tag: "BadStatus", status: 307 }
    ],
    ["another protocol", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), { _tag: "Unreachable", code: "UNKNOWN" }],
    [
      "an upgrade that nobody asked for",
      (socket) => socket.write("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
      { _tag: "Unreachable", code: "UND_ERR_SOCKET" }
    ]
  ]

  it.live.each(hostile)("may send %s: the call ends, and its connection", ([, behave, reason]) =>
    Effect.gen(function* () {
      const isWait = Object(reason)._tag === "TimedOut"
      const node = yield* rawNode(behave)
      const upstream = yield* HttpUpstream.make({
        url: node.url,
        ...client,
        timeout: isWait ? 300 : "10 seconds",
        maxAnswerBytes: 100_000
      })
      const fault = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.deepStrictEqual<unknown>(Object(fault).reason, reason)
      while (node.connections.size > 0) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped)
  )
})

describe.each(clients)("a call to a node over %s", (_, client) => {
  it.live("that is interrupted is given up", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => () => undefined)
      const upstream = yield* HttpUpstream.make({ url: node.url, ...client })
      const fiber = yield* Effect.forkChild(upstream.call("eth_chainId", []))
      yield* Effect.promise(() => node.wasAsked(1))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => node.abandoned(1))
    }).pipe(Effect.scoped)
  )

  it.live("that is interrupted while it waits for a connection is never sent", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const node = yield* FakeNode.make(({ id, method }) => (response) => {
        const answer = () => FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":1}`)
        if (method === "hold") held.push(answer)
        else answer()
      })
      const upstream = yield* HttpUpstream.make({ url: node.url, connections: 1, ...client })
      const first = yield* Effect.forkChild(upstream.call("hold", []))
      yield* Effect.promise(() => node.wasAsked(1))
      const second = yield* Effect.forkChild(upstream.call("second", []))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(second)
      const third = yield* Effect.forkChild(upstream.call("third", []))
      held[0]!()
      yield* Fiber.join(first)
      yield* Fiber.join(third)
      assert.deepStrictEqual(
        node.asked.map(({ method }) => method),
        ["hold", "third"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("carries the credentials of its URL and its headers, and shows them nowhere", () =>
    Effect.gen(function* () {
      let seen: Record<string, unknown> = {}
      const node = yield* FakeNode.make(({ id }) => (response, request) => {
        seen = { ...request.headers, url: request.url }
        FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":1}`)
      })
      const url = node.url.replace("http://", "http://us%20er:p%40ss@")
      const upstream = yield* HttpUpstream.make({
        url: Redacted.make(`${url}/v3/operatorskey?x=1`),
        headers: { ...client.headers, "x-token": Redacted.make("t0ken") }
      })
      yield* Effect.orDie(upstream.call("eth_chainId", []))
      assert.strictEqual(seen["url"], "/v3/operatorskey?x=1")
      assert.strictEqual(seen["authorization"], `Basic ${Buffer.from("us er:p@ss").toString("base64")}`)
      assert.strictEqual(seen["x-token"], "t0ken")
      assert.strictEqual(seen["content-type"], "application/json")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["us%20er", "p%40ss", "us er:p@ss"],
    ["", "50%off", ":50%off"],
    ["ü", "%F0%9F%94%91", "ü:🔑"],
    ["a", "%zz%", "a:%zz%"]
  ])("reads %s and %s of its URL as browsers do", ([user, password, expected]) =>
    Effect.gen(function* () {
      let seen: unknown
      const node = yield* FakeNode.make(({ id }) => (response, request) => {
        seen = request.headers.authorization
        FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":1}`)
      })
      const upstream = yield* HttpUpstream.make({
        url: node.url.replace("http://", `http://${user}:${password}@`),
        ...client
      })
      yield* Effect.orDie(upstream.call("eth_chainId", []))
      assert.strictEqual(seen, `Basic ${Buffer.from(String(expected)).toString("base64")}`)
    }).pipe(Effect.scoped)
  )

  it.live("goes over kept connections, with an id of its own each", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const node = yield* FakeNode.make(({ id }) => (response, request) => {
        ports.add(request.socket.remotePort)
        FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":${id}}`)
      })
      const upstream = yield* HttpUpstream.make({ url: node.url, connections: 4, ...client })
      const results = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () => Effect.map(upstream.call("eth_getBlockByHash", [HASH, true]), (bytes) => decoder.decode(bytes)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(results).size, 100)
      assert.isAtMost(ports.size, 4)
    }).pipe(Effect.scoped)
  )

  it.live("does not start with a URL that is none, which is not repeated", () =>
    Effect.gen(function* () {
      for (const url of ["", "ftp://host/secret", "/v3/secret", "http://[secret"]) {
        const error = yield* Effect.flip(HttpUpstream.make({ url }))
        assert.strictEqual(error.message, "url: must be an http or https URL")
        assert.notInclude(JSON.stringify(error), "secret")
      }
    }).pipe(Effect.scoped)
  )
})

const BODY = Service.call("eth_chainId", [], 9)
const INTERNAL = '{"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"internal error"}}'
const LATE = '{"jsonrpc":"2.0","id":9,"error":{"code":-32002,"message":"request timed out"}}'
const TOO_LARGE = '{"jsonrpc":"2.0","id":9,"error":{"code":-32003,"message":"response too large"}}'

describe("the service over a node", () => {
  it.live("that is down answers 502", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(yield* HttpUpstream.make({ url: "http://127.0.0.1:1" }))
      const answer = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([answer.status, answer.body], [502, INTERNAL])
      assert.strictEqual(answer.headers["content-type"], "application/json")
    }).pipe(Effect.scoped)
  )

  it.live("that is down answers each call of a batch, with 200", () =>
    Effect.gen(function* () {
      const service = yield* Service.start(yield* HttpUpstream.make({ url: "http://127.0.0.1:1" }))
      const answer = yield* Service.ask(service, { body: `[${BODY},${BODY}]` })
      assert.deepStrictEqual([answer.status, answer.body], [200, `[${INTERNAL},${INTERNAL}]`])
    }).pipe(Effect.scoped)
  )

  it.live("that is late answers 504", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => () => undefined)
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url, timeout: "20 millis" }))
      const answer = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([answer.status, answer.body], [504, LATE])
    }).pipe(Effect.scoped)
  )

  it.live("that answers nonsense answers 502, and never with its words", () =>
    Effect.gen(function* () {
      for (const text of ["node-words", '{"jsonrpc":"2.0","id":0,"result":"node-words"}', '{"node-words":1}']) {
        const node = yield* FakeNode.make(() => (response) => response.end(text))
        const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
        const answer = yield* Service.ask(service, { body: BODY })
        assert.deepStrictEqual([answer.status, answer.body], [502, INTERNAL])
      }
    }).pipe(Effect.scoped)
  )

  it.live("bounds the results of one request together", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => ({ result: "x".repeat(98) }))
      const limits = { answerBytes: 250, batchConcurrency: 1 }
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }), { limits })
      const answer = yield* Service.ask(service, { body: `[${[BODY, BODY, BODY, BODY].join(",")}]` })
      const answers = JSON.parse(answer.body) as Array<{ readonly result?: unknown }>
      assert.deepStrictEqual(
        answers.map((item) => (item.result === undefined ? JSON.stringify(item) : "result")),
        ["result", "result", TOO_LARGE, TOO_LARGE]
      )
      assert.strictEqual(node.asked.length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("says so when one answer is larger than the node may give", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(() => ({ result: "x".repeat(1000) }))
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url, maxAnswerBytes: 500 }))
      const answer = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([answer.status, answer.body], [200, TOO_LARGE])
    }).pipe(Effect.scoped)
  )

  it.live("begins no call of a batch after the time for its answer", () =>
    Effect.gen(function* () {
      const node = yield* FakeNode.make(({ id }) => (response) => {
        // The first call takes longer than the time limit of the whole batch.
        setTimeout(() => FakeNode.json(response, `{"jsonrpc":"2.0","id":${id},"result":1}`), 400)
      })
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }), {
        limits: { batchConcurrency: 1 },
        timeouts: { answer: "200 millis" }
      })
      const answer = yield* Service.ask(service, { body: `[${BODY},${BODY}]` })
      assert.strictEqual(answer.body, `[{"jsonrpc":"2.0","id":9,"result":1},${LATE}]`)
      assert.strictEqual(node.asked.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that throws answers 500, without the reason", () =>
    Effect.gen(function* () {
      const service = yield* Service.start({ call: () => Effect.die(new Error("secret reason")) })
      const answer = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([answer.status, answer.body], [500, INTERNAL])
      const thrower = yield* Service.start({
        call: () => {
          throw new Error("secret reason")
        }
      })
      assert.strictEqual((yield* Service.ask(thrower, { body: BODY })).body, INTERNAL)
    }).pipe(Effect.scoped)
  )
})
