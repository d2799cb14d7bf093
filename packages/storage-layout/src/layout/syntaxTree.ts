/**
 * Reads the data that solc's syntax tree adds to a layout.
 *
 * A node's id is unique within one run of the compiler, and the layout refers to it: in `astId`, and at the end of the
 * ids of types. These ids connect the tree with the layout, and reveal a tree from another run.
 */
import { LayoutError } from "./LayoutError.ts"

/** A node of the tree. Its fields are unknown until they are read. */
export interface SyntaxNode {
  readonly [field: string]: unknown
}

/** The relevant nodes by id, and how they belong together. */
export interface SyntaxIndex {
  readonly nodes: ReadonlyMap<number, SyntaxNode>
  /** For the id of each declaration, the name of the contract that contains the declaration. */
  readonly declaredIn: ReadonlyMap<number, string>
  /** For the id of each member of a contract, the contract. */
  readonly contracts: ReadonlyMap<number, SyntaxNode>
  /** For the id of each contract, the path of its source. */
  readonly sources: ReadonlyMap<number, string>
  /** For the id of each contract and of each function outside of contracts, the ids of the declarations that it names. */
  readonly names: ReadonlyMap<number, ReadonlySet<number>>
  /** The definitions of contracts, by name. */
  readonly called: ReadonlyMap<unknown, ReadonlyArray<SyntaxNode>>
  /** The relevant nodes that are members of contracts: state variables and structs, but no local variables. */
  readonly members: ReadonlyArray<{ readonly node: SyntaxNode; readonly owner: number }>
}

const KINDS: ReadonlySet<unknown> = new Set([
  "ContractDefinition",
  "EnumDefinition",
  "StructDefinition",
  "UserDefinedValueTypeDefinition",
  "VariableDeclaration"
])

/** Maximum number of levels of a tree. A long chain of operators has one level for each operator. */
const MAX_LEVELS = 1 << 16

/** A value of the tree, with the source and the top-level definition that contain it. */
interface Inside {
  readonly value: object
  /** The number of values that contain this one. */
  readonly level: number
  readonly source: string | undefined
  readonly names: Set<number> | undefined
}

/**
 * Indexes the trees of all sources. Walks them without recursion, because expressions can be nested deeply. A tree that
 * contains itself has too many levels.
 */
export const index = (trees: ReadonlyArray<unknown>): SyntaxIndex => {
  const nodes = new Map<number, SyntaxNode>()
  const declaredIn = new Map<number, string>()
  const contracts = new Map<number, SyntaxNode>()
  const sources = new Map<number, string>()
  const names = new Map<number, Set<number>>()
  const rest: Array<Inside> = []
  const add = (value: unknown, level: number, source: string | undefined, names: Set<number> | undefined) => {
    if (typeof value === "object" && value !== null) rest.push({ value, level, source, names })
  }
  for (const tree of trees) add(tree, 0, undefined, undefined)
  for (let inside = rest.pop(); inside !== undefined; inside = rest.pop()) {
    if (inside.level > MAX_LEVELS) {
      throw new LayoutError({ reason: "Malformed", detail: `the syntax tree has more than ${MAX_LEVELS} levels` })
    }
    const node = inside.value as SyntaxNode
    const { absolutePath, function: operator, id, name, nodes: members, nodeType, referencedDeclaration } = node
    const source = nodeType === "SourceUnit" && typeof absolutePath === "string" ? absolutePath : inside.source
    let named = inside.names
    if (typeof id === "number") {
      if (KINDS.has(nodeType)) nodes.set(id, node)
      if (named === undefined && (nodeType === "ContractDefinition" || nodeType === "FunctionDefinition")) {
        names.set(id, (named = new Set()))
      }
      if (nodeType === "ContractDefinition") {
        if (source !== undefined) sources.set(id, source)
        for (const { id: member } of list(members)) {
          if (typeof member !== "number") continue
          contracts.set(member, node)
          if (typeof name === "string") declaredIn.set(member, name)
        }
      }
    }
    if (typeof referencedDeclaration === "number") named?.add(referencedDeclaration)
    // a function that a contract uses as an operator
    if (typeof operator === "number") named?.add(operator)
    for (const child of Object.values(node)) add(child, inside.level + 1, source, named)
  }
  const all = [...nodes.values()]
  const defined = all.filter(({ nodeType }) => nodeType === "ContractDefinition")
  const called = Map.groupBy(defined, ({ name }): unknown => name)
  const owned = all.flatMap((node) => {
    const owner = contracts.get(Number(node["id"]))
    return owner === undefined ? [] : [{ node, owner: Number(owner["id"]) }]
  })
  return { nodes, declaredIn, contracts, sources, names, called, members: owned }
}

/**
 * Returns the contract of a name such as `Vault.sol:Vault` or `Vault`. Returns undefined if the trees do not have it, or
 * if several sources have it and the name does not say which one.
 */
export const contract = ({ called, sources }: SyntaxIndex, fullName: string | undefined): SyntaxNode | undefined => {
  const colon = fullName?.lastIndexOf(":") ?? -1
  const named = called.get(fullName?.slice(colon + 1)) ?? []
  const inSource = named.filter(({ id }) => sources.get(Number(id)) === fullName?.slice(0, Math.max(colon, 0)))
  const found = inSource.length > 0 ? inSource : named
  return found.length === 1 ? found[0] : undefined
}

/** Returns the ids of a contract and of the contracts from which it inherits, the most derived one first. */
export const basesOf = (contract: SyntaxNode | undefined): ReadonlyArray<number> => {
  const bases = contract?.["linearizedBaseContracts"]
  return Array.isArray(bases) ? bases.filter((id) => typeof id === "number") : []
}

/**
 * Returns the ids of the contract, its bases, and the libraries that their code uses, directly or through other
 * libraries and functions outside of contracts.
 */
export const reachedFrom = (index: SyntaxIndex, contract: SyntaxNode | undefined): ReadonlySet<number> => {
  const reached = new Set(basesOf(contract))
  for (const id of reached) {
    for (const named of index.names.get(id) ?? []) {
      const owner = index.contracts.get(named) ?? index.nodes.get(named)
      if (owner?.["contractKind"] === "library") reached.add(Number(owner["id"]))
      else if (index.names.has(named) && !index.nodes.has(named)) reached.add(named)
    }
  }
  return reached
}

/**
 * Returns the node with the id; undefined if the trees do not have the id. The node must have this kind and this name.
 */
export const definition = ({ nodes }: SyntaxIndex, id: number, kind: string, name: string): SyntaxNode | undefined => {
  const node = nodes.get(id)
  if (node === undefined) return undefined
  if (node["nodeType"] !== kind || node["name"] !== name) throw mismatch(`node ${id} is not the ${kind} ${name}`)
  return node
}

/** Returns the type that a user-defined value type stands for, such as `uint96`. */
export const underlying = (node: SyntaxNode): string | undefined => typeString(record(node["underlyingType"]))

/** Returns the names of an enum's members, in order. */
export const members = (node: SyntaxNode): ReadonlyArray<string> =>
  list(node["members"]).map((member) => String(member["name"]))

/** Returns the full text that the compiler writes for a type's name in the source. */
export const typeString = (typeName: SyntaxNode): string | undefined => {
  const text = record(typeName["typeDescriptions"])["typeString"]
  return typeof text === "string" ? text : undefined
}

/** Returns the id of a struct's namespace, if its documentation names one: `@custom:storage-location erc7201:<id>`. */
export const namespace = (struct: SyntaxNode): string | undefined => {
  const documentation = struct["documentation"]
  const text = typeof documentation === "string" ? documentation : record(documentation)["text"]
  return typeof text === "string" ? /@custom:storage-location\s+erc7201:(\S+)/.exec(text)?.[1] : undefined
}

/** Returns an object as a node, and any other value as an empty node. */
export const record = (value: unknown): SyntaxNode =>
  typeof value === "object" && value !== null ? (value as SyntaxNode) : {}

/** Returns the objects of a list; any other value gives an empty list. */
export const list = (value: unknown): ReadonlyArray<SyntaxNode> => (Array.isArray(value) ? value.map(record) : [])

export const mismatch = (detail: string): LayoutError =>
  new LayoutError({ reason: "WrongAst", detail: `the syntax tree is not that of the layout: ${detail}` })
