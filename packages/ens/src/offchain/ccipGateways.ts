/** Asks gateways (EIP-3668) within bounds. One session serves one answer. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import * as CcipRead from "./CcipRead.ts"
import type { GatewayFailure, OffchainFailure } from "./OffchainFailure.ts"
import * as OffchainLookup from "./offchainLookup.ts"

/** Requests for one answer. */
export interface GatewaySession {
  /** The hosts that were asked, in the order of the first request. */
  readonly hosts: ReadonlySet<string>
  /** The failures of gateways so far. */
  readonly failures: ReadonlyArray<GatewayFailure>
  /** Returns the answer to a lookup of the contract that was called. */
  readonly answer: (lookup: OffchainLookup.OffchainLookup) => Effect.Effect<Hex.Hex, OffchainFailure>
}

const MAX_URLS = 4
const MAX_REQUESTS = 32
/** The time of all requests, in times of one: a request can wait for each of its URLs. */
const MAX_TIMES = MAX_URLS
const MAX_DEPTH = 4
const MAX_BYTES = 2 ** 20
const BATCH_CONCURRENCY = 4

export const make = (options: CcipRead.CcipReadOptions): GatewaySession => {
  const timeout = Duration.fromInputUnsafe(options.timeout ?? CcipRead.defaults.timeout)
  const loopback = options.loopback ?? CcipRead.defaults.loopback
  const hosts = new Set<string>()
  const failures: Array<GatewayFailure> = []
  let requests = 0
  let end: number | undefined

  /** Returns the time that is left for a request; the first one starts the clock. */
  const left = Effect.map(Clock.monotonicTimeNanos, (nanos) => {
    const now = Number(nanos) / 1e6
    end ??= now + MAX_TIMES * Duration.toMillis(timeout)
    return Duration.min(timeout, Duration.millis(end - now))
  })

  const failed = (failure: GatewayFailure): GatewayFailure => {
    failures.push(failure)
    return failure
  }

  /** Asks the URLs in order. A status from 400 to 499 ends the search, as EIP-3668 says. */
  const ask = Effect.fnUntraced(function* ({
    data,
    sender,
    urls
  }: OffchainLookup.GatewayQuery): Effect.fn.Return<Hex.Hex, OffchainFailure> {
    const seen: Array<GatewayFailure> = []
    for (const template of urls.slice(0, MAX_URLS)) {
      const url = urlOf(template, sender, data, loopback)
      const host = OffchainLookup.hostOf(template)
      if (url === undefined) {
        seen.push(failed({ host, status: undefined, fault: "RefusedUrl" }))
        continue
      }
      if (requests++ >= MAX_REQUESTS) return yield* refused("requests")
      const duration = yield* left
      if (!Duration.isPositive(duration)) return yield* refused("time")
      hosts.add(url.host)
      const reply = yield* requestOf(
        url,
        { data, isGet: template.includes(OffchainLookup.DATA), sender },
        options.fetch
      ).pipe(
        Effect.timeoutOrElse({
          duration,
          orElse: () => Effect.succeed<Reply>({ status: undefined, fault: "TimedOut" })
        })
      )
      if (typeof reply === "string") return reply
      seen.push(failed({ host: url.host, ...reply }))
      if (reply.status !== undefined && reply.status >= 400 && reply.status < 500) break
    }
    return yield* Effect.fail<OffchainFailure>({ _tag: "Gateway", failures: seen })
  })

  /** Answers a batch by asking for each of its requests. A request that fails is a failure within the batch. */
  const batch = Effect.fnUntraced(function* (data: Hex.Hex, depth: number): Effect.fn.Return<Hex.Hex, OffchainFailure> {
    if (depth > MAX_DEPTH) return yield* refused("depth")
    const queries = OffchainLookup.parseBatch(data)
    if (queries === undefined) return yield* refused("malformed")
    if (queries.length > MAX_REQUESTS) return yield* refused("requests")
    const answers = yield* Effect.forEach(
      queries,
      (query) =>
        Effect.map(
          Effect.catchIf(
            query.urls.includes(OffchainLookup.LOCAL_BATCH)
              ? Effect.suspend(() => batch(query.data, depth + 1))
              : ask(query),
            (reason) => reason._tag === "Gateway",
            (reason) => Effect.succeed(reason)
          ),
          (answer): OffchainLookup.BatchAnswer =>
            typeof answer === "string"
              ? { isFailure: false, data: answer }
              : { isFailure: true, data: OffchainLookup.httpError(answer.failures.at(-1)?.status ?? 0) }
        ),
      { concurrency: BATCH_CONCURRENCY }
    )
    if (answers.reduce((sum, answer) => sum + Hex.size(answer.data), 0) > MAX_BYTES) return yield* refused("bytes")
    return OffchainLookup.batchAnswer(answers)
  })

  return {
    hosts,
    failures,
    answer: (lookup) => (lookup.urls.includes(OffchainLookup.LOCAL_BATCH) ? batch(lookup.data, 1) : ask(lookup))
  }
}

const refused = (
  check: Extract<OffchainFailure, { readonly _tag: "LookupRefused" }>["check"]
): Effect.Effect<never, OffchainFailure> => Effect.fail({ _tag: "LookupRefused", check })

/** Fills the templates of a URL; undefined if the URL must not be asked. */
const urlOf = (template: string, sender: Hex.Hex, data: Hex.Hex, loopback: boolean): URL | undefined => {
  const url = OffchainLookup.filled(template, sender, data)
  // fetch refuses a URL with a user name, with the URL in its error
  if (url === undefined || url.username !== "" || url.password !== "") return undefined
  const isSafe = url.protocol === "https:" || (loopback && url.protocol === "http:" && LOOPBACK.test(url.hostname))
  return isSafe ? url : undefined
}

const LOOPBACK = /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/u

/** The bytes of an answer, or the failure. */
type Reply = Hex.Hex | Omit<GatewayFailure, "host">

interface GatewayBody {
  readonly sender: Hex.Hex
  readonly data: Hex.Hex
  readonly isGet: boolean
}

/** Sends one request. Its failures hold nothing of the platform's error, which can hold the URL. */
const requestOf = (
  url: URL,
  { data, isGet, sender }: GatewayBody,
  fetch: typeof globalThis.fetch = globalThis.fetch
): Effect.Effect<Reply> =>
  Effect.promise(async (signal): Promise<Reply> => {
    try {
      const response = await fetch(url, {
        ...(isGet
          ? { method: "GET" }
          : {
              method: "POST",
              headers: { "content-type": "application/json" },
              body: JSON.stringify({ data, sender: sender.toLowerCase() })
            }),
        redirect: "error",
        credentials: "omit",
        referrerPolicy: "no-referrer",
        signal
      })
      const { body, ok, status } = response
      if (!ok) {
        await body?.cancel()
        return { status, fault: "Status" }
      }
      const text = await textOf(body)
      if (text === undefined) return { status: undefined, fault: "TooLarge" }
      const answer = dataOf(text)
      return answer ?? { status: undefined, fault: "Malformed" }
    } catch {
      return { status: undefined, fault: "Unreachable" }
    }
  })

/** Reads a body of at most `MAX_BYTES` of data: two digits for each byte, and some room for the JSON around them. */
const textOf = async (body: ReadableStream<Uint8Array> | null): Promise<string | undefined> => {
  if (body === null) return ""
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += decoder.decode(value, { stream: true })
    if (text.length > 2 * MAX_BYTES + 1024) {
      await reader.cancel()
      return undefined
    }
  }
}

/** Returns the data of an answer: `{"data":"0x..."}`. */
const dataOf = (text: string): Hex.Hex | undefined => {
  try {
    const { data } = JSON.parse(text)
    return Hex.isHex(data) && Hex.size(data) <= MAX_BYTES ? (data.toLowerCase() as Hex.Hex) : undefined
  } catch {
    return undefined
  }
}
