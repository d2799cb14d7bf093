/**
 * The `error` member of a JSON-RPC response: a code, a short text and optional data.
 *
 * It is a plain value: what a server answers with, and what a handler fails with. A client sees it as
 * `JsonRpcError.RemoteError`.
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
import * as ErrorCode from "./ErrorCode.ts"

/** The `error` member of a response. `data` is any JSON value; what is not JSON is left out when it is written. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * An error object of any code.
 *
 * ```ts import.meta.vitest
 * import { ErrorObject } from "@plumbline/jsonrpc-core"
 *
 * ErrorObject.make(-32000, "header not found") // => { code: -32000, message: "header not found" }
 * ErrorObject.make(-32005, "limit exceeded", { backoff: 30 }).data // => { backoff: 30 }
 * ```
 */
export const make = (code: number, message: string = ErrorCode.text(code), data?: unknown): ErrorObject =>
  data === undefined ? { code, message } : { code, message, data }

/** -32700: the text is not JSON. */
export const parseError = (message?: string): ErrorObject => make(ErrorCode.PARSE_ERROR, message)

/** -32600: the JSON is not a request. */
export const invalidRequest = (message?: string): ErrorObject => make(ErrorCode.INVALID_REQUEST, message)

/**
 * -32601, in geth's words.
 *
 * ```ts import.meta.vitest
 * import { ErrorObject } from "@plumbline/jsonrpc-core"
 *
 * ErrorObject.methodNotFound("eth_foo").message // => "the method eth_foo does not exist/is not available"
 * ```
 */
export const methodNotFound = (method: string): ErrorObject =>
  make(ErrorCode.METHOD_NOT_FOUND, `the method ${method} does not exist/is not available`)

/** -32602: the parameters are not those of the method; the text says which and why. */
export const invalidParams = (message?: string): ErrorObject => make(ErrorCode.INVALID_PARAMS, message)

/** -32603: the server failed. It never says more than that: the reason goes to the operator, not to the caller. */
export const internalError = (): ErrorObject => make(ErrorCode.INTERNAL_ERROR)
