/** The error of who asks a bundle for what it does not hold. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/**
 * The bundle does not hold what an answer needs. That is never absence: a bundle proves absence by the nodes that show
 * it.
 *
 * `wanted` says what was looked for, `missing` what is not there: the CID of a block of the bundle, or in words what is no
 * single block, such as another block of the chain.
 *
 * ```ts import.meta.vitest
 * import { NotInBundle } from "@plumbline/proof-bundle"
 *
 * const error = new NotInBundle.NotInBundle({ wanted: "the code of 0x00..05", missing: "bafkrwi..." })
 * error.message // => "the bundle does not hold the code of 0x00..05: it has no bafkrwi..."
 * ```
 */
export class NotInBundle extends Schema.TaggedError<NotInBundle>()("NotInBundle", {
  wanted: Schema.String,
  missing: Schema.String
}) {
  override get message(): string {
    return `the bundle does not hold ${this.wanted}: it has no ${this.missing}`
  }
}

/** As a client of a chain fails with it: an error of the node, -32001, which holds it as data. */
export const toJsonRpcError = (method: string, error: NotInBundle): JsonRpcError =>
  new JsonRpcError({
    method,
    reason: new RemoteError({
      code: ErrorCode.RESOURCE_NOT_FOUND,
      message: error.message,
      data: { notInBundle: { wanted: error.wanted, missing: error.missing } }
    })
  })

/**
 * What a client of a bundle failed for, if it is that the bundle does not hold something.
 *
 * ```ts import.meta.vitest
 * import { NotInBundle } from "@plumbline/proof-bundle"
 *
 * const missing = new NotInBundle.NotInBundle({ wanted: "block 7", missing: "block but one" })
 * const error = NotInBundle.toJsonRpcError("eth_getBlockByNumber", missing)
 * NotInBundle.fromError(error)?.wanted // => "block 7"
 * NotInBundle.fromError(new Error("another")) // => undefined
 * ```
 */
export const fromError = (error: unknown): NotInBundle | undefined => {
  if (!(error instanceof JsonRpcError) || error.reason._tag !== "RemoteError") return undefined
  const data = decode(error.reason.data)
  return Result.isSuccess(data) ? new NotInBundle(data.success.notInBundle) : undefined
}

const decode = /* @__PURE__ */ Schema.decodeUnknownResult(
  Schema.Struct({ notInBundle: Schema.Struct({ wanted: Schema.String, missing: Schema.String }) })
)
