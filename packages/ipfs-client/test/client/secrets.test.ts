/** No error, log, span or metric shows a URL, key, secret or header, however it is printed. */
import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Cid, IpfsClient, type IpfsError } from "@plumbline/ipfs-client"
import * as Spans from "@plumbline/seeded/Spans"
import { Cause, Effect, Exit, Logger, Metric, Redacted, Result, Schema, Stream } from "effect"
import { HttpClient, HttpClientError } from "effect/http"

import * as IpfsTarget from "../../src/client/ipfsTarget.ts"
import * as Clients from "../support/clients.ts"
import * as Liar from "../support/liar.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const SECRET = "hunter2/secret+of=mine"
const TOKEN = "token-of-hunter2"
const HEADER = "header-of-hunter2"
const BASIC = btoa(`${KEY}:${SECRET}`)

const SECRETS = [KEY, SECRET, encodeURIComponent(SECRET), TOKEN, HEADER, BASIC, "hunter2"]

const CID = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")

const optionsOf = (url: string): IpfsClient.IpfsClientOptions => ({
  url: Redacted.make(`${url}/tenant/${TOKEN}-1/?token=${TOKEN}`),
  apiKey: Redacted.make(KEY),
  apiKeySecret: Redacted.make(SECRET),
  headers: { "x-tenant": Redacted.make(HEADER) },
  maxBytes: 5000,
  retries: 0,
  timeout: "5 seconds"
})

/** All the ways in which an error is usually shown. */
const views = (error: IpfsError.IpfsError): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  return [
    String(error),
    error.message,
    error.stack ?? "",
    JSON.stringify(error),
    JSON.stringify(Exit.failCause(cause)),
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    JSON.stringify(Schema.encodeUnknownSync(Schema.Unknown)(error)),
    Cause.pretty(cause),
    inspect(error, { depth: Infinity, showHidden: true }),
    inspect(cause, { depth: Infinity, showHidden: true }),
    inspect(error.cause, { depth: Infinity }),
    inspect(error.reason.cause, { depth: Infinity }),
    error.reason.stack ?? ""
  ]
}

const silent = (text: string, host: string): void => {
  for (const secret of [...SECRETS, host]) {
    assert.notInclude(text, secret)
  }
}

/** Returns everything that the server received, as one text. */
const echo = (request: {
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, unknown>>
}): string =>
  [
    `http://${String(request.headers["host"])}${request.url}`,
    request.url,
    KEY,
    SECRET,
    encodeURIComponent(SECRET),
    ...Object.values(request.headers).map(String)
  ].join(" ")

type Answer = Parameters<typeof Liar.make>[0]

const answers: Readonly<Record<string, Answer>> = {
  "a plain refusal": (request, response) =>
    response.writeHead(401, { "content-type": "text/plain" }).end(echo(request)),
  "a failure in JSON": (request, response) =>
    response
      .writeHead(500, { "content-type": "application/json" })
      .end(JSON.stringify({ Message: echo(request), Code: 0 })),
  "a page": (request, response) => response.writeHead(502, { "content-type": "text/html" }).end(`<p>${echo(request)}`),
  "a redirect": (request, response) => response.writeHead(307, { location: `http://127.0.0.1:1${request.url}` }).end(),
  "an error value": (request, response) =>
    response.end(JSON.stringify({ Message: echo(request), Code: 0, Type: "error" })),
  "an error in a header": (request, response) =>
    response.writeHead(200, { "x-stream-error": echo(request).slice(0, 900) }).end(),
  "an error in a trailer": (request, response) => {
    response.writeHead(200, { trailer: "X-Stream-Error", "x-content-length": "9" })
    response.write("a")
    response.addTrailers({ "X-Stream-Error": echo(request) })
    response.end()
  },
  "text that is not JSON": (request, response) => response.end(echo(request)),
  "values of a wrong form": (request, response) =>
    response.end(
      JSON.stringify({ Version: { [echo(request)]: echo(request) }, Key: echo(request), Size: echo(request) })
    ),
  "names of a wrong form": (request, response) =>
    response.end(JSON.stringify({ Keys: { [echo(request)]: { Type: "x" } } })),
  "a body that is cut off": (request, response) => {
    response.write(echo(request))
    setTimeout(() => response.destroy(), 10)
  },
  "no answer": (_, response) => response.destroy(),
  "too much": (request, response) => response.end(echo(request).repeat(100))
}

const calls = (ipfs: IpfsClient.Client): ReadonlyArray<Effect.Effect<unknown, IpfsError.IpfsError>> => [
  ipfs.version(),
  ipfs.blockStat(CID),
  Stream.runDrain(ipfs.pinLs()),
  Stream.runDrain(ipfs.cat(CID)),
  Stream.runDrain(ipfs.addAll([{ path: "a", content: Stream.make(Uint8Array.of(1)) }]))
]

const failures = Metric.counter("failures")

/** Runs a program that logs and counts its errors, and returns all its visible output. */
const seen = (ipfs: IpfsClient.Client) =>
  Effect.gen(function* () {
    const errors: Array<IpfsError.IpfsError> = []
    const { spans, tracer } = Spans.collecting()
    const lines: Array<string> = []
    const logger = Logger.make((options) => {
      lines.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options), inspect(options.message))
    })
    const program = Effect.gen(function* () {
      for (const call of calls(ipfs)) {
        const exit = yield* Effect.result(Effect.withSpan(call, "call"))
        if (exit._tag === "Failure") {
          errors.push(exit.failure)
          yield* Effect.logError("failed", exit.failure, Cause.fail(exit.failure))
          yield* Metric.update(Metric.withAttributes(failures, { why: exit.failure.message }), 1)
        }
      }
      return yield* Metric.snapshot
    })
    const metrics = yield* program.pipe(
      Effect.withTracer(tracer),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Logger.layer([logger]))
    )
    return {
      errors,
      spans: spans.length,
      shown: [
        ...errors.flatMap(views),
        ...spans.map((span) => inspect([span.name, span.attributes, span.events, span.status], { depth: Infinity })),
        ...lines,
        inspect(metrics, { depth: Infinity }),
        inspect(ipfs, { depth: Infinity, showHidden: true })
      ]
    }
  })

for (const [name, client] of Object.entries(Clients.httpClients)) {
  describe(`over ${name} nothing shows a secret after`, () => {
    for (const [title, answer] of Object.entries(answers)) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const url = yield* Liar.make(answer)
          const ipfs = yield* Clients.over(client, optionsOf(url))
          const { errors, shown, spans } = yield* seen(ipfs)
          assert.isNotEmpty(errors)
          assert.strictEqual(spans, 10, "each call has a span of the test and one of its command")
          shown.forEach((text) => silent(text, new URL(url).host))
        })
      )
    }

    it.effect("a connection that is refused", () =>
      Effect.gen(function* () {
        const ipfs = yield* Clients.over(client, optionsOf("http://127.0.0.1:1"))
        const { errors, shown } = yield* seen(ipfs)
        assert.lengthOf(errors, 5)
        shown.forEach((text) => silent(text, "127.0.0.1:1"))
      })
    )
  })
}

describe("nothing shows a secret", () => {
  it.effect("of what Effect's own client says of a request", () =>
    Effect.gen(function* () {
      const reasons = [HttpClientError.TransportError, HttpClientError.EncodeError, HttpClientError.InvalidUrlError]
      for (const Reason of reasons) {
        const client = HttpClient.make((request) =>
          Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new Reason({ request, description: `${request.url} ${JSON.stringify(request.headers)}` })
            })
          )
        )
        const ipfs = yield* Effect.provideService(
          IpfsClient.make(optionsOf("http://node.example")),
          HttpClient.HttpClient,
          client
        )
        const { errors, shown } = yield* seen(ipfs)
        assert.lengthOf(errors, 5)
        shown.forEach((text) => silent(text, "node.example"))
      }
    })
  )

  it.effect("of what is wrong with the configuration", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<IpfsClient.IpfsClientOptions> = [
        { ...optionsOf("nonsense") },
        { ...optionsOf("http://node.example"), headers: { "x-tenant": `${HEADER}\u0100` } },
        { ...optionsOf("http://node.example"), apiKey: `${KEY}:` }
      ]
      for (const options of wrong) {
        const error = yield* Effect.flip(Clients.make(options))
        assert.strictEqual(error.reason._tag, "EncodeError")
        views(error).forEach((text) => silent(text, "node.example"))
      }
    })
  )
})

it("takes keys out of what a server repeats, wherever in the endpoint they stood", () => {
  const basic = btoa("project-1f2e3d:päss-word")
  const places: ReadonlyArray<readonly [endpoint: IpfsTarget.IpfsEndpoint, ...secrets: ReadonlyArray<string>]> = [
    [{ url: `https://node.example/?${KEY}` }, KEY],
    [{ url: `https://node.example/?key=${KEY}` }, KEY],
    [{ url: `https://${KEY}.node.example` }, KEY],
    [{ url: `https://node.example/${KEY}/ipfs` }, KEY],
    [{ url: `https://${TOKEN}:${KEY}@node.example` }, KEY, TOKEN, btoa(`${TOKEN}:${KEY}`)],
    [{ url: "https://node.example", headers: { authorization: `Bearer ${TOKEN}` } }, TOKEN],
    [{ url: "https://node.example", headers: { authorization: `Basic ${btoa(`${TOKEN}:${KEY}`)}` } }, TOKEN, KEY],
    [
      { url: "https://node.example", headers: { authorization: `Basic ${basic}` } },
      basic,
      "project-1f2e3d",
      "p\u00e4ss-word"
    ]
  ]
  for (const [endpoint, ...secrets] of places) {
    const { redact } = Result.getOrThrow(IpfsTarget.make(endpoint))
    for (const secret of secrets) {
      assert.strictEqual(redact(`no project ${secret} here`), "no project <redacted> here", JSON.stringify(endpoint))
    }
    assert.strictEqual(redact("the api of v0 is on this node"), "the api of v0 is on this node")
  }
})
