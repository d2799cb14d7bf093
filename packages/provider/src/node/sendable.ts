/** Writes results for callers. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Result from "effect/Result"

import * as ProviderRefusal from "./ProviderRefusal.ts"

/**
 * Returns the wire form of a result, or the error of a result that has none. The result is made of the node's answers,
 * so the node is at fault.
 */
export const sendable = (method: Method.Any, result: unknown): Result.Result<unknown, ErrorObject> =>
  Result.mapError(JsonRpcServer.encodeResult(method, result), (fault) =>
    ProviderRefusal.failed(new JsonRpcError({ method: method.name, reason: new DecodeError(fault) }))
  )
