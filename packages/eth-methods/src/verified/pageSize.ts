/** The size of a page of logs. */
import { EncodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"

/** Returns the size as a whole number of blocks, at least 1; undefined if it is no number. */
export const sizeOf = (pageBlocks: number): bigint | undefined =>
  Number.isNaN(pageBlocks) ? undefined : BigInt(Math.floor(Math.min(Math.max(pageBlocks, 1), MOST)))

/** More blocks than a chain has. */
const MOST = 2 ** 48

/** Returns the error of a size that is no number. */
export const invalid = (method: string): JsonRpcError =>
  new JsonRpcError({ method, reason: new EncodeError({ path: ["pageBlocks"], detail: "must be a number" }) })
