/** The outcome of each message that a node can send over a WebSocket, and of each way a connection can end. */
import { type AddressInfo, createServer, type Socket } from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { type Upstream, UpstreamError, WebSocketUpstream } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Cause, Effect, Exit, Fiber, Queue, Redacted, Scope } from "effect"

import * as FakeSocketNode from "../support/fakeSocketNode.ts"

const decoder = new TextDecoder()

/** Returns the text of a result, an error object, or the reason of a fault. */
const answerOf = (called: ReturnType<Upstream.Upstream["call"]>): Effect.Effect<unknown> =>
  Effect.match(called, {
    onSuccess: (bytes) => decoder.decode(bytes),
    onFailure: (error) => (error instanceof UpstreamError.UpstreamError ? error.reason : error)
  })

const connected = (
  behaviour: FakeSocketNode.Behaviour,
  options: Partial<WebSocketUpstream.WebSocketUpstreamOptions> = {},
  nodeOptions: Parameters<typeof FakeSocketNode.make>[1] = {}
) =>
  Effect.gen(function* () {
    const node = yield* FakeSocketNode.make(behaviour, nodeOptions)
    const upstream = yield* WebSocketUpstream.make({ url: node.url, timeout: "5 seconds", ...options })
    return { node, upstream }
  })

const SWITCHING = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
const unusable = (problem: string) => ({ _tag: "BadAnswer", problem })
const closed = { _tag: "Unreachable", code: "CLOSED" }

const echo: FakeSocketNode.Behaviour = (asked, socket) =>
  socket.send(FakeSocketNode.result(asked, JSON.stringify(asked.params)))

const answers: ReadonlyArray<readonly [name: string, text: string | Uint8Array, expected: unknown]> = [
  ["a result", '{"jsonrpc":"2.0","id":ID,"result":"0x1"}', '"0x1"'],
  ["null", '{"jsonrpc":"2.0","id":ID,"result":null}', "null"],
  ["a result with spaces", ' {\n"result" :  [ 1.0 ] ,"jsonrpc" : "2.0" , "id" : ID }\n', "[ 1.0 ]"],
  [
    "an error with data",
    '{"jsonrpc":"2.0","id":ID,"error":{"code":3,"message":"reverted","data":"0x"}}',
    { code: 3, message: "reverted", data: "0x" }
  ],
  [
    "an error without an id, if there is one call only",
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"too big"}}',
    { code: -32_600, message: "too big" }
  ],
  ["bytes of JSON in a binary message", new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"é"}'), '"é"'],
  ["an error that is text", '{"jsonrpc":"2.0","id":ID,"error":"no"}', unusable("bad error object")],
  ["another version", '{"jsonrpc":"1.0","id":ID,"result":1}', unusable("not JSON-RPC")],
  ["nothing", "", unusable("not JSON-RPC")],
  ["a page", "<html></html>", unusable("not JSON-RPC")],
  ["half an answer", '{"jsonrpc":"2.0","id":ID,"result":"0x', unusable("not JSON-RPC")],
  ["a list", '[{"jsonrpc":"2.0","id":ID,"result":1}]', unusable("not JSON-RPC")],
  [
    "bytes that are not UTF-8",
    Buffer.from('{"jsonrpc":"2.0","id":1,"result":"\xff"}', "latin1"),
    unusable("not JSON-RPC")
  ],
  ["both result and error", '{"jsonrpc":"2.0","id":ID,"result":1,"error":{}}', unusable("not JSON-RPC")]
]

describe("a message of a node", () => {
  it.live.each(answers)("%s", ([, text, expected]) =>
    Effect.gen(function* () {
      const { upstream } = yield* connected(({ id }, socket) =>
        socket.send(typeof text === "string" ? text.replace("ID", String(id)) : text)
      )
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_chainId", [])), expected)
    }).pipe(Effect.scoped)
  )

  it.live("finds its call, in whatever order answers come", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const { upstream } = yield* connected((asked, socket) => {
        held.push(() => echo(asked, socket))
        if (held.length < 100) return
        const random = Random.make(7)
        while (held.length > 0) held.splice(Random.int(random, held.length), 1)[0]!()
      })
      const calls = Array.from({ length: 100 }, (_, index) => answerOf(upstream.call("eth_call", [index])))
      const answers = yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.deepStrictEqual(
        answers,
        answers.map((_, index) => `[${index}]`)
      )
    }).pipe(Effect.scoped)
  )

  it.live("is ignored when nobody waits for it", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected((asked, socket) => {
        for (const id of ["99", '"1"', "1.0", "null", "{}"])
          socket.send(`{"jsonrpc":"2.0","id":${id},"result":"wrong"}`)
        socket.send('{"jsonrpc":"2.0","method":"hello","params":[]}')
        socket.send(FakeSocketNode.notification("0xdead", '"nobody"'))
        for (const id of ["1", "null", "[[]]", '{"toString":1,"valueOf":1}', '{"__proto__":null}']) {
          socket.send(`{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${id},"result":1}}`)
        }
        socket.send(FakeSocketNode.result(asked, '"right"'))
        socket.send(FakeSocketNode.result(asked, '"again"'))
      })
      for (const _ of [1, 2]) assert.strictEqual(yield* answerOf(upstream.call("eth_chainId", [])), '"right"')
      assert.strictEqual(node.sockets.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that is too large ends the connection, and the next call makes another", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(
        (asked, socket) => socket.send(FakeSocketNode.result(asked, `"${"x".repeat(Number(asked.params[0]))}"`)),
        { maxAnswerBytes: 100 }
      )
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [200])), { _tag: "TooLarge", limit: 100 })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [3])), '"xxx"')
      assert.strictEqual(node.sockets.length, 2)
    }).pipe(Effect.scoped)
  )
})

describe("a call over a WebSocket", () => {
  it.live("fails with its connection, and the next one goes over a new one", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected((asked, socket) => {
        if (asked.method === "lost") socket.terminate()
        else echo(asked, socket)
      })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [1])), "[1]")
      const both = yield* Effect.all([answerOf(upstream.call("lost", [])), answerOf(upstream.call("eth_call", [2]))], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(Object(both[0])._tag, "Unreachable")
      // The call is never sent twice: it was either sent before the loss, or sent on the new connection.
      assert.isAtMost(node.asked.filter(({ params }) => params[0] === 2).length, 1)
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [3])), "[3]")
    }).pipe(Effect.scoped)
  )

  it.live("is a fault when there is no node, and works when it is back", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const node = yield* Scope.provide(FakeSocketNode.make(echo), scope)
      const upstream = yield* WebSocketUpstream.make({ url: node.url, maxBackoff: "200 millis" })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [1])), "[1]")
      yield* Scope.close(scope, Exit.void)
      // The first of these calls may be the one that notices the loss.
      const failures = yield* Effect.all([2, 2].map((index) => answerOf(upstream.call("eth_call", [index]))))
      assert.deepStrictEqual(failures[1], { _tag: "Unreachable", code: "ECONNREFUSED" })
      yield* FakeSocketNode.make(echo, { port: node.port })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [3])), "[3]")
    }).pipe(Effect.scoped)
  )

  it.live("is late after its time, and an answer after that is nobody's", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(
        (asked, socket) => {
          if (asked.method === "slow") return
          const slow = node.asked.find(({ method }) => method === "slow")
          if (slow !== undefined) echo(slow, socket)
          echo(asked, socket)
        },
        // the second call must be answered in this time, however busy the machine is
        { timeout: "1 second" }
      )
      assert.deepStrictEqual(yield* answerOf(upstream.call("slow", [1])), { _tag: "TimedOut", after: 1000 })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [2])), "[2]")
    }).pipe(Effect.scoped)
  )

  it.live("waits while as many are under way as may be, and leaves its place when it is given up", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(() => undefined, { inFlight: 2 })
      const fibers = yield* Effect.forEach([1, 2, 3], (index) =>
        Effect.forkChild(answerOf(upstream.call("eth_call", [index])), { startImmediately: true })
      )
      yield* node.wasAsked(2)
      yield* Effect.sleep("50 millis")
      assert.strictEqual(node.asked.length, 2)
      yield* Fiber.interrupt(fibers[0]!)
      yield* node.wasAsked(3)
      assert.deepStrictEqual(
        node.asked.map(({ params }) => params[0]),
        [1, 2, 3]
      )
    }).pipe(Effect.scoped)
  )

  it.live("fails when the node gives no sign of life", () =>
    Effect.gen(function* () {
      const { upstream } = yield* connected(() => undefined, { heartbeat: "40 millis" }, { autoPong: false })
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [])), {
        _tag: "Unreachable",
        code: "NO_SIGN_OF_LIFE"
      })
    }).pipe(Effect.scoped)
  )

  it.live("fails when the scope closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const node = yield* FakeSocketNode.make(() => undefined)
      const upstream = yield* Scope.provide(WebSocketUpstream.make({ url: node.url }), scope)
      const fiber = yield* Effect.forkChild(answerOf(upstream.call("eth_call", [])), { startImmediately: true })
      yield* node.wasAsked(1)
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(yield* Fiber.join(fiber), closed)
      assert.deepStrictEqual(yield* answerOf(upstream.call("eth_call", [])), closed)
    }).pipe(Effect.scoped)
  )

  it.live("goes over one connection for longer than it may take to make one", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(echo, { connectTimeout: "500 millis" })
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [1])), "[1]")
      yield* Effect.sleep("600 millis")
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [2])), "[2]")
      assert.strictEqual(node.sockets.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("does not connect faster than the backoff allows", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected((_asked, socket) => socket.terminate())
      const start = performance.now()
      for (let count = 0; count < 4; count++) yield* answerOf(upstream.call("eth_call", []))
      // There are three waits between four connections: at least half of 100, 200 and 400 ms.
      assert.isAtLeast(performance.now() - start, 350 - 1)
      assert.strictEqual(node.sockets.length, 4)
    }).pipe(Effect.scoped)
  )
})

describe("the handshake", () => {
  it.live("carries headers and the user of the URL, and no secret is in what fails", () =>
    Effect.gen(function* () {
      const node = yield* FakeSocketNode.make(echo)
      const url = node.url.replace("ws://", "ws://us%20er:PASSWORD@")
      const upstream = yield* WebSocketUpstream.make({
        url: Redacted.make(`${url}/v3/KEY?token=TOKEN`),
        headers: { "x-api-key": Redacted.make("HEADER") }
      })
      yield* upstream.call("eth_chainId", [])
      const handshake = node.handshakes[0]!
      assert.strictEqual(handshake["path"], "/v3/KEY?token=TOKEN")
      assert.strictEqual(handshake["x-api-key"], "HEADER")
      assert.strictEqual(handshake["authorization"], `Basic ${Buffer.from("us er:PASSWORD").toString("base64")}`)
    }).pipe(Effect.scoped)
  )

  it.live.each([401, 403, 429, 503])("that is refused with %i is a fault with that status", (status) =>
    Effect.gen(function* () {
      const { upstream } = yield* connected(echo, {}, { refuse: status })
      const error = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.deepStrictEqual<unknown>(Object(error).reason, { _tag: "BadStatus", status })
      assert.notInclude(JSON.stringify(error), "KEY")
      assert.strictEqual((error as UpstreamError.UpstreamError).notDone, [401, 403, 429].includes(status))
    }).pipe(Effect.scoped)
  )

  it.live("with a header that HTTP does not have is a fault", () =>
    Effect.gen(function* () {
      const { upstream } = yield* connected(echo, { headers: { "x-api-key": Redacted.make("KEY\n") } })
      const error = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.deepStrictEqual<unknown>(Object(error).reason, { _tag: "Unreachable", code: "ERR_INVALID_CHAR" })
    }).pipe(Effect.scoped)
  )

  it.live("must lead to ws or wss", () =>
    Effect.gen(function* () {
      for (const url of ["http://node.example/KEY", "KEY", "wss:"]) {
        const error = yield* Effect.flip(Effect.scoped(WebSocketUpstream.make({ url })))
        assert.strictEqual(error.message, "url: must be a ws or wss URL")
      }
    })
  )
})

describe("a subscription of a node", () => {
  /** A node that assigns ids in order, and pushes events when its method `push` is called. */
  const pushing: FakeSocketNode.Behaviour = (asked, socket) => {
    if (asked.method === "push") {
      for (const item of asked.params.slice(1)) {
        socket.send(FakeSocketNode.notification(String(asked.params[0]), ` ${String(item)} `))
      }
    }
    socket.send(FakeSocketNode.result(asked, asked.method === "eth_subscribe" ? `"0x${asked.id}"` : "true"))
  }

  it.live("pushes what the node sends, byte for byte, until its scope closes", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(pushing)
      const scope = yield* Scope.make()
      const heads = yield* Scope.provide(upstream.subscribe(["newHeads"]), scope)
      const other = yield* upstream.subscribe(["logs", {}])
      assert.deepStrictEqual(node.asked[0]?.params, ["newHeads"])
      yield* upstream.call("push", ["0x1", '{"number": 1.0}', "12345678901234567890"])
      yield* upstream.call("push", ["0x2", '"log"'])
      const texts = Effect.map(Queue.takeAll(heads), (items) => items.map((item) => decoder.decode(item).trim()))
      assert.deepStrictEqual(yield* texts, ['{"number": 1.0}', "12345678901234567890"])
      assert.strictEqual(decoder.decode(yield* Queue.take(other)).trim(), '"log"')
      yield* Scope.close(scope, Exit.void)
      yield* node.wasAsked(5)
      assert.deepStrictEqual(node.asked.at(-1), { ...node.asked.at(-1)!, method: "eth_unsubscribe", params: ["0x1"] })
    }).pipe(Effect.scoped)
  )

  it.live("fails with the connection, and can be made again", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(pushing)
      const queue = yield* upstream.subscribe(["newHeads"])
      node.sockets[0]!.terminate()
      const exit = yield* Effect.exit(Queue.take(queue))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasFails(exit.cause))
      const again = yield* upstream.subscribe(["newHeads"])
      yield* upstream.call("push", ["0x2", "1"])
      assert.strictEqual(decoder.decode(yield* Queue.take(again)).trim(), "1")
    }).pipe(Effect.scoped)
  )

  it.live("ends when nobody takes what comes", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(pushing)
      const queue = yield* upstream.subscribe(["newPendingTransactions"])
      yield* upstream.call("push", ["0x1", ...Array.from({ length: 5000 }, (_, index) => index)])
      yield* node.wasAsked(3)
      assert.strictEqual(node.asked[2]?.method, "eth_unsubscribe")
      let taken = 0
      const drain = Effect.forever(Effect.map(Queue.take(queue), () => taken++))
      const error = yield* Effect.flip(drain)
      assert.deepStrictEqual<unknown>(error.reason, { _tag: "Unreachable", code: "OVERFLOW" })
      assert.isAtMost(taken, 4096)
    }).pipe(Effect.scoped)
  )

  it.live("that was given up before it was granted is ended at the node", () =>
    Effect.gen(function* () {
      const held: Array<() => void> = []
      const { node, upstream } = yield* connected((asked, socket) => {
        if (asked.method === "eth_subscribe") held.push(() => pushing(asked, socket))
        else pushing(asked, socket)
      })
      const fiber = yield* Effect.forkChild(Effect.scoped(upstream.subscribe(["newHeads"])), { startImmediately: true })
      yield* node.wasAsked(1)
      yield* Fiber.interrupt(fiber)
      held[0]!()
      yield* node.wasAsked(2)
      assert.deepStrictEqual(node.asked[1]?.params, ["0x1"])
    }).pipe(Effect.scoped)
  )

  it.live("that the node never grants takes no place from other calls", () =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected(
        (asked, socket) => (asked.method === "eth_subscribe" ? undefined : echo(asked, socket)),
        { inFlight: 2 }
      )
      for (const count of [1, 2, 3]) {
        const fiber = yield* Effect.forkChild(Effect.scoped(upstream.subscribe(["newHeads"])), {
          startImmediately: true
        })
        yield* node.wasAsked(count)
        yield* Fiber.interrupt(fiber)
      }
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [1])), "[1]")
    }).pipe(Effect.scoped)
  )

  it.live("that the node refuses is its error, and one without an id is a fault", () =>
    Effect.gen(function* () {
      const { upstream } = yield* connected(({ id, params }, socket) =>
        socket.send(
          params[0] === "odd"
            ? `{"jsonrpc":"2.0","id":${id},"result":{"id":1}}`
            : `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}`
        )
      )
      assert.deepStrictEqual<unknown>(yield* Effect.flip(upstream.subscribe(["newHeads"])), {
        code: -32_601,
        message: "no"
      })
      const error = yield* Effect.flip(upstream.subscribe(["odd"]))
      assert.deepStrictEqual<unknown>(Object(error).reason, unusable("wrong result"))
    }).pipe(Effect.scoped)
  )
})

describe("a hostile node", () => {
  /** Answers to the request for an upgrade. */
  const handshakes: ReadonlyArray<readonly [name: string, write: (socket: Socket) => void]> = [
    ["nothing", () => undefined],
    ["half of an answer", (socket) => socket.write("HTTP/1.1 101 Switch")],
    ["the wrong key", (socket) => socket.write(`${SWITCHING}Sec-WebSocket-Accept: ${"A".repeat(27)}=\r\n\r\n`)],
    ["no key", (socket) => socket.write(`${SWITCHING}\r\n`)],
    ["a redirect", (socket) => socket.write("HTTP/1.1 302 Go\r\nLocation: ws://127.0.0.1:1/\r\n\r\n")],
    [
      "headers without end",
      (socket) => {
        socket.write(SWITCHING)
        const more = () => {
          if (!socket.destroyed) socket.write(`x: ${"y".repeat(1000)}\r\n`, more)
        }
        more()
      }
    ],
    [
      "headers one by one",
      (socket) => {
        socket.write(SWITCHING)
        const timer = setInterval(() => socket.write("x: 1\r\n"), 20)
        socket.once("close", () => clearInterval(timer))
      }
    ]
  ]

  it.live.each(handshakes)("may answer the handshake with %s", ([, write]) =>
    Effect.gen(function* () {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("close", () => sockets.delete(socket))
        socket.once("data", () => write(socket))
      })
      yield* Effect.acquireRelease(
        Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
        () =>
          Effect.promise(
            () =>
              new Promise<void>((resolve) => {
                for (const socket of sockets) socket.destroy()
                server.close(() => resolve())
              })
          )
      )
      const upstream = yield* WebSocketUpstream.make({
        url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/KEY`,
        connectTimeout: "500 millis",
        timeout: "10 seconds"
      })
      const fault = yield* Effect.flip(upstream.call("eth_chainId", []))
      assert.include(["Unreachable", "BadStatus"], Object(fault).reason._tag)
      assert.notInclude(JSON.stringify(fault), "KEY")
      while (sockets.size > 0) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped)
  )

  /** Wrong bytes that the node sends after the handshake. They form no valid frame or no valid message. */
  const frames: ReadonlyArray<readonly [name: string, bytes: ReadonlyArray<number>]> = [
    ["a reserved opcode", [0x83, 0x00]],
    ["a masked frame", [0x81, 0x80, 0, 0, 0, 0]],
    ["compression that was not agreed on", [0xc1, 0x01, 0x61]],
    ["a piece of no message", [0x80, 0x01, 0x61]],
    ["a length of many exabytes", [0x81, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["a close frame with half a code", [0x88, 0x01, 0x03]],
    ["text that is not UTF-8", [0x81, 0x01, 0xff]]
  ]

  it.live.each(frames)("may send %s: its calls end, and the next goes over a new connection", ([, bytes]) =>
    Effect.gen(function* () {
      const { node, upstream } = yield* connected((asked, socket) => {
        if (node.sockets.length > 1) echo(asked, socket)
        else (socket as unknown as { readonly _socket: Socket })._socket.write(Buffer.from(bytes))
      })
      assert.strictEqual(Object(yield* answerOf(upstream.call("eth_call", [1])))._tag, "Unreachable")
      assert.strictEqual(yield* answerOf(upstream.call("eth_call", [2])), "[2]")
    }).pipe(Effect.scoped)
  )

  it.live("can send anything: every call ends, and nothing dies", () =>
    Effect.gen(function* () {
      const random = Random.make(0xbad)
      const pieces = [
        '{"jsonrpc":"2.0"',
        ',"id":',
        "1",
        "2",
        "null",
        ',"result":',
        ',"error":',
        "{",
        "}",
        "[",
        '"',
        "\\",
        "é",
        '"method":"eth_subscription"',
        ',"params":{"subscription":"0x1","result":'
      ]
      const { upstream } = yield* connected(
        (asked, socket) => {
          for (let count = Random.int(random, 4); count > 0; count--) {
            const parts = Array.from({ length: Random.int(random, 12) }, () => Random.pick(random, pieces))
            if (Random.int(random, 8) === 0) socket.send(Random.bytes(random, 20))
            else socket.send(parts.join(""))
          }
          if (Random.int(random, 3) === 0) socket.close(Random.pick(random, [1000, 1012, 4000]))
          else echo(asked, socket)
        },
        { timeout: "1 second", maxBackoff: "1 millis" }
      )
      for (let run = 0; run < Random.runs(100); run++) {
        const params = [run]
        const answer = yield* run % 5 === 0
          ? Effect.scoped(Effect.exit(upstream.subscribe(params)))
          : answerOf(upstream.call("eth_call", params))
        if (typeof answer === "string") assert.strictEqual(answer, `[${run}]`)
      }
    }).pipe(Effect.scoped)
  )
})
