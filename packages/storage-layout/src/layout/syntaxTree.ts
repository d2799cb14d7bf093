/**
 * What solc's syntax tree adds to a layout.
 *
 * Nodes have ids that are unique in one run of the compiler, and the layout names them: in `astId`, and at the end of
 * the ids of types. That is how the two are put together, and how trees of another run are found out.
 */
import { LayoutError } from "./LayoutError.ts"

/** A node, of which nothing is known but what is asked for. */
export interface Node {
  readonly [field: string]: unknown
}

/** The nodes that matter, by id, and the names of the contracts that declare things. */
export interface Index {
  readonly nodes: ReadonlyMap<number, Node>
  /** The contract's name, by the id of what it declares. */
  readonly declaredIn: ReadonlyMap<number, string>
}

const KINDS: ReadonlySet<unknown> = new Set([
  "ContractDefinition",
  "EnumDefinition",
  "StructDefinition",
  "UserDefinedValueTypeDefinition",
  "VariableDeclaration"
])

/** Walks the trees of all sources, without recursion: they are deep where expressions are. */
export const index = (trees: ReadonlyArray<unknown>): Index => {
  const nodes = new Map<number, Node>()
  const declaredIn = new Map<number, string>()
  const rest: Array<unknown> = [...trees]
  while (rest.length > 0) {
    const value = rest.pop()
    if (typeof value !== "object" || value === null) continue
    const node = value as Node
    const { id, name, nodes: members, nodeType } = node
    if (typeof id === "number" && KINDS.has(nodeType)) {
      nodes.set(id, node)
      if (nodeType === "ContractDefinition" && typeof name === "string") {
        for (const member of list(members)) if (typeof member["id"] === "number") declaredIn.set(member["id"], name)
      }
    }
    for (const child of Object.values(value)) if (typeof child === "object") rest.push(child)
  }
  return { nodes, declaredIn }
}

/** The node with the id, which must be of this kind and have this name; undefined if the trees do not have the id. */
export const definition = ({ nodes }: Index, id: number, kind: string, name: string): Node | undefined => {
  const node = nodes.get(id)
  if (node === undefined) return undefined
  if (node["nodeType"] !== kind || node["name"] !== name) throw wrong(`node ${id} is not the ${kind} ${name}`)
  return node
}

/** `uint96`: the type that a user-defined value type stands for. */
export const underlying = (node: Node): string | undefined => typeString(record(node["underlyingType"]))

/** The names of an enum's members, in order. */
export const members = (node: Node): ReadonlyArray<string> =>
  list(node["members"]).map((member) => String(member["name"]))

/** The type that a type's name in the source means, as the compiler writes it in full. */
export const typeString = (typeName: Node): string | undefined => {
  const text = record(typeName["typeDescriptions"])["typeString"]
  return typeof text === "string" ? text : undefined
}

/** The id of a struct's namespace, if its documentation gives one: `@custom:storage-location erc7201:<id>`. */
export const namespace = (struct: Node): string | undefined => {
  const documentation = struct["documentation"]
  const text = typeof documentation === "string" ? documentation : record(documentation)["text"]
  return typeof text === "string" ? /@custom:storage-location\s+erc7201:(\S+)/.exec(text)?.[1] : undefined
}

/** What is an object, as a node, and an empty node for what is not. */
export const record = (value: unknown): Node => (typeof value === "object" && value !== null ? (value as Node) : {})

/** The objects of what is a list. */
export const list = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.map(record) : [])

export const wrong = (detail: string): LayoutError =>
  new LayoutError({ reason: "WrongAst", detail: `the syntax tree is not that of the layout: ${detail}` })
