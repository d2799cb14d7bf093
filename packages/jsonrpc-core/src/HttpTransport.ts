/**
 * A transport over HTTP: one POST per packet, with the `fetch` of the platform.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

import * as Envelope from "./internal/envelope.ts"
import * as Redact from "./internal/redact.ts"
import * as RetryAfter from "./internal/retryAfter.ts"
import { ProtocolError, type Reason, TimeoutError, TransportError } from "./JsonRpcError.ts"
import { Transport } from "./Transport.ts"

/** Where to, and within which bounds. */
export interface Options {
  /** May hold an API key. A name and password in it are sent as Basic authentication. */
  readonly url: string | Redacted.Redacted
  /** Until the last byte of the answer. Default: 30 seconds. */
  readonly timeout?: Duration.Input | undefined
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** The largest answer to read, in bytes after decompression. Default: 32 MiB. */
  readonly maxBytes?: number | undefined
  /** Instead of the platform's. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

export const DEFAULT_TIMEOUT: Duration.Duration = /* @__PURE__ */ Duration.seconds(30)

export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024

/**
 * A transport to one URL.
 *
 * `callAll` sends one batch. Replies are matched by id; a reply that is missing, double or unknown fails no call but
 * its own. An error object in place of the batch is the error of each call.
 *
 * A failing HTTP status is a `TransportError`, `retryable` for 429, 502, 503 and 504, with the server's Retry-After; but
 * if its body is a JSON-RPC error, that is kept: a `RemoteError` with the status. Redirects are not followed, because
 * headers could carry a key to another host. Interruption aborts the request.
 *
 * Neither the URL nor a header is in any error: where a server's message repeats a secret of theirs it is replaced. The
 * error of the platform is dropped, but for its code.
 *
 * ```ts import.meta.vitest
 * import { HttpTransport, JsonRpcClient, Method, MethodGroup } from "@plumbline/jsonrpc-core"
 * import { Effect, Schema } from "effect"
 *
 * const group = MethodGroup.make(Method.make("eth_chainId", { params: [], result: Schema.String }))
 * const node: typeof fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
 *
 * const program = Effect.flatMap(JsonRpcClient.make(group), (client) => client.eth_chainId())
 * const transport = HttpTransport.layer({ url: "https://node.example/v3/key", timeout: "5 seconds", fetch: node })
 * await Effect.runPromise(Effect.provide(program, transport)) // => "0x1"
 * ```
 */
export const layer = (options: Options): Layer.Layer<Transport> => Layer.effect(Transport, make(options))

/** The same as a value, for a program with several transports. */
export const make = (options: Options): Effect.Effect<Transport["Service"]> => Effect.sync(() => makeUnsafe(options))

const makeUnsafe = (options: Options): Transport["Service"] => {
  const { url, headers } = target(options)
  const timeout = Duration.fromInputUnsafe(options.timeout ?? DEFAULT_TIMEOUT)
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES

  const post = (body: string): Effect.Effect<Reply, Reason> =>
    headers === undefined
      ? Effect.fail(new TransportError({ detail: "invalid headers", retryable: false }))
      : Effect.flatMap(
          Effect.tryPromise({
            try: async (signal) => {
              const response = await (options.fetch ?? globalThis.fetch)(url, {
                method: "POST",
                headers,
                body,
                redirect: "manual",
                signal
              })
              return read(response, maxBytes)
            },
            catch: platformError
          }),
          (reply) => ("_tag" in reply ? Effect.fail(reply) : Effect.succeed(reply))
        )

  const exchange = (body: string): Effect.Effect<Envelope.Answer, Reason> =>
    post(body).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(new TimeoutError({ after: timeout })) }),
      Effect.flatMap((reply) => {
        const { text, failedStatus, retryAfter } = reply
        return retryAfter === undefined
          ? Effect.succeed({ text, failedStatus })
          : Effect.map(Clock.currentTimeMillis, (now) => ({
              text,
              failedStatus,
              retryAfter: RetryAfter.parse(retryAfter, now)
            }))
      })
    )

  return Envelope.makeTransport({
    exchange,
    redact: Redact.make(plain(options.url), headers ?? [])
  })
}

interface Reply {
  readonly text: string
  readonly failedStatus: number | undefined
  readonly retryAfter: string | undefined
}

const plain = (value: string | Redacted.Redacted): string => (typeof value === "string" ? value : Redacted.value(value))

/** `fetch` refuses a URL with a name and password, so these become a header. */
const target = (options: Options): { readonly url: string; readonly headers: Headers | undefined } => {
  const given = plain(options.url)
  const url = URL.canParse(given) ? new URL(given) : undefined
  try {
    const headers = new Headers({ "content-type": "application/json", accept: "application/json" })
    if (url !== undefined && (url.username !== "" || url.password !== "")) {
      const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      headers.set("authorization", `Basic ${base64(credentials)}`)
      url.username = ""
      url.password = ""
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      headers.set(name, plain(value))
    }
    return { url: url?.href ?? given, headers }
  } catch {
    // The platform's text shows the value.
    return { url: url?.href ?? given, headers: undefined }
  }
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

/** Reads an answer, up to `maxBytes` of it. */
const read = async (response: Response, maxBytes: number): Promise<Reply | Reason> => {
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    await discard(response)
    return new TransportError({
      detail: "redirected: give the final URL",
      retryable: false,
      ...(response.status === 0 ? {} : { status: response.status })
    })
  }
  if (Number(response.headers.get("content-length")) > maxBytes) {
    await discard(response)
    return tooLarge(maxBytes)
  }
  const chunks = response.body === null ? [] : await readBody(response.body, maxBytes)
  if (chunks === undefined) {
    return tooLarge(maxBytes)
  }
  const text = decodeUtf8(chunks)
  const failedStatus = response.ok ? undefined : response.status
  if (text === undefined && response.ok) {
    return new ProtocolError({ detail: "the answer is not UTF-8" })
  }
  return { text: text ?? "", failedStatus, retryAfter: response.headers.get("retry-after") ?? undefined }
}

const tooLarge = (maxBytes: number): TransportError =>
  new TransportError({ detail: `the answer is larger than ${maxBytes} bytes`, retryable: false })

/** The chunks of a body, or `undefined` when they are more than `maxBytes`. */
const readBody = async (
  body: ReadableStream<Uint8Array>,
  maxBytes: number
): Promise<ReadonlyArray<Uint8Array> | undefined> => {
  const chunks: Array<Uint8Array> = []
  const reader = body.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) {
      return chunks
    }
    size += value.length
    if (size > maxBytes) {
      await ignoreRejection(reader.cancel())
      return undefined
    }
    chunks.push(value)
  }
}

const discard = (response: Response): Promise<void> => ignoreRejection(response.body?.cancel())

/** What becomes of a body that nobody reads does not matter. */
const ignoreRejection = async (cancelled: Promise<void> | undefined): Promise<void> => {
  try {
    await cancelled
  } catch {
    // The verdict is known already.
  }
}

const decodeUtf8 = (chunks: ReadonlyArray<Uint8Array>): string | undefined => {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode()
  } catch {
    return undefined
  }
}

/**
 * Keeps of the platform's error only a code such as ECONNREFUSED: its texts hold the URL.
 */
const platformError = (error: unknown): TransportError => {
  const code = codeOf(error) ?? codeOf(member(error, "cause"))
  if (code === "ERR_INVALID_URL") {
    return new TransportError({ detail: "invalid URL", retryable: false })
  }
  return new TransportError({
    detail: code === undefined ? "connection failed" : `connection failed (${code})`,
    retryable: code === undefined || !/CERT|SIGNED|TLS|SSL|VERIFY/.test(code)
  })
}

const codeOf = (error: unknown): string | undefined => {
  const code = member(error, "code")
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,47}$/.test(code) ? code : undefined
}

const member = (value: unknown, name: "cause" | "code"): unknown =>
  typeof value === "object" && value !== null && name in value ? Reflect.get(value, name) : undefined
