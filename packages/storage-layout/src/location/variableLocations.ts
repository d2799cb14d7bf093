/** Locates the variables of a layout, each with a path that leads to it. */
import * as Result from "effect/Result"

import type { Layout, Variable } from "../layout/Layout.ts"
import * as FollowPath from "./followPath.ts"
import * as StoragePlace from "./storagePlace.ts"

/** Finds a variable by its name, or by its contract and its name; undefined if neither path leads to this variable. */
export const locate = (layout: Layout, variable: Variable): StoragePlace.Location | undefined => {
  const { declaredIn, name } = variable
  const place = StoragePlace.at(layout.types.get(variable.type)!, variable.slot, variable.offset, [])
  for (const path of declaredIn === undefined ? [name] : [name, `${declaredIn}.${name}`]) {
    const found = FollowPath.walk(layout, path)
    if (Result.isFailure(found)) continue
    const { offset, slot, type } = found.success
    if (slot === place.slot && offset === place.offset && type === place.type) return found.success
  }
  return undefined
}

/** Returns the path of a namespace. */
export const pathOfNamespace = (id: string): string => `erc7201(${JSON.stringify(id)})`
