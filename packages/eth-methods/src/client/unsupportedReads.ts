/** Distinguishes a node's permanent refusals from ordinary faults. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"

/**
 * True if the node refuses permanently: it lacks the method, or has deleted the state. That is not a lie. A limit or a
 * timeout is a fault instead: the node may answer the same question a moment later.
 */
export const isUnsupported = (error: JsonRpcError | RefutedError): boolean =>
  error._tag === "JsonRpcError" && error.reason._tag === "RemoteError" && !error.retryable

/** True if the node lacks the method. */
export const lacksMethod = (error: JsonRpcError | RefutedError): boolean =>
  error._tag === "JsonRpcError" && error.reason._tag === "RemoteError" && error.reason.kind === "methodNotFound"
