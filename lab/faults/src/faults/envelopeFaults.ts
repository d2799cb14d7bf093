/** JSON answers that are not a JSON-RPC 2.0 answer to this call, and errors in the server's own words. */
import { type Expected, failure, type Family, type Fault, replying, saying, UNMATCHED } from "../fault.ts"
import type { Json, WireCall } from "../liveAnswers.ts"

const wrong = (name: string, ours: Expected, reply: (call: WireCall, result: any) => Json): Fault => ({
  name,
  read: "transaction",
  server: replying(reply),
  ours
})

/** The reply of a server that mixes up its callers: the id and the transaction belong to another caller. */
const misdirected = (name: string, ours: Expected, id: Json | undefined): Fault => ({
  name,
  read: "transaction",
  server: saying(({ truth }) => JSON.stringify({ jsonrpc: "2.0", id, result: truth.other.transaction })),
  patience: 300,
  ours
})

/** Makes a fault whose reply is the text that `write` makes from the id and the true transaction. */
const written = (name: string, ours: Expected, write: (id: number, result: string) => string): Fault => ({
  name,
  read: "transaction",
  server: saying(({ call, truth }) => write(call.id, JSON.stringify(truth.transaction))),
  ours
})

const refusal = (
  name: string,
  code: number,
  message: string,
  ours: string,
  more: { readonly [name: string]: Json } = {}
): Fault => ({
  name,
  read: "transaction",
  server: replying(({ id }) => failure(id, code, message, more)),
  words: message,
  ours
})

export const family: Family = {
  name: "Envelopes",
  faults: [
    misdirected("another id", UNMATCHED, 999_999),
    misdirected("an id of null beside a result", "ProtocolError", null),
    misdirected("no id", "ProtocolError", undefined),
    {
      ...wrong("the id as text", UNMATCHED, ({ id }, result) => ({ jsonrpc: "2.0", id: String(id), result })),
      patience: 300
    },
    {
      ...wrong("the id in a list", UNMATCHED, ({ id }, result) => ({ jsonrpc: "2.0", id: [id], result })),
      patience: 300
    },
    {
      ...written("the id as 1.0", "the truth", (id, result) => `{"jsonrpc":"2.0","id":${id}.0,"result":${result}}`),
      honest: true
    },
    wrong("no version", "ProtocolError", ({ id }, result) => ({ id, result })),
    wrong("version 1.0", "ProtocolError", ({ id }, result) => ({ jsonrpc: "1.0", id, result })),
    wrong("neither result nor error", "ProtocolError", ({ id }) => ({ jsonrpc: "2.0", id })),
    wrong("both result and error", "ProtocolError", ({ id }, result) => ({ ...failure(id, -32000, "no"), result })),
    wrong("an error of null, and no result", "ProtocolError", ({ id }) => ({ jsonrpc: "2.0", id, error: null })),
    wrong("an error that is a text", "ProtocolError", ({ id }) => ({ jsonrpc: "2.0", id, error: "no such thing" })),
    wrong("an error without a code", "ProtocolError", ({ id }) => ({ jsonrpc: "2.0", id, error: { message: "no" } })),
    wrong("a list around the reply", { ...UNMATCHED, webSocket: "the truth" }, ({ id }, result) => [
      { jsonrpc: "2.0", id, result }
    ]),
    wrong("the bare result", "ProtocolError", (_, result) => result),
    wrong("null", "ProtocolError", () => null),
    wrong("a reply inside the result", "DecodeError at hash", ({ id }, result) => ({
      jsonrpc: "2.0",
      id,
      result: { jsonrpc: "2.0", id, result }
    })),
    {
      ...written(
        "each member twice, the right one last",
        "the truth",
        (id, result) => `{"jsonrpc":"1.0","jsonrpc":"2.0","id":0,"id":${id},"result":null,"result":${result}}`
      ),
      honest: true
    },
    written(
      "all of it as __proto__",
      "ProtocolError",
      (id, result) => `{"__proto__":{"jsonrpc":"2.0","id":${id},"result":${result}}}`
    ),
    written(
      "an error with a code of 20 digits",
      "ProtocolError",
      (id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":12345678901234567890,"message":"no"}}`
    ),
    refusal("error: header not found", -32000, "header not found", "RemoteError -32000 notFound"),
    refusal("error: state is pruned", -32000, "missing trie node 5ec2e7 (path 0a)", "RemoteError -32000 pruned"),
    refusal(
      "error: no such method",
      -32601,
      "the method eth_getTransactionByHash does not exist/is not available",
      "RemoteError -32601 methodNotFound"
    ),
    refusal("error: invalid parameters", -32602, "invalid argument 0: hex string", "RemoteError -32602 invalidParams"),
    refusal("error: internal", -32603, "panic in the database", "RemoteError -32603 internal"),
    refusal(
      "error: -32005 rate",
      -32005,
      "project ID request rate exceeded",
      "RemoteError -32005 rateLimited, retryable, after 30 s",
      {
        data: {
          see: "https://infura.io/docs/ethereum/jsonrpc/ratelimits",
          current_rps: 13.333,
          allowed_rps: 10,
          backoff_seconds: 30
        }
      }
    ),
    refusal(
      "error: -32005 day's quota",
      -32005,
      "daily request count exceeded, request rate limited",
      "RemoteError -32005 quotaExceeded"
    ),
    refusal(
      "error: -32005 too many results",
      -32005,
      "query returned more than 10000 results",
      "RemoteError -32005 tooLarge"
    ),
    refusal("error: 429 with status 200", 429, "Too Many Requests", "RemoteError 429 rateLimited, retryable", {
      event: -33_200
    }),
    refusal(
      "error: -32007 per second",
      -32007,
      "50/second request limit reached",
      "RemoteError -32007 rateLimited, retryable"
    ),
    refusal(
      "error: -32011 no backend",
      -32011,
      "no backend is currently healthy to serve traffic",
      "RemoteError -32011 unavailable, retryable"
    ),
    refusal(
      "error: -32016 timeout of Nethermind",
      -32016,
      "the request was cancelled",
      "RemoteError -32016 timedOut, retryable"
    ),
    {
      name: "error: it repeats the URL",
      read: "transaction",
      server: saying(({ call, url }) => JSON.stringify(failure(call.id, -32000, `${url} does not answer`))),
      words: "does not answer",
      ours: "RemoteError -32000 other"
    }
  ]
}
