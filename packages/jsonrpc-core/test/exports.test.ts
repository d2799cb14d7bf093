import { expect, it } from "@effect/vitest"
import * as JsonRpcCore from "@plumbline/jsonrpc-core"

it("exports what it promises, and nothing by accident", () => {
  const names = Object.entries(JsonRpcCore).map(([module, members]) => [module, Object.keys(members).sort().join(" ")])
  expect(Object.fromEntries(names)).toMatchInlineSnapshot(`
    {
      "Backoff": "delay",
      "Batching": "defaults make",
      "CircuitBreaker": "defaults isIllness make",
      "Connection": "defaults make",
      "Dedupe": "make",
      "Dispatcher": "defaults make",
      "ErrorCode": "INTERNAL_ERROR INVALID_INPUT INVALID_PARAMS INVALID_REQUEST LIMIT_EXCEEDED METHOD_NOT_FOUND METHOD_NOT_SUPPORTED PARSE_ERROR RESOURCE_NOT_FOUND RESOURCE_UNAVAILABLE TRANSACTION_REJECTED VERSION_NOT_SUPPORTED text",
      "ErrorObject": "internalError invalidParams invalidRequest make methodNotFound parseError",
      "Fallback": "anotherMayAnswer make",
      "GoDuration": "toMillis",
      "Hedge": "make",
      "HttpClientTransport": "defaults layer make",
      "HttpTransport": "defaults layer make",
      "JsonBytes": "CLOSE_BRACKET COMMA OPEN_BRACKET itemsOf locate membersOf parse valueEnd",
      "JsonRpcClient": "all encodeParams make subscribe toJson",
      "JsonRpcError": "AnswerOfNode DecodeError DisagreementError EncodeError JsonRpcError MovedError OptionsError ProtocolError Reason RemoteError TimeoutError TransportError isRetryableStatus",
      "JsonRpcServer": "checkParams decodeParams encodeResult make source",
      "MemoryTransport": "defaults layer make",
      "Message": "MAX_METHOD_LENGTH NULL_ID batchBytes defaults failureBytes join locate makeId parse reader refuse successBytes",
      "Method": "make param",
      "MethodGroup": "make merge",
      "Monotonic": "millis",
      "Observe": "errorType make",
      "OpenRpc": "document",
      "PromiseClient": "create",
      "Quorum": "canonical make",
      "RateLimit": "defaults make",
      "RemoteKind": "isNotDone of rules",
      "RestPeriods": "LONGEST_REST RestPeriods",
      "Retry": "defaults make",
      "RetryAfter": "ofError parse",
      "Stack": "defaults layer make node",
      "Subscription": "make",
      "Subscriptions": "Subscriptions",
      "Timeout": "make",
      "Traceparent": "isTraced of ofSpan",
      "Transport": "Transport oneByOne through",
      "UndiciTransport": "defaults layer make",
      "UrlTransport": "layer",
      "WebSocketTransport": "defaults layer make",
    }
  `)
})
