/** The error of reading data that a bundle does not contain. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * The bundle does not contain the data for an answer. This error never means absence, which a bundle proves with its
 * trie nodes.
 *
 * `wanted` is the subject of the call. `missing` is the CID of the missing block of the bundle, or a description of
 * anything else, such as another block of the chain.
 *
 * ```ts import.meta.vitest
 * import { NotInBundleError } from "@plumbline/proof-bundle"
 *
 * const error = new NotInBundleError.NotInBundleError({ wanted: "the code of 0x00..05", missing: "bafkrwi..." })
 * error.message // => "the bundle does not hold the code of 0x00..05: it has no bafkrwi..."
 * ```
 */
export class NotInBundleError extends Schema.TaggedError<NotInBundleError>()("NotInBundleError", {
  wanted: Schema.String,
  missing: Schema.String
}) {
  override get message(): string {
    return `the bundle does not hold ${this.wanted}: it has no ${this.missing}`
  }
}

/**
 * Converts the error for the clients of a chain. They fail with error -32001 of the node, which has this error as its
 * data.
 */
export const toJsonRpcError = (method: string, error: NotInBundleError): JsonRpcError =>
  new JsonRpcError({
    method,
    reason: new RemoteError({
      code: ErrorCode.RESOURCE_NOT_FOUND,
      message: error.message,
      data: { notInBundle: { wanted: error.wanted, missing: error.missing } }
    })
  })

/**
 * Returns the `NotInBundleError` in the error of a bundle's client, or undefined for any other error.
 *
 * ```ts import.meta.vitest
 * import { NotInBundleError } from "@plumbline/proof-bundle"
 *
 * const missing = new NotInBundleError.NotInBundleError({ wanted: "block 7", missing: "block but one" })
 * const error = NotInBundleError.toJsonRpcError("eth_getBlockByNumber", missing)
 * NotInBundleError.fromError(error)?.wanted // => "block 7"
 * NotInBundleError.fromError(new Error("another")) // => undefined
 * ```
 */
export const fromError = (error: unknown): NotInBundleError | undefined => {
  if (!(error instanceof JsonRpcError) || error.reason._tag !== "RemoteError") return undefined
  const data = decode(error.reason.data)
  return Result.isSuccess(data) ? new NotInBundleError(data.success.notInBundle) : undefined
}

const decode = /* @__PURE__ */ Schema.decodeUnknownResult(
  Schema.Struct({ notInBundle: Schema.Struct({ wanted: Schema.String, missing: Schema.String }) })
)
