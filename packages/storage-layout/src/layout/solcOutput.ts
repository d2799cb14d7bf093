/** Finds a contract's layout and the syntax trees in solc's standard JSON output. */
import * as Schema from "effect/Schema"

import { decoder } from "./compilerJson.ts"
import { LayoutError } from "./LayoutError.ts"
import type { StorageArea } from "./layoutModel.ts"

const Output = Schema.Struct({
  contracts: Schema.Record(
    Schema.String,
    Schema.Record(
      Schema.String,
      Schema.Struct({
        storageLayout: Schema.optionalKey(Schema.Unknown),
        transientStorageLayout: Schema.optionalKey(Schema.Unknown)
      })
    )
  ),
  sources: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ ast: Schema.optionalKey(Schema.Unknown) })))
})

const decode = /* @__PURE__ */ decoder("output", Output)

/** Returns the layout of the contract, undecoded, and the trees of all sources. */
export const find = (
  json: unknown,
  wanted: string,
  area: StorageArea
): { readonly layout: unknown; readonly ast: ReadonlyArray<unknown>; readonly contract: string } => {
  const output = decode(json)
  const found = Object.entries(output.contracts).flatMap(([source, contracts]) =>
    Object.entries(contracts)
      .filter(([name]) => wanted === name || wanted === `${source}:${name}`)
      .map(([name, contract]) => ({ contract, name: `${source}:${name}` }))
  )
  const [first, second] = found
  if (first === undefined) {
    throw new LayoutError({ reason: "NoContract", detail: `no contract ${wanted} in the compiler's output` })
  }
  if (second !== undefined) {
    const names = found.map(({ name }) => name).join(", ")
    throw new LayoutError({ reason: "AmbiguousContract", detail: `${wanted} may be any of ${names}` })
  }
  const key = area === "storage" ? "storageLayout" : "transientStorageLayout"
  const layout = first.contract[key]
  if (layout === undefined) {
    throw new LayoutError({ reason: "NoContract", detail: `the compiler's output has no ${key} of ${first.name}` })
  }
  const ast = Object.values(output.sources ?? {}).flatMap((source) => (source.ast === undefined ? [] : [source.ast]))
  return { layout, ast, contract: first.name }
}
