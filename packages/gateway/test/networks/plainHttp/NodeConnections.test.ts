/** How requests share the connections to a node, and how connections end. */
import { once } from "node:events"
import { createServer } from "node:net"

import { assert, describe, it } from "@effect/vitest"

import { type Answer, connectionsTo, type Heard, OPEN, playedNode } from "./answers.ts"
import { GOOD, STAYS } from "./answerVectors.ts"

const ANSWER: Heard = { status: 200, body: "{}", retryAfter: undefined }
const SILENT: Answer = [OPEN]
const OK = "HTTP/1.1 200 OK\r\n"
/** The head of a node that closes no connection while the test runs. */
const KEPT = `${OK}Keep-Alive: timeout=500\r\nContent-Length: 2\r\n\r\n`
const EVIL = `${OK}Content-Length: 4\r\n\r\nevil`
const UNUSUAL = `HTTP/1.1 103 Early Hints\r\n\r\n${GOOD}`

type Options = NonNullable<Parameters<typeof connectionsTo>[1]>

/** Makes a node with these answers, and the connections to it. */
const make = async (
  onTestFinished: (end: () => Promise<void>) => void,
  answers: ReadonlyArray<Answer>,
  options: Partial<Options> = {}
) => {
  const node = await playedNode()
  node.answers = [...answers]
  const client = connectionsTo(node, options)
  const test = { isOver: false }
  onTestFinished(async () => {
    test.isOver = true
    await client.close()
    node.close()
  })
  /** Resolves when this holds, or when the test is over. */
  const until = async (holds: () => boolean) => {
    while (!holds() && !test.isOver) await new Promise(setImmediate)
  }
  const asked = (count: number) => until(() => node.requests.length >= count)
  const closed = () => until(() => node.sockets.size === 0)
  return { node, ...client, asked, closed, until }
}

describe("connections to a node", () => {
  it("are used again, one request at a time", async ({ onTestFinished }) => {
    const { ask, node } = await make(onTestFinished, [STAYS, STAYS, STAYS])
    for (let turn = 0; turn < 3; turn++) assert.deepStrictEqual(await ask().heard, ANSWER)
    assert.strictEqual(node.connections, 1)
    assert.deepStrictEqual(new Set(node.requests).size, 1)
    const host = `host: ${node.url.host}\r\nconnection: keep-alive\r\ncontent-type: application/json\r\n`
    assert.strictEqual(node.requests[0], `POST / HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`)
  })

  it("are at most as many as allowed; further requests wait in their order", async ({ onTestFinished }) => {
    const count = 100
    const { ask, node } = await make(
      onTestFinished,
      Array.from({ length: count }, () => STAYS)
    )
    const bodies = Array.from({ length: count }, (_, index) => `{"at":${index}}`)
    const heard = await Promise.all(bodies.map((body) => ask("plain", body).heard))
    assert.isTrue(heard.every((one) => "status" in one))
    assert.isAtMost(node.connections, 4)
    assert.deepStrictEqual(
      node.requests.map((request) => request.slice(request.indexOf("{"))).toSorted(),
      bodies.toSorted()
    )
  })

  it("send a body of any letters with its length in bytes", async ({ onTestFinished }) => {
    const { ask, node } = await make(onTestFinished, [STAYS])
    assert.deepStrictEqual(await ask("plain", '{"a":"é🔑"}').heard, ANSWER)
    const [request] = node.requests
    assert.include(request, "content-length: 14\r\n")
    assert.strictEqual(Buffer.from(request!.slice(request!.indexOf("{")), "latin1").toString(), '{"a":"é🔑"}')
  })

  it("end with a request that is given up, and with no other", async ({ onTestFinished }) => {
    const { ask, asked, closed, node } = await make(onTestFinished, [STAYS, STAYS, SILENT, STAYS])
    const first = ask()
    await first.heard
    const second = ask()
    // The answer to the first one is complete, so nothing of it can be given up.
    first.control!.abort(new Error("late"))
    assert.deepStrictEqual(await second.heard, ANSWER)
    assert.strictEqual(node.connections, 1)
    const third = ask()
    await asked(3)
    third.control!.abort(new Error("given up"))
    await closed()
    assert.deepStrictEqual(await ask().heard, ANSWER)
  })

  it("never send a request that was given up while it waited", async ({ onTestFinished }) => {
    const { ask, asked, node } = await make(onTestFinished, [["", GOOD, OPEN], STAYS], { connections: 1 })
    const first = ask("plain", '"first"')
    await asked(1)
    ask("plain", '"second"').control!.abort(new Error("given up"))
    const third = ask("plain", '"third"')
    assert.deepStrictEqual([await first.heard, await third.heard], [ANSWER, ANSWER])
    assert.deepStrictEqual(
      node.requests.map((request) => request.slice(request.indexOf('"'))),
      ['"first"', '"third"']
    )
  })

  it.for<readonly [string, Answer]>([
    ["more follows the answer", [`${KEPT}{}${EVIL}`, OPEN]],
    ["bytes come while they are idle", [`${KEPT}{}`, EVIL, OPEN]],
    [
      "the node says that it closes",
      [`${OK}Connection: close\r\nKeep-Alive: timeout=500\r\nContent-Length: 2\r\n\r\n{}`, OPEN]
    ],
    ["the node keeps them for two seconds only", [`${OK}Keep-Alive: timeout=2\r\nContent-Length: 2\r\n\r\n{}`, OPEN]],
    ["the node closes them", [`${KEPT}{}`]]
  ])("are not used again if %s", async ([, answer], { onTestFinished }) => {
    const { ask, closed, node } = await make(onTestFinished, [answer, STAYS])
    assert.deepStrictEqual(await ask().heard, ANSWER)
    await closed()
    assert.deepStrictEqual(await ask().heard, ANSWER)
    assert.strictEqual(node.connections, 2)
  })

  it("are closed before the node closes them", async ({ onTestFinished }) => {
    const answer = `${OK}Keep-Alive: timeout=3\r\nContent-Length: 2\r\n\r\n{}`
    const { ask, closed } = await make(onTestFinished, [[answer, OPEN]])
    assert.deepStrictEqual(await ask().heard, ANSWER)
    await closed()
  })

  it("that the node closed while the loop was busy cost no request", async ({ onTestFinished }) => {
    const { ask, node } = await make(onTestFinished, [STAYS, STAYS])
    assert.deepStrictEqual(await ask().heard, ANSWER)
    const [socket] = node.sockets
    socket!.end()
    await new Promise(setImmediate)
    // The end has arrived, but this process has had no time to read it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    assert.deepStrictEqual(await ask().heard, ANSWER)
    assert.strictEqual(node.connections, 2)
  })

  it("tell each request that there is no node", async ({ onTestFinished }) => {
    const server = createServer().listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as { readonly port: number }
    server.close()
    await once(server, "close")
    const url = new URL(`http://127.0.0.1:${port}`)
    const { ask } = await make(onTestFinished, [], { url, connections: 2 })
    const heard = await Promise.all(Array.from({ length: 10 }, () => ask().heard))
    assert.deepStrictEqual(new Set(heard.map((one) => "error" in one && one.error)), new Set(["ECONNREFUSED"]))
  })

  it("end with all their requests when they are closed", async ({ onTestFinished }) => {
    const { ask, asked, closed, plain, until } = await make(onTestFinished, [SILENT, [UNUSUAL.slice(0, 40), OPEN]], {
      connections: 2
    })
    const running = [ask(), ask()]
    await asked(2)
    const waiting = ask()
    await until(() => plain.handedOver > 0)
    plain.close()
    const heard = await Promise.all([running[0]!.heard, running[1]!.heard])
    assert.isTrue(heard.every((one) => "error" in one))
    await closed()
    waiting.control!.abort(new Error("over undici"))
  })
})

describe("a node that answers in an unusual way", () => {
  it("is called over undici from then on, with the requests that wait", async ({ onTestFinished }) => {
    const over: Array<string> = []
    const made = await make(onTestFinished, [["", UNUSUAL, OPEN], STAYS, STAYS], {
      connections: 1,
      undici: ({ body }, handler) => {
        over.push(body)
        handler.onResponseError(
          { abort: () => undefined },
          Object.assign(new Error("elsewhere"), { code: "ELSEWHERE" })
        )
      }
    })
    const first = made.ask("plain", '"first"')
    await made.asked(1)
    const second = made.ask("plain", '"second"')
    assert.deepStrictEqual(await first.heard, ANSWER)
    assert.deepStrictEqual(await second.heard, { error: "ELSEWHERE" })
    assert.deepStrictEqual(await made.ask("plain", '"third"').heard, { error: "ELSEWHERE" })
    assert.deepStrictEqual(over, ['"second"', '"third"'])
    assert.strictEqual(made.node.requests.length, 1)
    await made.closed()
  })

  it("loses the connection of a request that is given up while undici reads its answer", async ({ onTestFinished }) => {
    const { ask, asked, closed, node, plain, until } = await make(onTestFinished, [[UNUSUAL.slice(0, 40), OPEN]])
    const given = ask()
    await asked(1)
    await until(() => plain.handedOver > 0)
    given.control!.abort(new Error("given up"))
    await closed()
    assert.strictEqual(node.connections, 1)
  })
})

describe("headers that undici sends in its own way", () => {
  it.for([
    ["host", "a"],
    ["Connection", "close"],
    ["expect", "100-continue"],
    ["x-name", "é"],
    ["x-name", "a\r\nb: c"],
    ["x name", "a"]
  ])("are left to it: %s %s", async ([name, value], { onTestFinished }) => {
    let over = 0
    const { ask, node } = await make(onTestFinished, [], {
      headers: [name!, value!],
      undici: (_, handler) => {
        over++
        handler.onResponseError({ abort: () => undefined }, new Error("elsewhere"))
      }
    })
    await ask().heard
    assert.deepStrictEqual([over, node.connections], [1, 0])
  })

  it("are left to it for a single request too", async ({ onTestFinished }) => {
    let over = 0
    const { ask, node, plain } = await make(onTestFinished, [STAYS], { undici: () => void over++ })
    const heard = ask()
    plain.dispatch({ headers: ["x-name", "a\r\nb: c"], body: "{}" }, heard)
    assert.deepStrictEqual(await heard.heard, ANSWER)
    assert.deepStrictEqual([over, node.requests.length], [1, 1])
  })
})
