/** The proxy's server in front of a stub engine: annotations, gzip, and sockets that end. */
import * as http from "node:http"
import * as zlib from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { EthReason } from "@plumbline/eth-methods"
import { ErrorObject, Message } from "@plumbline/jsonrpc-core"
import { type Notice, type ProvingNode, ProviderRefusal } from "@plumbline/provider"
import { refute, Verdict, Reason } from "@plumbline/verdict"
import { Effect, Exit, Scope, Stream } from "effect"
import { WebSocket } from "ws"

import * as Annotation from "../../src/proxy/Annotation.ts"
import { AnswerTally } from "../../src/proxy/AnswerTally.ts"
import * as ProxyServer from "../../src/proxy/ProxyServer.ts"

const Said = Reason.kind("Said", () => "it is said")
const claimed = (value: unknown): ProvingNode.ProvingAnswer => ({
  result: value,
  verdict: Verdict.claim(value, Said({}))
})

const noProof = EthReason.ProofRefused({ error: refute("eth_getProof", "a proof", "none") })

/** A stub of a proven verdict, which only a verifier can make. The server reads only its tag. */
const PROVEN = {
  _tag: "VERIFIED",
  value: "0x1",
  anchor: null,
  proven: [],
  claimed: []
} as unknown as Verdict.Verdict<unknown>

/** The engine's answers by method. */
const answers: Readonly<Record<string, Effect.Effect<ProvingNode.ProvingAnswer, ErrorObject.ErrorObject>>> = {
  said: Effect.succeed(claimed({ text: 'a "brace }" \\" and ]', list: [{}, []] })),
  large: Effect.succeed(claimed("x".repeat(10_000))),
  refuted: Effect.fail(ProviderRefusal.refuted("refuted", refute("account.balance", 1n, 2n))),
  unproven: Effect.fail(ProviderRefusal.unproven("unproven", [{ about: "Value", field: "value", reason: Said({}) }])),
  wrong: Effect.fail(ErrorObject.invalidParams("wrong")),
  unavailable: Effect.fail(
    ProviderRefusal.unproven("unavailable", [{ about: "Value", field: "value", reason: noProof }])
  ),
  proven: Effect.succeed({ result: "0x1", verdict: PROVEN }),
  marked: Effect.succeed({ result: "0x1", verdict: Verdict.claim("0x1", noProof) })
}

interface Opened {
  readonly annotate?: boolean
  readonly notices?: Stream.Stream<Notice.Notice>
  readonly origins?: ReadonlyArray<string>
}

const open = async (options: Opened = {}) => {
  const scope = Scope.makeUnsafe()
  const tally = new AnswerTally()
  const said: Array<string> = []
  let closed = 0
  const node: ProvingNode.ProvingNode["Service"] = {
    answer: ({ method }) => answers[method] ?? Effect.fail(ErrorObject.methodNotFound(method)),
    subscribe: () =>
      Effect.succeed({
        notices: options.notices ?? Stream.never,
        close: Effect.sync(() => {
          closed++
        })
      })
  }
  const opening = ProxyServer.open(node, {
    port: 0,
    tally,
    annotate: options.annotate === true,
    origins: options.origins ?? [],
    say: (message) => said.push(message)
  })
  const proxy = await Effect.runPromise(Scope.provide(opening, scope))
  const close = () => Effect.runPromise(Scope.close(scope, Exit.void))
  return { ...proxy, tally, said, closed: () => closed, [Symbol.asyncDispose]: close }
}

const call = (method: string, id: unknown = 1) => ({ jsonrpc: "2.0", id, method, params: [] })

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const read = async (url: string, body: unknown): Promise<any> => (await post(url, body)).json()

const connect = async (url: string): Promise<WebSocket> => {
  const socket = new WebSocket(url)
  await new Promise((resolve) => socket.once("open", resolve))
  return socket
}

const next = (socket: WebSocket) =>
  new Promise<any>((resolve) => socket.once("message", (data: any) => resolve(JSON.parse(String(data)))))

const closing = (socket: WebSocket) =>
  new Promise<readonly [number, string]>((resolve) =>
    socket.once("close", (code, reason) => resolve([code, String(reason)]))
  )

const SAID = { verdict: "CLAIMED", claimed: [{ field: "value", reason: "it is said" }] }

describe("--annotate", () => {
  it("puts the verdict beside a result or an error, and changes nothing else", async () => {
    await using proxy = await open({ annotate: true })
    await using plain = await open()
    for (const method of ["said", "refuted", "unproven", "wrong", "lost"]) {
      const { plumbline, ...rest } = await read(proxy.url, call(method))
      assert.deepEqual(rest, await read(plain.url, call(method)))
      assert.deepEqual(
        plumbline,
        { said: SAID, refuted: { verdict: "REFUTED", claimed: [] }, unproven: SAID }[method as "said"]
      )
    }
  })

  it("is off by default", async () => {
    await using proxy = await open()
    assert.notProperty(await read(proxy.url, call("said")), "plumbline")
  })

  it("finds the answer of each call in a batch, over HTTP and WebSocket", async () => {
    await using proxy = await open({ annotate: true })
    const batch = [
      { jsonrpc: "2.0", method: "said", params: [] },
      call("refuted", "a"),
      7,
      { jsonrpc: "2.0", id: 3, result: 1 },
      call("said", 12),
      call("wrong"),
      call("unproven", null)
    ]
    const socket = await connect(proxy.wsUrl)
    const message = next(socket)
    socket.send(JSON.stringify(batch))
    const told = (answers: ReadonlyArray<any>) => answers.map(({ id, plumbline }) => [id, plumbline?.verdict])
    const own = [
      ["a", "REFUTED"],
      [null, undefined],
      [12, "CLAIMED"],
      [1, undefined],
      [null, "CLAIMED"]
    ]
    assert.deepEqual(told(await message), own)
    // over HTTP a response is an invalid request
    assert.deepEqual(told(await read(proxy.url, batch)), own.toSpliced(2, 0, [3, undefined]))
    socket.terminate()
  })

  it("keeps the bytes of ids", () => {
    const body = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"said"}'
    const answer = Message.successBytes("12345678901234567890" as Message.Id, new TextEncoder().encode("1.0"))
    const told = [{ fate: "VERIFIED", place: 0, claimed: [] } as const]
    const answered = Annotation.answered(new TextEncoder().encode(body), told, new Set())
    assert.strictEqual(
      new TextDecoder().decode(Annotation.add(answer, answered)),
      '{"jsonrpc":"2.0","id":12345678901234567890,"result":1.0,"plumbline":{"verdict":"VERIFIED","claimed":[]}}'
    )
  })

  it("passes megabytes of text in moments", () => {
    const result = JSON.stringify(['\\"}'.repeat(1_000_000), "x".repeat(8_000_000)])
    const answer = Message.successBytes("1" as Message.Id, new TextEncoder().encode(result))
    const body = new TextEncoder().encode(JSON.stringify(call("said")))
    const answered = Annotation.answered(body, [{ fate: "VERIFIED", place: 0, claimed: [] }], new Set())
    const annotated = Annotation.add(answer, answered)
    const { plumbline, result: same } = JSON.parse(new TextDecoder().decode(annotated))
    assert.deepEqual(plumbline, { verdict: "VERIFIED", claimed: [] })
    assert.isTrue(JSON.stringify(same) === result)
  })
})

describe("a client that asks for ?annotate", () => {
  it("gets the verdict beside each answer, over HTTP and WebSocket, and no other client does", async () => {
    await using proxy = await open()
    const batch = [call("said"), call("refuted", 2), call("wrong", 3)]
    const words = (answers: ReadonlyArray<any>) => answers.map(({ plumbline }) => plumbline?.verdict)
    const expected = ["CLAIMED", "REFUTED", undefined]
    for (const query of ["?annotate", "?annotate=1", "?x=y&annotate=true", "/any/path?annotate&x"]) {
      assert.deepEqual(words(await read(`${proxy.url}${query}`, batch)), expected, query)
      const socket = await connect(`${proxy.wsUrl}${query}`)
      const message = next(socket)
      socket.send(JSON.stringify(batch))
      assert.deepEqual(words(await message), expected, query)
      socket.terminate()
    }
    for (const query of ["", "?annotate=0", "?annotated", "/annotate", "?x=annotate"]) {
      assert.deepEqual(words(await read(`${proxy.url}${query}`, batch)), [undefined, undefined, undefined], query)
    }
  })
})

describe("the verdict of a batch", () => {
  const headers = async (...entries: ReadonlyArray<unknown>) => {
    await using proxy = await open()
    const response = await post(proxy.url, entries)
    const answers = response.status === 204 ? 0 : ((await response.json()) as ReadonlyArray<unknown>).length
    const verdicts = response.headers.get("plumbline-verdicts")
    assert.strictEqual((verdicts ?? "").length, verdicts === null ? 0 : answers)
    assert.include(response.headers.get("access-control-expose-headers"), "plumbline-verdicts")
    assert.isNull(response.headers.get("plumbline-claimed"))
    return [response.headers.get("plumbline-verdict"), verdicts]
  }

  it("is the worst of its answers, with a letter for each answer in their order", async () => {
    assert.deepEqual(await headers(call("proven")), ["VERIFIED", "V"])
    assert.deepEqual(await headers(call("proven"), call("said")), ["CLAIMED", "VC"])
    assert.deepEqual(await headers(call("proven"), call("refuted"), call("said")), ["REFUTED", "VRC"])
    // a call refused for lack of a proof counts as claimed
    assert.deepEqual(await headers(call("unproven"), call("proven")), ["CLAIMED", "CV"])
  })

  it("does not count answers without a verdict, nor messages without an answer", async () => {
    const notification = { jsonrpc: "2.0", method: "said", params: [] }
    assert.deepEqual(await headers(call("wrong"), notification, 7, call("proven")), ["VERIFIED", "--V"])
    assert.deepEqual(await headers(call("wrong"), call("lost")), [null, null])
    assert.deepEqual(await headers(notification), [null, null])
  })
})

describe("gzip", () => {
  const raw = async (url: string, method: string, encoding: string) => {
    const response = await post(url, call(method), { "accept-encoding": encoding })
    return [response.headers.get("content-encoding"), ((await response.json()) as { readonly id: number }).id]
  }

  it("is for large answers, and for clients that take it", async () => {
    await using proxy = await open()
    const table: ReadonlyArray<readonly [method: string, accepts: string, encoding: string | null]> = [
      ["large", "gzip", "gzip"],
      ["large", "br, GZIP;q=0.5, *", "gzip"],
      ["large", "gzip;q=0", null],
      ["large", "gzip; q=0.000, br", null],
      ["large", "identity", null],
      ["large", "xgzip", null],
      ["said", "gzip", null]
    ]
    for (const [method, accepts, encoding] of table) {
      assert.deepEqual(await raw(proxy.url, method, accepts), [encoding, 1], accepts)
    }
  })

  it("holds the same bytes", async () => {
    await using proxy = await open()
    const answer = await post(proxy.url, call("large"), { "accept-encoding": "identity" })
    const bytes = await new Promise<Buffer>((resolve, reject) => {
      const { hostname, port } = new URL(proxy.url)
      import("node:http").then(({ request }) => {
        request(
          {
            hostname,
            port,
            method: "POST",
            headers: { "content-type": "application/json", "accept-encoding": "gzip" }
          },
          async (response) => resolve(Buffer.concat(await response.toArray()))
        ).end(JSON.stringify(call("large")))
      }, reject)
    })
    assert.isBelow(bytes.length, 1024)
    assert.strictEqual(zlib.gunzipSync(bytes).toString(), await answer.text())
  })
})

describe("a socket with a subscription", () => {
  const item = (size: number): Notice.Notice => ({ _tag: "Item", ...claimed("x".repeat(size)) })
  const subscribe = JSON.stringify(call("eth_subscribe"))

  it("gets notifications after its id; they are counted, and what is held back is said once", async () => {
    const error = ProviderRefusal.refuted("eth_subscribe", refute("header hash", "a", "b"))
    const held: Notice.Notice = { _tag: "Held", error }
    const waiting: Notice.Notice = { _tag: "Held", error, isYet: true }
    const notices = Stream.concat(Stream.make<Array<Notice.Notice>>(held, waiting, held, item(1)), Stream.never)
    await using proxy = await open({ notices })
    const socket = await connect(proxy.wsUrl)
    const heard: Array<any> = []
    const both = new Promise<void>((resolve) =>
      socket.on("message", (data: any) => {
        if (heard.push(JSON.parse(String(data))) === 2) resolve()
      })
    )
    socket.send(subscribe)
    await both
    const [{ result: subscription }, notification] = heard
    assert.deepEqual(notification, {
      jsonrpc: "2.0",
      method: "eth_subscription",
      params: { subscription, result: "x" }
    })
    assert.deepEqual(
      [...proxy.tally.fates],
      [
        ["CLAIMED", 2],
        ["REFUTED", 3]
      ]
    )
    assert.deepEqual([...proxy.tally.checks], [["header hash", 3]])
    assert.deepEqual(proxy.said, [
      "held back: refuted: header hash",
      "waits until its block is trusted: refuted: header hash"
    ])
    socket.terminate()
  })

  it("is closed if blocks were missed", async () => {
    const missed: Notice.Notice = { _tag: "Missed", error: ProviderRefusal.missed(1n, 2n) }
    await using proxy = await open({ notices: Stream.make(missed) })
    const socket = await connect(proxy.wsUrl)
    const closed = closing(socket)
    socket.send(subscribe)
    assert.deepEqual(await closed, [1011, "blocks were missed"])
  })

  it("is closed if its client does not read, and holds a bounded number of bytes until then", async () => {
    let made = 0
    const notices = Stream.forever(
      Stream.fromEffect(
        Effect.map(Effect.yieldNow, () => {
          made++
          return item(64 * 1024)
        })
      )
    )
    await using proxy = await open({ notices })
    const socket = await connect(proxy.wsUrl)
    socket.send(subscribe)
    await next(socket)
    socket.pause()
    // the stream of notices ends when the socket closes
    let before = -1
    while (before !== made) {
      before = made
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    const closed = closing(socket)
    socket.resume()
    assert.deepEqual(await closed, [1008, "notifications were not read in time"])
    assert.isBelow(made * 64 * 1024, 64 * 1024 * 1024)
  })

  it("is one of a hundred at most; what is refused is closed", async () => {
    await using proxy = await open()
    const socket = await connect(proxy.wsUrl)
    const answer = next(socket)
    socket.send(JSON.stringify(Array.from({ length: 100 }, (_, id) => call("eth_subscribe", id))))
    assert.isTrue((await answer).every(({ result }: any) => typeof result === "string"))
    const refused = next(socket)
    socket.send(subscribe)
    assert.strictEqual((await refused).error.code, -32005)
    assert.strictEqual(proxy.closed(), 1)
    socket.terminate()
  })

  it("needs an id for its answer", async () => {
    await using proxy = await open()
    const socket = await connect(proxy.wsUrl)
    socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscribe", params: ["newHeads"] }))
    const answer = next(socket)
    socket.send(JSON.stringify(call("said")))
    await answer
    assert.strictEqual(proxy.tally.fates.get("FAILED"), 1)
    socket.terminate()
  })
})

describe("a node that gives no proofs", () => {
  for (const [method, line] of [
    ["unavailable", /^held back: unavailable: the node gives no proof: /u],
    ["marked", /^passes as CLAIMED: the node gives no proof: /u]
  ] as const) {
    it(`is said once to the operator: ${method}`, async () => {
      await using proxy = await open()
      await read(proxy.url, call("said"))
      assert.lengthOf(proxy.said, 0)
      for (let times = 0; times < 3; times++) await read(proxy.url, call(method))
      assert.lengthOf(proxy.said, 1)
      assert.match(proxy.said[0]!, line)
    })
  }
})

/** A request with headers that `fetch` does not let a program set. */
const raw = (url: string, headers: Record<string, string>, method = "POST") =>
  new Promise<{ readonly status: number | undefined; readonly headers: http.IncomingHttpHeaders }>(
    (resolve, reject) => {
      const request = http.request(
        url,
        { method, headers: { "content-type": "application/json", ...headers } },
        (answer) => {
          answer.resume().once("end", () => resolve({ status: answer.statusCode, headers: answer.headers }))
        }
      )
      request.once("error", reject).end(method === "POST" ? JSON.stringify(call("said")) : undefined)
    }
  )

/** The status of a WebSocket handshake. */
const handshake = (url: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve) => {
    const socket = new WebSocket(url, { headers })
    socket.once("open", () => resolve(101))
    socket.once("unexpected-response", (_, { statusCode }) => resolve(statusCode))
    socket.on("error", () => undefined)
    socket.once("open", () => socket.terminate())
  })

const EVIL = "http://evil.example"
const APP = "http://localhost:5173"
const WALLET = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

describe("a web page", () => {
  it("is refused by its origin, over HTTP and WebSocket, and gets no CORS header", async () => {
    await using proxy = await open()
    for (const origin of [EVIL, "null", "http://127.0.0.1:1", APP, "file://", `${WALLET}.evil.example/`]) {
      const { headers, status } = await raw(proxy.url, { origin })
      assert.strictEqual(status, 403, origin)
      assert.notProperty(headers, "access-control-allow-origin")
      assert.strictEqual((await raw(proxy.url, { origin }, "OPTIONS")).status, 403)
      assert.strictEqual(await handshake(proxy.wsUrl, { origin }), 403)
    }
    assert.strictEqual((await raw(proxy.url, { "sec-fetch-site": "cross-site" })).status, 403)
    assert.isEmpty([...proxy.tally.fates])
  })

  it("is refused by the name that leads it to this machine", async () => {
    await using proxy = await open()
    const { port } = new URL(proxy.url)
    for (const host of [
      "rebind.example",
      `rebind.example:${port}`,
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "10.0.0.1"
    ]) {
      assert.strictEqual((await raw(proxy.url, { host })).status, 403, host)
      assert.strictEqual(await handshake(proxy.wsUrl, { host }), 403)
    }
    for (const host of [
      "localhost",
      `LOCALHOST:${port}`,
      "live.localhost",
      "127.0.0.1",
      "127.8.9.10:1",
      `[::1]:${port}`
    ]) {
      assert.strictEqual((await raw(proxy.url, { host })).status, 200, host)
    }
  })

  it("may call if its origin is named", async () => {
    await using proxy = await open({ origins: [APP] })
    const answer = await raw(proxy.url, { origin: APP })
    assert.strictEqual(answer.status, 200)
    assert.include(answer.headers, { "access-control-allow-origin": APP, vary: "accept-encoding, origin" })
    const preflight = await raw(proxy.url, { origin: APP, "access-control-request-private-network": "true" }, "OPTIONS")
    assert.strictEqual(preflight.status, 204)
    assert.include(preflight.headers, {
      "access-control-allow-origin": APP,
      "access-control-allow-headers": "content-type",
      "access-control-allow-private-network": "true"
    })
    assert.strictEqual(await handshake(proxy.wsUrl, { origin: APP }), 101)
    for (const origin of [EVIL, `${APP}/`, `${APP}/path`, "http://localhost:51730", `https://localhost:5173`]) {
      assert.strictEqual((await raw(proxy.url, { origin })).status, 403, origin)
    }
    await using open2 = await open({ origins: ["*"] })
    assert.strictEqual((await raw(open2.url, { origin: EVIL })).status, 200)
    assert.strictEqual((await raw(open2.url, { host: "rebind.example" })).status, 403)
  })

  it("is not a wallet in the browser, nor a program", async () => {
    await using proxy = await open()
    assert.strictEqual((await raw(proxy.url, { origin: WALLET })).headers["access-control-allow-origin"], WALLET)
    assert.strictEqual((await raw(proxy.url, {})).status, 200)
    assert.strictEqual(await handshake(proxy.wsUrl, {}), 101)
  })
})
