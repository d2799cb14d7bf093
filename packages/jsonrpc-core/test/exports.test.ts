import { expect, it } from "@effect/vitest"
import * as JsonRpcCore from "@plumbline/jsonrpc-core"

it("exports what it promises, and nothing by accident", () => {
  const names = Object.entries(JsonRpcCore).map(([module, members]) => [module, Object.keys(members).sort().join(" ")])
  expect(Object.fromEntries(names)).toMatchInlineSnapshot(`
    {
      "Dispatcher": "defaultLimits make",
      "ErrorCode": "INTERNAL_ERROR INVALID_INPUT INVALID_PARAMS INVALID_REQUEST LIMIT_EXCEEDED METHOD_NOT_FOUND METHOD_NOT_SUPPORTED PARSE_ERROR RESOURCE_NOT_FOUND RESOURCE_UNAVAILABLE TRANSACTION_REJECTED VERSION_NOT_SUPPORTED text",
      "ErrorObject": "internalError invalidParams invalidRequest make methodNotFound parseError",
      "HttpTransport": "DEFAULT_MAX_BYTES DEFAULT_TIMEOUT layer make",
      "JsonRpcClient": "make",
      "JsonRpcError": "DecodeError EncodeError JsonRpcError ProtocolError Reason RemoteError TimeoutError TransportError isRetryableStatus",
      "JsonRpcServer": "checkParams make",
      "MemoryTransport": "layer make",
      "Message": "MAX_METHOD_LENGTH NULL_ID batchBytes defaultLimits failureBytes locate makeId parse successBytes",
      "Method": "make param",
      "MethodGroup": "make merge",
      "Transport": "Transport",
    }
  `)
})
