/** A node that answers about other blocks, accounts or slots than the requested ones. */
import type { Node } from "./node.ts"
import type { World } from "./world.ts"

/** Returns a node that replaces names in the parameters: of blocks, accounts and slots. */
export const renamed = (world: World, names: Readonly<Record<string, string>>): Node => {
  const other = (parameter: unknown): any => {
    if (typeof parameter === "string") return names[parameter] ?? parameter
    if (typeof parameter !== "object" || parameter === null || Array.isArray(parameter)) return parameter
    return Object.fromEntries(Object.entries(parameter).map(([name, value]) => [name, other(value)]))
  }
  return (method, params) => world.node(method, params.map(other))
}
