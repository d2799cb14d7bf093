/** The error with which `request` rejects, in the form of EIP-1193. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"

/**
 * A request was refused or failed. `code` and `data` come from `ProviderRefusal` or from the node.
 *
 * Source: EIP-1193 "ProviderRpcError".
 *
 * ```ts import.meta.vitest
 * import { ProviderRpcError } from "@plumbline/provider"
 *
 * const error = new ProviderRpcError.ProviderRpcError({ code: 4200, message: "no keys here" })
 * error instanceof Error // => true
 * error.code // => 4200
 * ```
 */
export class ProviderRpcError extends Error {
  override readonly name = "ProviderRpcError"
  readonly code: number
  readonly data?: unknown

  constructor({ code, data, message }: ErrorObject) {
    super(message)
    this.code = code
    if (data !== undefined) this.data = data
  }
}
