/** A node that answers about other things than it was asked about. */
import type { Node } from "./node.ts"
import type { World } from "./world.ts"

/** Returns a node that takes each name in the parameters for another one: of a block, an account or a slot. */
export const renamed = (world: World, names: Readonly<Record<string, string>>): Node => {
  const other = (parameter: unknown): any => {
    if (typeof parameter === "string") return names[parameter] ?? parameter
    if (typeof parameter !== "object" || parameter === null || Array.isArray(parameter)) return parameter
    return Object.fromEntries(Object.entries(parameter).map(([name, value]) => [name, other(value)]))
  }
  return (method, params) => world.node(method, params.map(other))
}
