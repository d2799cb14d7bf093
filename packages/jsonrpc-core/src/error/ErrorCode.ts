/**
 * Error codes of JSON-RPC 2.0 and EIP-1474, with their default texts.
 *
 * The standard reserves -32768..-32000. The standard itself defines the five codes from -32700 to -32600. It leaves
 * -32000..-32099 to servers, and EIP-1474 defines the first seven of these codes. Texts are in lower case, as in geth.
 *
 * Sources: JSON-RPC 2.0 section 5.1, EIP-1474 "Error codes".
 */

/** The text is not JSON. */
export const PARSE_ERROR = -32700

/** The JSON is not a request. */
export const INVALID_REQUEST = -32600

/** The method does not exist or is not available. */
export const METHOD_NOT_FOUND = -32601

/** The parameters do not fit the method. */
export const INVALID_PARAMS = -32602

/** The server failed for an internal reason. */
export const INTERNAL_ERROR = -32603

/** EIP-1474: missing or invalid parameters; geth's default for any error without a code. */
export const INVALID_INPUT = -32000

/** EIP-1474: the requested resource was not found. */
export const RESOURCE_NOT_FOUND = -32001

/** EIP-1474: the requested resource is not available now. */
export const RESOURCE_UNAVAILABLE = -32002

/** EIP-1474: the transaction was not created. */
export const TRANSACTION_REJECTED = -32003

/** EIP-1474: the method is not implemented. */
export const METHOD_NOT_SUPPORTED = -32004

/** EIP-1474: the request exceeds a defined limit. */
export const LIMIT_EXCEEDED = -32005

/** EIP-1474: this version of the protocol is not supported. */
export const VERSION_NOT_SUPPORTED = -32006

/**
 * Returns the default text of a code.
 *
 * For a code of the server range without a default text it is "server error"; for any other code, "unknown error".
 *
 * ```ts import.meta.vitest
 * import { ErrorCode } from "@plumbline/jsonrpc-core"
 *
 * ErrorCode.text(-32700) // => "parse error"
 * ErrorCode.text(ErrorCode.LIMIT_EXCEEDED) // => "limit exceeded"
 * ErrorCode.text(-32050) // => "server error"
 * ErrorCode.text(3) // => "unknown error"
 * ```
 */
export const text = (code: number): string =>
  texts.get(code) ?? (code >= -32099 && code <= -32000 ? "server error" : "unknown error")

const texts: ReadonlyMap<number, string> = /* @__PURE__ */ new Map([
  [PARSE_ERROR, "parse error"],
  [INVALID_REQUEST, "invalid request"],
  [METHOD_NOT_FOUND, "method not found"],
  [INVALID_PARAMS, "invalid params"],
  [INTERNAL_ERROR, "internal error"],
  [INVALID_INPUT, "invalid input"],
  [RESOURCE_NOT_FOUND, "resource not found"],
  [RESOURCE_UNAVAILABLE, "resource unavailable"],
  [TRANSACTION_REJECTED, "transaction rejected"],
  [METHOD_NOT_SUPPORTED, "method not supported"],
  [LIMIT_EXCEEDED, "limit exceeded"],
  [VERSION_NOT_SUPPORTED, "JSON-RPC version not supported"]
])
