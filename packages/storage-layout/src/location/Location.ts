/** Computes the locations of values that paths name, from the layout alone. */
import type * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as Path from "../path/Path.ts"
import type { PathError } from "../path/PathError.ts"
import * as FollowPath from "./followPath.ts"
import type { Location } from "./storagePlace.ts"

export type { LengthBound, Location } from "./storagePlace.ts"

/**
 * Locates the value that a path names. Needs no words of storage.
 *
 * **Details**
 *
 * Indices of dynamic arrays are not checked, because the length is in storage. They are returned in `bounds`; a `Plan`
 * reads the lengths and compares the indices with them.
 *
 * Fails with `PathError`, which has the position of the first wrong character.
 *
 * ```ts import.meta.vitest
 * import { Layout, Location } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const word = { encoding: "inplace", label: "uint256", numberOfBytes: "32" }
 * const key = { encoding: "inplace", label: "address", numberOfBytes: "20" }
 * const balances = { encoding: "mapping", label: "", numberOfBytes: "32", key: "t_address", value: "t_uint256" }
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [{ label: "balanceOf", offset: 0, slot: "3", type: "t_balances" }],
 *     types: { t_uint256: word, t_address: key, t_balances: balances }
 *   })
 * )
 * const path = "balanceOf[0x00000000219ab540356cbb839cbe05303d7705fa]"
 * const location = Result.getOrThrow(Location.locate(layout, path))
 * location.type.label // => "uint256"
 * const wrong = Location.locate(layout, "balanceOf[7]")
 * Result.isFailure(wrong) && wrong.failure.at // => 10
 * ```
 */
export const locate = (layout: Layout, path: string | Path.ParsedPath): Result.Result<Location, PathError> =>
  FollowPath.walk(layout, path)
