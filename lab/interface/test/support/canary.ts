/** Planted secrets, servers that repeat them in every form, and a reader that finds them in any output. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { inspect } from "node:util"

import { Cause, Effect, Exit, Logger, Metric, References, Result, Tracer } from "effect"
import { WebSocketServer } from "ws"

/** The middle part of every planted secret, so that a part of a secret is found too. */
export const MARK = "c4nary"

const user = `user-${MARK}-1`
const password = `pass/${MARK}+w\u00f6rd`
const key = `key0${MARK}0123456789abcdef`
const token = `token=${MARK}/1?`
export const header = `header/${MARK} "1"`

/**
 * Returns the planted secrets of a request with these headers. The secret `header` counts only if the request has it,
 * because the command does not send it.
 */
const secretsOf = (headers: IncomingHttpHeaders): ReadonlyArray<string> =>
  [user, password, key, token].concat(Object.values(headers).includes(header) ? header : [])

/** Returns a URL with a secret in its userinfo, its path and its query. */
export const secretUrl = (base: string): string => {
  const { host, protocol } = new URL(base)
  const userinfo = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  return `${protocol}//${userinfo}@${host}/v3/${key}?token=${encodeURIComponent(token)}`
}

/** Returns the credentials of an IPFS service, and its URL with a secret in path and query. */
export const ipfs = (base: string) => ({
  url: `${base}/tenant/${key}?token=${encodeURIComponent(token)}`,
  apiKey: user,
  apiKeySecret: password,
  headers: { "x-tenant-key": header }
})

const lower = (text: string): string => text.replaceAll(/%../g, (byte) => byte.toLowerCase())
const base64 = (text: string): string => Buffer.from(text).toString("base64")

/** The forms in which a server repeats a text. */
export const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) => lower(encodeURIComponent(text)),
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "in a form": (text) => new URLSearchParams({ text }).toString(),
  "in JSON": (text) => JSON.stringify({ text }),
  "in base64": base64,
  "in base64url": (text) => Buffer.from(text).toString("base64url"),
  "in base64 behind a byte": (text) => base64(`:${text}:`),
  "in base64 behind two bytes": (text) => base64(`u:${text}`)
}

/** Returns everything that a server received, in the given form. */
const echo = ({ headers, url = "" }: IncomingMessage, form: (text: string) => string): string =>
  [...secretsOf(headers), url, `http://${String(headers.host)}${url}`, ...told(headers)]
    .map((text) => form(text))
    .join(" ; ")

const told = ({ authorization = "" }: IncomingHttpHeaders): ReadonlyArray<string> => {
  const pair = Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString()
  return [authorization, pair, `http://${pair}@127.0.0.1/`].filter(() => authorization !== "")
}

export type Answer = (said: string, response: ServerResponse, asked: { readonly body: string }) => void

/** The servers' answers, by kind. */
export const answers: Readonly<Record<string, Answer>> = {
  "a failing status": (said, response) => response.writeHead(401).end(said),
  "a redirect": (said, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:1/?next=${encodeURIComponent(said)}` }).end(said),
  "a body that is not JSON": (said, response) => response.end(said),
  "a body that breaks off": (said, response) => {
    response.writeHead(200, { "content-length": 1_000_000 }).write(`{"jsonrpc":"2.0","id":1,"result":"${said}`)
    setTimeout(() => response.destroy(), 10)
  },
  "an error object": (said, response, { body }) => response.end(rpcError(said, body)),
  "an error object with a failing status": (said, response, { body }) =>
    response.writeHead(403, { "content-type": "application/json" }).end(rpcError(said, body)),
  "an error of IPFS": (said, response) =>
    response
      .writeHead(500, { "content-type": "application/json" })
      .end(JSON.stringify({ Message: said, Code: 0, Type: "error" })),
  "an error of IPFS in a stream": (said, response) =>
    response.end(`${JSON.stringify({ Message: said, Code: 0, Type: "error" })}\n`)
}

const rpcError = (said: string, body: string): string => {
  const error = { code: -32_000, message: said, data: { list: [said, { [said]: said }] } }
  const answer = (id: unknown) => ({ jsonrpc: "2.0", id, error })
  try {
    const asked = JSON.parse(body)
    return JSON.stringify(Array.isArray(asked) ? asked.map(({ id }) => answer(id)) : answer(asked.id))
  } catch {
    return JSON.stringify(answer(null))
  }
}

/**
 * Starts a server that repeats each request, over HTTP and over WebSockets, and returns its URL. It closes with the
 * scope.
 */
export const server = (answer: Answer, form: (text: string) => string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const made = createServer((request, response) => {
          let body = ""
          request.setEncoding("utf8")
          request.on("data", (piece: string) => (body += piece))
          request.on("error", () => {})
          response.on("error", () => {})
          request.on("end", () => answer(echo(request, form), response, { body }))
        })
        new WebSocketServer({
          server: made,
          verifyClient: ({ req }, done) => {
            if (answer === answers["a failing status"]) done(false, 401, echo(req, form))
            else done(true)
          }
        }).on("connection", (socket, request) => {
          const said = echo(request, form)
          socket.on("message", (body: Buffer) => {
            if (answer === answers["an error object"]) socket.send(rpcError(said, body.toString()))
            else if (answer === answers["a body that breaks off"]) socket.close(4001, said.slice(0, 60))
            else socket.send(said)
          })
        })
        made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
      }),
      (made) =>
        Effect.sync(() => {
          made.close()
          made.closeAllConnections()
        })
    ),
    (made) => `http://127.0.0.1:${(made.address() as AddressInfo).port}`
  )

/**
 * Returns the part of a text around the first mark that is found: plain, percent-encoded, or in base64. The decoders
 * are the platform's, and share no code with the redaction.
 */
export const reads = (text: string, marks: ReadonlyArray<string> = [MARK]): string | undefined => {
  let decoded = text
  for (let times = 0; times < 3; times++) {
    for (const mark of marks) {
      const at = decoded.indexOf(mark)
      if (at !== -1) return decoded.slice(Math.max(0, at - 60), at + 60)
      for (const run of decoded.match(/[\w+/-]{6,}/g) ?? []) {
        if ([0, 1, 2, 3].some((skipped) => Buffer.from(run.slice(skipped), "base64").includes(mark))) return run
      }
    }
    decoded = decoded.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
      Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8")
    )
  }
  return undefined
}

/** Returns all forms in which programs usually show an error. */
const views = (error: unknown): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  return [
    String(error),
    JSON.stringify(error),
    JSON.stringify(Exit.failCause(cause)),
    Cause.pretty(cause),
    inspect(error, { depth: Infinity, showHidden: true }),
    error instanceof Error ? JSON.stringify([error.message, error.stack, error.cause]) : ""
  ]
}

const failures = Metric.counter("failures")

/** Collects everything that a program writes into logs, spans and metrics. */
export const witness = () => {
  const seen: Array<string> = []
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const logger = Logger.make<unknown, void>((options) => {
    const { cause, fiber, message } = options
    seen.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options), inspect(message), Cause.pretty(cause))
    seen.push(inspect(fiber.getRef(References.CurrentLogAnnotations), { depth: Infinity }))
  })
  return {
    logger,
    tracer,
    /** Returns everything that was written until now. */
    shown: (): ReadonlyArray<string> => [
      ...seen,
      ...spans.map((span) => inspect([span.name, span.attributes, span.events, span.status], { depth: Infinity }))
    ]
  }
}

/** Runs a program, logs and counts its error if it fails, and returns everything visible that it wrote. */
export const shownBy = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { logger, shown, tracer } = witness()
    const errors: Array<E> = []
    const metrics = yield* Effect.gen(function* () {
      const result = yield* Effect.result(Effect.withSpan(program, "test"))
      if (Result.isFailure(result)) {
        const error = result.failure
        errors.push(error)
        yield* Effect.logError("failed", error, Cause.fail(error))
        yield* Metric.update(Metric.withAttributes(failures, { why: String(error) }), 1)
      }
      return yield* Metric.snapshot
    }).pipe(
      Effect.withTracer(tracer),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      Effect.provide(Logger.layer([logger]))
    )
    return [...errors.flatMap(views), ...shown(), inspect(metrics, { depth: Infinity })]
  })
