import { assert, describe, it } from "@effect/vitest"
import { JsonRpcError, type RemoteKind } from "@plumbline/jsonrpc-core"
import { Duration } from "effect"

const errorOf = (reason: JsonRpcError.Reason) => new JsonRpcError.JsonRpcError({ method: "m", reason })

const remote = (code: number, message: string) => errorOf(new JsonRpcError.RemoteError({ code, message }))

const ofStatus = (status: number) =>
  errorOf(
    new JsonRpcError.TransportError({
      detail: `HTTP status ${status}`,
      status,
      retryable: JsonRpcError.isRetryableStatus(status)
    })
  )

/** An error of each kind. */
const BY_KIND: Readonly<Record<RemoteKind.RemoteKind, JsonRpcError.JsonRpcError>> = {
  rateLimited: remote(-32005, "project ID request rate exceeded"),
  timedOut: remote(-32002, "request timed out"),
  unavailable: remote(-32010, "backend offline"),
  quotaExceeded: remote(402, "Payment Required"),
  unauthorized: remote(-32002, "rejected due to project ID settings"),
  notFound: remote(-32000, "header not found"),
  pruned: remote(4444, "pruned history unavailable"),
  notCanonical: remote(-32000, "hash is not currently canonical"),
  batchTooLarge: remote(-32600, "batch too large"),
  tooLarge: remote(-32005, "query returned more than 10000 results"),
  methodNotFound: remote(-32601, "the method m does not exist/is not available"),
  invalidRequest: remote(-32600, "invalid request"),
  invalidParams: remote(-32602, "missing value for required argument 0"),
  executionFailed: remote(3, "execution reverted"),
  transactionRejected: remote(-32000, "nonce too low"),
  internal: remote(-32603, "Internal error"),
  other: remote(-32000, "something")
}

const BY_REASON = {
  refused: errorOf(new JsonRpcError.TransportError({ detail: "connection failed", retryable: true })),
  badCertificate: errorOf(new JsonRpcError.TransportError({ detail: "connection failed", retryable: false })),
  withheld: errorOf(new JsonRpcError.TransportError({ detail: "kept back", retryable: true, withheld: true })),
  sent: errorOf(new JsonRpcError.TransportError({ detail: "connection lost", retryable: true, withheld: false })),
  protocol: errorOf(new JsonRpcError.ProtocolError({ detail: "the answer is HTML" })),
  decode: errorOf(new JsonRpcError.DecodeError({ path: [], detail: "Expected string" })),
  options: errorOf(new JsonRpcError.OptionsError({ option: "Retry.times", detail: "must be a number" })),
  encode: errorOf(new JsonRpcError.EncodeError({ path: [], detail: "not JSON" })),
  timeout: errorOf(new JsonRpcError.TimeoutError({ after: Duration.seconds(1) })),
  disagreement: errorOf(new JsonRpcError.DisagreementError({ needed: 2, answers: [] }))
}

const namesOf = (
  errors: Readonly<Record<string, JsonRpcError.JsonRpcError>>,
  is: (error: JsonRpcError.JsonRpcError) => boolean
) => Object.entries(errors).flatMap(([name, error]) => (is(error) ? [name] : []))

const STATUSES = Array.from({ length: 300 }, (_, index) => 300 + index)

describe("an error", () => {
  it("of a server has the kind that it is the example of", () => {
    for (const [kind, { reason }] of Object.entries(BY_KIND)) {
      assert(reason._tag === "RemoteError")
      assert.strictEqual(reason.kind, kind)
    }
  })

  it("may pass with time where the server, the way or the clock was at fault", () => {
    const isRetryable = (error: JsonRpcError.JsonRpcError) => error.retryable
    assert.deepStrictEqual(namesOf(BY_KIND, isRetryable), ["rateLimited", "timedOut", "unavailable"])
    assert.deepStrictEqual(namesOf(BY_REASON, isRetryable), ["refused", "withheld", "sent", "timeout"])
    assert.deepStrictEqual(
      STATUSES.filter((status) => ofStatus(status).retryable),
      [429, 502, 503, 504]
    )
  })

  it("shows that nothing was done where the call never left, or was turned away", () => {
    const isNotDone = (error: JsonRpcError.JsonRpcError) => error.notDone
    assert.deepStrictEqual(namesOf(BY_KIND, isNotDone), [
      "rateLimited",
      "quotaExceeded",
      "unauthorized",
      "batchTooLarge",
      "methodNotFound",
      "invalidRequest",
      "invalidParams"
    ])
    assert.deepStrictEqual(namesOf(BY_REASON, isNotDone), ["withheld", "options", "encode"])
    assert.deepStrictEqual(
      STATUSES.filter((status) => ofStatus(status).notDone),
      [401, 402, 403, 413, 429]
    )
  })

  it("names the wait that was asked for", () => {
    const retryAfter = Duration.seconds(3)
    assert.deepStrictEqual(
      errorOf(new JsonRpcError.RemoteError({ code: -32005, message: "limit exceeded", retryAfter })).retryAfter,
      retryAfter
    )
    assert.deepStrictEqual(
      errorOf(new JsonRpcError.TransportError({ detail: "HTTP status 503", retryable: true, retryAfter })).retryAfter,
      retryAfter
    )
    for (const error of [...Object.values(BY_KIND), ...Object.values(BY_REASON)]) {
      assert.isUndefined(error.retryAfter)
    }
  })
})
