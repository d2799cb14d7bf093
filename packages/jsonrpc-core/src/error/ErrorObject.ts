/**
 * The `error` member of a JSON-RPC response: a code, a short text and optional data.
 *
 * It is a plain value. A server answers with it, and a handler fails with it. A client sees it as
 * `JsonRpcError.RemoteError`.
 *
 * Source: JSON-RPC 2.0 section 5.1.
 */
import * as ErrorCode from "./ErrorCode.ts"

/** The `error` member of a response. `data` is any JSON value; data that is not JSON is left out of the response. */
export interface ErrorObject {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * Makes an error object of any code.
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

/** Makes error -32700: the text is not JSON. */
export const parseError = (message?: string): ErrorObject => make(ErrorCode.PARSE_ERROR, message)

/** Makes error -32600: the JSON is not a request. */
export const invalidRequest = (message?: string): ErrorObject => make(ErrorCode.INVALID_REQUEST, message)

/**
 * Makes error -32601, in geth's words: the method does not exist or is not available.
 *
 * ```ts import.meta.vitest
 * import { ErrorObject } from "@plumbline/jsonrpc-core"
 *
 * ErrorObject.methodNotFound("eth_foo").message // => "the method eth_foo does not exist/is not available"
 * ```
 */
export const methodNotFound = (method: string): ErrorObject =>
  make(ErrorCode.METHOD_NOT_FOUND, `the method ${method} does not exist/is not available`)

/** Makes error -32602: the parameters do not fit the method. The text says which one is wrong, and why. */
export const invalidParams = (message?: string): ErrorObject => make(ErrorCode.INVALID_PARAMS, message)

/** Makes error -32603: the server failed. The reason goes to the operator, never to the caller. */
export const internalError = (): ErrorObject => make(ErrorCode.INTERNAL_ERROR)
