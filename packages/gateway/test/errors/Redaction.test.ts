/** Checks that logs and answers contain no key, no secret and no URL of a node. */
import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream, Redaction, StateError, UpstreamError } from "@plumbline/gateway"
import { Cause, Effect, Logger, References, Tracer } from "effect"

import * as State from "../support/accounts.ts"
import * as FakeNode from "../support/fakeNode.ts"
import * as Service from "../support/service.ts"
import { GUARDED_KEY, KEY, SECRET } from "../support/service.ts"

const OPERATOR = "9876543210fedcba9876543210fedcba"

describe("Redaction", () => {
  it("keeps of a path only what the interface has", () => {
    const shown = {
      "/v3/KEY": "/v3/<redacted>",
      "/ws/v3/KEY": "/ws/v3/<redacted>",
      "/v3/KEY/": "/v3/<redacted>/",
      "/v2/KEY": "/<redacted>/<redacted>",
      "/V3/KEY": "/<redacted>/<redacted>",
      "/KEY": "/<redacted>",
      "/v3?key=KEY": "/v3",
      "/v3#KEY": "/v3",
      "/v3/": "/v3/",
      "/health": "/health",
      "http://KEY@host/v3/KEY": "<redacted>//<redacted>/v3/<redacted>",
      "": ""
    }
    for (const [path, expected] of Object.entries(shown)) assert.strictEqual(Redaction.path(path), expected)
    assert.isBelow(Redaction.path("/KEY".repeat(10_000)).length, 100)
  })

  it("takes URLs and keyed paths out of texts", () => {
    const shown = {
      "fetch of https://user:KEY@node.example/v3/KEY?x=KEY failed": "fetch of <redacted> failed",
      "WSS://HOST/KEY, again": "<redacted> again",
      'POST "/v3/KEY" and /ws/v3/KEY': 'POST "/v3/<redacted>" and /ws/v3/<redacted>',
      "nothing to hide": "nothing to hide"
    }
    for (const [text, expected] of Object.entries(shown)) assert.strictEqual(Redaction.text(text), expected)
  })
})

/** Collects all logs of a service as text. */
const witness = () => {
  const seen: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, fiber, logLevel, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    const spans = fiber.getRef(References.CurrentLogSpans)
    seen.push(JSON.stringify([logLevel, message, annotations, spans, Cause.pretty(cause)]))
  })
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      seen.push(`span ${options.name}`)
      const attribute = span.attribute.bind(span)
      span.attribute = (name, value) => {
        seen.push(`${name} ${String(value)}`)
        attribute(name, value)
      }
      return span
    }
  })
  return { seen, logger, tracer }
}

const hidden = [KEY, GUARDED_KEY, SECRET, OPERATOR, "ffffffffffffffffffffffffffffffff"]
const hides = (text: string) => {
  for (const secret of hidden) {
    assert.notInclude(text, secret)
    assert.notInclude(text, Buffer.from(secret).toString("base64").slice(0, 20))
  }
}

describe("a service", () => {
  it.live("writes no key down, and answers with none, whatever happens", () =>
    Effect.gen(function* () {
      const { logger, seen, tracer } = witness()
      const node = yield* FakeNode.make(({ params }) => (response) => {
        if (params[1] === true) response.writeHead(500).end(`no ${OPERATOR} here`)
        else if (params[1] === false) response.destroy()
        else response.end(`garbage ${OPERATOR}`)
      })
      const failing = yield* HttpUpstream.make({ url: `${node.url}/v3/${OPERATOR}` })
      const silent = yield* FakeNode.make(() => () => undefined)
      const late = yield* HttpUpstream.make({ url: `${silent.url}/v3/${OPERATOR}`, timeout: "20 millis" })
      const gone = yield* HttpUpstream.make({ url: `http://user:${SECRET}@127.0.0.1:1/v3/${OPERATOR}` })
      const dying = { call: () => Effect.die(new Error(`POST https://node.example/v3/${OPERATOR} failed`)) }
      const service = yield* Service.start(
        [
          Service.network(failing, "failing"),
          Service.network(late, "late"),
          Service.network(gone, "gone"),
          Service.network(dying, "dying")
        ],
        { accessLog: true, limits: { bodyBytes: 1000 } },
        State.layer(Service.projects),
        [logger]
      ).pipe(Effect.withTracer(tracer))
      const basic = { authorization: `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}` }
      const hash = `0x${"00".repeat(32)}`
      const bodies = [
        Service.call("eth_chainId"),
        Service.call("eth_getBlockByHash", [hash, true]),
        Service.call("eth_getBlockByHash", [hash, false]),
        Service.call(KEY),
        "{",
        " ".repeat(2000)
      ]
      const answers: Array<Service.Answer> = []
      const ask = (options: Service.Ask) =>
        Effect.map(Service.ask(service, options), (answer) => {
          answers.push(answer)
        })
      for (const host of ["failing.localhost", "late.localhost", "gone.localhost", "dying.localhost"]) {
        for (const body of bodies) yield* ask({ body, headers: { host, ...basic } })
        const client = yield* Service.connected(service, { headers: { host } })
        client.socket.send(bodies[0]!)
        hides(yield* Effect.promise(() => client.next()))
      }
      for (const path of [
        `/v3/${KEY}`,
        `/ws/v3/${KEY}`,
        `/${KEY}`,
        `/v3/${KEY}/${SECRET}`,
        `/v2/${KEY}?${SECRET}`,
        "/health"
      ]) {
        for (const method of ["GET", "PUT", "OPTIONS", "POST"]) yield* ask({ path, method, headers: basic })
      }
      for (const key of [GUARDED_KEY, "ffffffffffffffffffffffffffffffff"]) {
        yield* ask({ path: `/v3/${key}`, body: bodies[0]!, headers: { authorization: `Basic ${SECRET}` } })
        yield* Service.connect(service, { path: `/ws/v3/${key}` })
      }
      yield* Service.raw(service, `NONSENSE /v3/${KEY} HTTP/1.1\r\n\r\n`)
      // An answer contains a key only if the caller sent the key as the name of a method.
      for (const { body, headers } of answers) {
        hides(JSON.stringify(headers))
        if (!body.includes(`the method ${KEY}`)) hides(body)
      }
      const written = seen.join("\n")
      hides(written)
      // The log must not be empty: it has failures with network, method, status and duration, and requests with paths.
      assert.match(
        written,
        /upstream fault.*"network":"failing","method":"eth_chainId","status":502,"duration":"\d+ms"/u
      )
      assert.match(written, /"network":"late","method":"eth_chainId","status":504/u)
      assert.match(written, /the node cannot be reached \(ECONNREFUSED\)/u)
      assert.match(written, /call died.*POST <redacted> failed.*"network":"dying"/u)
      assert.match(written, /"request"\],\{"method":"POST","path":"\/v3\/<redacted>","status":502/u)
      assert.match(written, /"path":"\/<redacted>\/<redacted>","status":404/u)
    }).pipe(Effect.scoped)
  )

  it.live("that cannot ask its store answers 503, and says why without the key", () =>
    Effect.gen(function* () {
      const { logger, seen } = witness()
      const error = new StateError.StateError({ problem: "Unavailable", detail: "no connection" })
      const service = yield* Service.start(
        { call: () => Effect.succeed(new Uint8Array()) },
        {},
        State.withLookup(() => Effect.fail(error)),
        [logger]
      )
      const answer = yield* Service.ask(service, { body: Service.call("eth_chainId") })
      assert.deepStrictEqual([answer.status, answer.body], [503, "service unavailable\n"])
      const socket = yield* Service.connect(service)
      assert.strictEqual("status" in socket && socket.status, 503)
      assert.include(seen.join("\n"), "projects cannot be looked up")
      assert.include(seen.join("\n"), error.message)
      hides(seen.join("\n"))
    }).pipe(Effect.scoped)
  )

  it.live("whose store dies answers 500", () =>
    Effect.gen(function* () {
      const { logger, seen } = witness()
      const dead = Effect.die(new Error(`no https://db.example/v3/${KEY}`))
      const service = yield* Service.start(
        { call: () => Effect.succeed(new Uint8Array()) },
        {},
        State.withLookup(() => dead),
        [logger]
      )
      const answer = yield* Service.ask(service, { body: Service.call("eth_chainId") })
      assert.deepStrictEqual([answer.status, answer.body], [500, "internal error\n"])
      const socket = yield* Service.connect(service)
      assert.strictEqual("status" in socket && socket.status, 500)
      assert.include(seen.join("\n"), "request died")
      hides(seen.join("\n"))
    }).pipe(Effect.scoped)
  )
})

describe("errors", () => {
  it("say in words what their data says, and no more", () => {
    const say = (reason: UpstreamError.UpstreamError["reason"]) => new UpstreamError.UpstreamError({ reason }).message
    assert.deepStrictEqual(
      [
        say({ _tag: "Unreachable", code: "ECONNRESET" }),
        say({ _tag: "TimedOut", after: 30_000 }),
        say({ _tag: "TooLarge", limit: 10 }),
        say({ _tag: "BadStatus", status: 502 }),
        say({ _tag: "BadAnswer", problem: "wrong id" })
      ],
      [
        "the node cannot be reached (ECONNRESET)",
        "the node did not answer within 30000 ms",
        "the node's answer is larger than 10 bytes",
        "the node answered with HTTP status 502",
        "the node's answer is unusable: wrong id"
      ]
    )
  })
})
