/** Mutants of a source: small changes, each of which some test should notice. */
import { type Node, parseSync } from "oxc-parser"

/** A change of one place in a source. */
export interface Mutation {
  readonly start: number
  readonly end: number
  readonly text: string
}

const BINARY: Readonly<Record<string, ReadonlyArray<string>>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "==": ["!="],
  "!=": ["=="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "<<": [">>"],
  ">>": ["<<"],
  "&": ["|"],
  "|": ["&"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"]
}
const ASSIGNED: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=", "*=": "/=", "|=": "&=", "??=": "=" }
const METHODS: Readonly<Record<string, string>> = {
  max: "min",
  min: "max",
  ceil: "floor",
  floor: "ceil",
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith"
}

/** The only parts of an expression of TypeScript that run. */
const RUNS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"])

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

/** Returns the nodes below a node that run: no types, no imports, no names of members. */
const childrenOf = (node: Node): ReadonlyArray<Node> => {
  if (node.type.startsWith("TS")) return RUNS.has(node.type) ? [(node as { expression: Node } & Node).expression] : []
  if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return []
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    const isName = (key === "key" || key === "property") && !(node as { computed?: boolean }).computed
    if (isName || key === "source" || key === "directive") return []
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
  })
}

/** True if an addition joins texts. Its mutant would only change a sentence. */
const isText = (node: Node): boolean =>
  (node.type === "Literal" && typeof node.value === "string") ||
  node.type === "TemplateLiteral" ||
  (node.type === "BinaryExpression" && node.operator === "+" && (isText(node.left) || isText(node.right)))

/** Returns the mutations of one node, not of those below it. */
const at = (node: Node, source: string): ReadonlyArray<Mutation> => {
  const replaced = ({ end, start }: Node, ...texts: ReadonlyArray<string>): ReadonlyArray<Mutation> =>
    texts.map((text) => ({ start, end, text }))
  const between = (
    left: Node,
    right: Node,
    operator: string,
    texts: ReadonlyArray<string>
  ): ReadonlyArray<Mutation> => {
    const start = source.indexOf(operator, left.end)
    return start === -1 || start > right.start
      ? []
      : texts.map((text) => ({ start, end: start + operator.length, text }))
  }
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return node.operator === "+" && isText(node)
        ? []
        : between(node.left, node.right, node.operator, BINARY[node.operator] ?? [])
    case "AssignmentExpression": {
      const other = ASSIGNED[node.operator]
      return other === undefined ? [] : between(node.left, node.right, node.operator, [other])
    }
    case "UpdateExpression":
      return replaced(
        node,
        source.slice(node.start, node.end).replace(node.operator, node.operator === "++" ? "--" : "++")
      )
    case "UnaryExpression":
      return node.operator === "!" ? [{ start: node.start, end: node.argument.start, text: "" }] : []
    case "Literal":
      if (typeof node.value === "boolean") return replaced(node, String(!node.value))
      if (typeof node.value === "number") return replaced(node, String(node.value + 1))
      if (typeof node.value === "bigint") return replaced(node, `${node.value + 1n}n`)
      // a text with a space is a sentence, and no test holds those to the letter
      if (typeof node.value !== "string" || node.value.includes(" ")) return []
      return replaced(node, node.value === "" ? '"mutant"' : '""')
    case "ConditionalExpression":
    case "IfStatement":
      return replaced(node.test, "true", "false")
    case "WhileStatement":
      return replaced(node.test, "false")
    case "ExpressionStatement":
      return replaced(node, ";")
    case "MemberExpression": {
      const other = node.property.type === "Identifier" && !node.computed ? METHODS[node.property.name] : undefined
      return other === undefined ? [] : replaced(node.property, other)
    }
    default:
      return []
  }
}

/** Returns all mutations of a source, from its beginning to its end. */
export const mutationsOf = (file: string, source: string): ReadonlyArray<Mutation> => {
  const { errors, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found: Array<Mutation> = []
  const visit = (node: Node): void => {
    found.push(...at(node, source))
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

/** Returns the source with a mutation. */
export const applied = (source: string, { end, start, text }: Mutation): string =>
  source.slice(0, start) + text + source.slice(end)

/** Returns the number of the line of a mutation, and the line before and after, on one line each. */
export const described = (source: string, mutation: Mutation) => {
  const from = source.lastIndexOf("\n", mutation.start - 1) + 1
  const next = source.indexOf("\n", mutation.end)
  const end = next === -1 ? source.length : next
  const flat = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()
  return {
    line: source.slice(0, mutation.start).split("\n").length,
    before: flat(source.slice(from, end)),
    after: flat(source.slice(from, mutation.start) + mutation.text + source.slice(mutation.end, end))
  }
}
