/**
 * Reads the data that solc's syntax tree adds to a layout.
 *
 * A node's id is unique within one run of the compiler, and the layout refers to it: in `astId`, and at the end of the
 * ids of types. These ids connect the tree with the layout, and reveal a tree from another run.
 */
import { LayoutError } from "./LayoutError.ts"

/** A node of the tree. Its fields are unknown until they are read. */
export interface Node {
  readonly [field: string]: unknown
}

/** The relevant nodes by id, and the names of the contracts that contain declarations. */
export interface Index {
  readonly nodes: ReadonlyMap<number, Node>
  /** For the id of each declaration, the name of the contract that contains the declaration. */
  readonly declaredIn: ReadonlyMap<number, string>
}

const KINDS: ReadonlySet<unknown> = new Set([
  "ContractDefinition",
  "EnumDefinition",
  "StructDefinition",
  "UserDefinedValueTypeDefinition",
  "VariableDeclaration"
])

/** Indexes the trees of all sources. Walks them without recursion, because expressions can be nested deeply. */
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

/**
 * Returns the node with the id; undefined if the trees do not have the id. The node must have this kind and this name.
 */
export const definition = ({ nodes }: Index, id: number, kind: string, name: string): Node | undefined => {
  const node = nodes.get(id)
  if (node === undefined) return undefined
  if (node["nodeType"] !== kind || node["name"] !== name) throw wrong(`node ${id} is not the ${kind} ${name}`)
  return node
}

/** Returns the type that a user-defined value type stands for, such as `uint96`. */
export const underlying = (node: Node): string | undefined => typeString(record(node["underlyingType"]))

/** Returns the names of an enum's members, in order. */
export const members = (node: Node): ReadonlyArray<string> =>
  list(node["members"]).map((member) => String(member["name"]))

/** Returns the full text that the compiler writes for a type's name in the source. */
export const typeString = (typeName: Node): string | undefined => {
  const text = record(typeName["typeDescriptions"])["typeString"]
  return typeof text === "string" ? text : undefined
}

/** Returns the id of a struct's namespace, if its documentation names one: `@custom:storage-location erc7201:<id>`. */
export const namespace = (struct: Node): string | undefined => {
  const documentation = struct["documentation"]
  const text = typeof documentation === "string" ? documentation : record(documentation)["text"]
  return typeof text === "string" ? /@custom:storage-location\s+erc7201:(\S+)/.exec(text)?.[1] : undefined
}

/** Returns an object as a node, and any other value as an empty node. */
export const record = (value: unknown): Node => (typeof value === "object" && value !== null ? (value as Node) : {})

/** Returns the objects of a list; any other value gives an empty list. */
export const list = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.map(record) : [])

export const wrong = (detail: string): LayoutError =>
  new LayoutError({ reason: "WrongAst", detail: `the syntax tree is not that of the layout: ${detail}` })
