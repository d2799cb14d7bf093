/**
 * A node behind HTTP, through a pool of persistent connections.
 *
 * Calls to a plain HTTP node use `NodeConnections`, which read the usual forms of answers. Everything else uses undici's
 * `dispatch`, the lowest-level call that undici offers.
 */
import { Buffer, isUtf8 } from "node:buffer"

import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Pool } from "undici"

import type { GatewayError } from "../errors/GatewayError.ts"
import * as Setting from "../schema/Setting.ts"
import { httpFields } from "./connectionSettings.ts"
import { Deadlines, type HasDeadline } from "./deadlines.ts"
import { HttpBatches, BatchedCall } from "./httpBatches.ts"
import * as NodeAnswer from "./nodeAnswer.ts"
import type { AnswerHandler, AnswerHeaders, NodeRequest, RequestControl } from "./plainHttp/answerHandler.ts"
import { NodeConnections } from "./plainHttp/nodeConnections.ts"
import { Traceparent } from "./Traceparent.ts"
import type { Upstream, UpstreamCall } from "./Upstream.ts"
import { isAboutUs, type UpstreamError } from "./UpstreamError.ts"

export { httpFields as fields } from "./connectionSettings.ts"

const settings = Schema.Struct(httpFields)

/**
 * The URL of a node, and the limits of its answers.
 */
export interface HttpUpstreamOptions extends Setting.OptionsOf<typeof settings.Type> {
  /**
   * A URL with `http` or `https`. If it has a user and password, they are sent as Basic authentication. The URL may
   * hold a key, so it is never logged or returned.
   */
  readonly url: string | Redacted.Redacted
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Sends calls that arrive at the same time in one packet. Default: each call is a separate request. */
  readonly batch?: HttpBatchOptions | undefined
}

/**
 * Options for packets of calls. Only calls of the idempotent methods among `methods` are sent in packets, because the
 * calls of a refused packet are sent again one by one.
 */
export interface HttpBatchOptions extends Setting.OptionsOf<NonNullable<typeof settings.Type.batch>> {
  readonly methods: MethodGroup.Any
}

/**
 * The defaults of the options. Times are in milliseconds.
 */
export const defaults = Setting.defaultsOf(settings)

/**
 * Makes the upstream of the node at a URL. The pool closes with the scope. Nothing is sent before the first call.
 *
 * Only the envelope of an answer is checked: the id must be the one sent, and there must be a result or an error
 * object. The bytes of the result must be one JSON value. They are passed on untouched, and never parsed.
 *
 * In a packet (`batch`) each call keeps its own answer, fault and timeout. A node that refuses a packet gets its calls
 * one by one for ten minutes.
 *
 * ```ts import.meta.vitest
 * import { HttpUpstream } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 *
 * const nobody = HttpUpstream.make({ url: "http://127.0.0.1:1" }).pipe(
 *   Effect.flatMap((node) => Effect.flip(node.call("eth_chainId", []))),
 *   Effect.scoped
 * )
 * const fault = await Effect.runPromise(nobody)
 * fault.message // => "the node cannot be reached (ECONNREFUSED)"
 * ```
 */
export const make = Effect.fnUntraced(function* (
  options: HttpUpstreamOptions
): Effect.fn.Return<Upstream, GatewayError, Scope.Scope> {
  const url = URL.parse(NodeAnswer.reveal(options.url))
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return yield* NodeAnswer.badOption("url", "must be an http or https URL")
  }
  const headers = ["content-type", "application/json"]
  const authorization = NodeAnswer.basicOf(url)
  if (authorization !== undefined) headers.push("authorization", authorization)
  for (const [name, value] of Object.entries(options.headers ?? {})) headers.push(name, NodeAnswer.reveal(value))

  const { batch, connections, connectTimeout, maxAnswerBytes, timeout } = yield* Effect.fromResult(
    Setting.resolve(settings, options)
  )
  const callSettings: CallSettings = { redact: NodeAnswer.redactorOf(options), timeout, maxAnswerBytes }
  const pool = yield* Effect.acquireRelease(
    Effect.sync(
      () =>
        new Pool(url.origin, {
          connections,
          allowH2: false,
          connectTimeout,
          // One deadline covers the whole call and starts here. undici's timeout would restart with each chunk.
          headersTimeout: 0,
          bodyTimeout: 0
        })
    ),
    (pool) => Effect.promise(() => pool.destroy())
  )
  const path = url.pathname + url.search
  const deadlines = new Deadlines()
  let lastId = 0
  const undici = (request: NodeRequest, handler: AnswerHandler): void => {
    const { body, headers } = request
    pool.dispatch({ path, method: "POST", headers: headers as Array<string>, body }, handler)
  }
  const plain =
    url.protocol === "http:"
      ? new NodeConnections({ url, headers, connections, connectTimeout, maxAnswerBytes, undici })
      : undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => plain?.close()))
  const send = (body: string, handler: AnswerHandler, own = headers): void => {
    const request = { headers: own, body }
    if (plain === undefined) undici(request, handler)
    else plain.dispatch(request, handler)
  }
  const methods = options.batch?.methods
  const batches =
    batch === undefined || batch.most === 1
      ? undefined
      : new HttpBatches({
          most: batch.most,
          wait: batch.wait ?? 0,
          maxAnswerBytes,
          send,
          sendOne: (part, left) => {
            const sent = new HttpCall(part.id, callSettings, left, deadlines, (answer) => part.settle(answer))
            send(part.text, sent)
            return () => sent.abort()
          },
          read: (bytes, id, status) => read(bytes, id, status, callSettings.redact)
        })
  const begin = (
    method: string,
    params: ReadonlyArray<unknown>,
    millis: number,
    resume: (answer: Answer) => void,
    traceparent?: string
  ): HttpCall | BatchedCall => {
    const id = String(++lastId)
    const left = Math.min(millis, timeout)
    const body = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
    // All calls of a packet share one header, so a traced call is sent alone.
    if (batches !== undefined && traceparent === undefined && methods?.get(method)?.idempotent === true) {
      const part = new BatchedCall(id, body, left, deadlines, resume)
      batches.add(part)
      return part
    }
    const sent = new HttpCall(id, callSettings, left, deadlines, resume)
    send(body, sent, traceparent === undefined ? headers : [...headers, "traceparent", traceparent])
    return sent
  }
  const within: NonNullable<UpstreamCall["within"]> = (method, params, millis) =>
    Effect.withFiber((fiber) =>
      Effect.callback<Uint8Array, ErrorObject | UpstreamError>((resume) => {
        const sent = begin(method, params, millis, resume, fiber.getRef(Traceparent))
        return Effect.sync(() => sent.abort())
      })
    )
  const call: UpstreamCall = (method, params) => within(method, params, timeout)
  return { call: Object.assign(call, { within, plain: begin satisfies UpstreamCall["plain"] }) }
})

// Private: one call.

interface CallSettings {
  readonly redact: (text: string) => string
  /** The maximum time of a call, in milliseconds. */
  readonly timeout: number
  readonly maxAnswerBytes: number
}

type Answer = NodeAnswer.NodeAnswer

class HttpCall implements AnswerHandler, HasDeadline {
  readonly #id: string
  readonly #settings: CallSettings
  readonly #resume: (answer: Answer) => void
  readonly #timeout: number
  readonly #deadlines: Deadlines
  readonly #tick: number
  #controller: RequestControl | undefined
  #done = false
  #status = 0
  #chunks: Array<Uint8Array> = []
  #size = 0

  constructor(
    id: string,
    settings: CallSettings,
    timeout: number,
    deadlines: Deadlines,
    resume: (answer: Answer) => void
  ) {
    this.#id = id
    this.#settings = settings
    this.#resume = resume
    this.#timeout = timeout
    this.#deadlines = deadlines
    this.#tick = Number.isFinite(timeout) ? deadlines.add(this, timeout) : NEVER
  }

  late(): void {
    this.#fail({ _tag: "TimedOut", after: Math.round(this.#timeout) })
  }

  abort(): void {
    if (this.#done) return
    this.#done = true
    this.#deadlines.remove(this, this.#tick)
    this.#chunks = []
    this.#controller?.abort(givenUp)
  }

  onRequestStart(controller: RequestControl): void {
    this.#controller = controller
    // The call was given up while it waited for a connection.
    if (this.#done) controller.abort(givenUp)
  }

  onResponseStart(_controller: RequestControl, status: number, headers: AnswerHeaders): void {
    this.#status = status
    if (isAboutUs(status) || status === 503) {
      const reason = NodeAnswer.badStatus(status, headers["retry-after"])
      if (isAboutUs(status) || reason.retryAfter !== undefined) this.#fail(reason)
    }
  }

  onResponseData(_controller: RequestControl, chunk: Uint8Array): void {
    if (this.#done) return
    this.#size += chunk.length
    if (this.#size > this.#settings.maxAnswerBytes) {
      this.#fail({ _tag: "TooLarge", limit: this.#settings.maxAnswerBytes })
    } else {
      this.#chunks.push(chunk)
    }
  }

  onResponseEnd(): void {
    if (this.#done) return
    const only = this.#chunks.length === 1 ? this.#chunks[0] : undefined
    this.#settle(read(only ?? Buffer.concat(this.#chunks, this.#size), this.#id, this.#status, this.#settings.redact))
  }

  onResponseError(_controller: RequestControl, error: Error): void {
    this.#fail({ _tag: "Unreachable", code: NodeAnswer.codeOf(error) })
  }

  #fail(reason: UpstreamError["reason"]): void {
    if (this.#done) return
    const controller = this.#controller
    this.#settle(NodeAnswer.fault(reason))
    controller?.abort(givenUp)
  }

  #settle(answer: Answer): void {
    this.#done = true
    this.#deadlines.remove(this, this.#tick)
    this.#chunks = []
    this.#resume(answer)
  }
}

/** The tick of a call without a deadline. */
const NEVER = -1

// One shared value: nothing reads it, and each new error would cost a stack trace.
const givenUp = new Error("given up")

const read = (bytes: Uint8Array, id: string, status: number, redact: CallSettings["redact"]): Answer => {
  const isOk = status >= 200 && status < 300
  const parts = isUtf8(bytes) ? JsonBytes.locate(bytes) : undefined
  if (parts === undefined || NodeAnswer.textOf(bytes, parts.jsonrpc) !== '"2.0"') {
    return NodeAnswer.fault(isOk ? { _tag: "BadAnswer", problem: "not JSON-RPC" } : { _tag: "BadStatus", status })
  }
  const answered = NodeAnswer.textOf(bytes, parts.id)
  if (parts.error !== undefined) {
    // A node that could not read the id answers with null. An HTTP response without a packet answers a single call, so
    // the error still belongs to this call.
    return answered === id || answered === "null"
      ? NodeAnswer.readError(NodeAnswer.textOf(bytes, parts.error), redact)
      : NodeAnswer.fault({ _tag: "BadAnswer", problem: "wrong id" })
  }
  if (!isOk) return NodeAnswer.fault({ _tag: "BadStatus", status })
  if (answered !== id) return NodeAnswer.fault({ _tag: "BadAnswer", problem: "wrong id" })
  if (parts.isMalformed) return NodeAnswer.fault({ _tag: "BadAnswer", problem: "not JSON-RPC" })
  return Exit.succeed(bytes.subarray(parts.result!.start, parts.result!.end))
}
