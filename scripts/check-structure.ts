/**
 * Checks the rooms of every package and app: the folders below `src`. It reads the imports of each file with a parser,
 * types included, and fails on
 *
 * - a circle of imports between files,
 * - a circle of arrows between rooms, and an arrow from a room up to a file of the root that composes rooms,
 * - a prefix that three files of a folder share: these files belong in a folder of that name,
 * - a file that does not begin with the comment of its module.
 *
 * Each fault is one line; the figures follow. `--figures` prints the figures alone.
 *
 * A folder `internal` is not a room: its files belong to the folder around it.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { parseSync, Visitor } from "oxc-parser"

import { root } from "./workspace.ts"

/** A folder below `src`, a prefix that its files may share, and why. */
type Allowed = readonly [folder: string, prefix: string, reason: string]

/** Prefixes that name a public namespace, not a folder. Keep it short. */
const ALLOWED: ReadonlyArray<Allowed> = [
  [
    "packages/gateway/src/cards",
    "billing",
    "BillingCard, BillingCards and BillingEvents are namespaces of the package's index, where Card alone says too little"
  ],
  [
    "packages/eth-methods/src/model",
    "storage",
    "StorageKey, StorageValues and StorageWord are namespaces for three things of the protocol, and Key, Values, Word are not"
  ]
]

/**
 * The files of one `src` folder, by their paths below it. Each has the files it imports, and whether it begins with its
 * module comment.
 */
export interface Sources {
  /** The folder, from the root of the repository: `packages/codec/src`. */
  readonly folder: string
  readonly files: ReadonlyMap<string, Source>
}

interface Source {
  /** The files of the same folder that this file imports or re-exports, values and types. */
  readonly imports: ReadonlySet<string>
  /** True if the file begins with a doc comment that belongs to the module and not to its first declaration. */
  readonly isExplained: boolean
}

/** Returns every specifier that a file names: imports, re-exports, `import()` in code and in types. */
export const specifiersOf = (file: string, text: string): ReadonlySet<string> => {
  const { errors, module, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found = new Set<string>()
  for (const { moduleRequest } of module.staticImports) found.add(moduleRequest.value)
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest !== null) found.add(moduleRequest.value)
  new Visitor({
    ImportExpression: ({ source }) => {
      if (source.type === "Literal" && typeof source.value === "string") found.add(source.value)
    },
    TSImportType: ({ source }) => {
      found.add(source.value)
    }
  }).visit(program)
  return found
}

/**
 * Returns true if the file begins with a doc comment, and an empty line, an import or a re-export follows it. A doc
 * comment directly above a declaration explains the declaration.
 */
export const isExplained = (text: string): boolean => {
  const [comment] = /^\/\*\*(?:[^*]|\*(?!\/))*\*\//u.exec(text) ?? []
  if (comment === undefined) return false
  const rest = text.slice(comment.length)
  return (
    /^\s*$/u.test(rest) ||
    rest.startsWith("\n\n") ||
    /^\n(?:import\b|export (?:type )?(?:\*|\{[^}]*\} from))/u.test(rest)
  )
}

/** Reads a `src` folder below `from`. */
export const read = (from: string, folder: string): Sources => {
  const files = globSync("**/*.{ts,tsx}", { cwd: path.join(from, folder) }).sort()
  const known = new Set(files)
  return {
    folder,
    files: new Map(
      files.map((file) => {
        const text = readFileSync(path.join(from, folder, file), "utf8")
        const imports = [...specifiersOf(file, text)]
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => path.posix.join(path.posix.dirname(file), specifier))
        return [file, { imports: new Set(imports.filter((each) => known.has(each))), isExplained: isExplained(text) }]
      })
    )
  }
}

/** For each node, the nodes to which it has an arrow. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the sets of nodes that reach each other, each with more than one node (Tarjan). */
export const knots = (graph: Graph): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: Array<string> = []
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.get(node)!)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) {
        visit(next)
        low.set(node, Math.min(low.get(node)!, low.get(next)!))
      } else if (stack.includes(next)) low.set(node, Math.min(low.get(node)!, index.get(next)!))
    }
    if (low.get(node) !== index.get(node)) return
    const knot = stack.splice(stack.indexOf(node))
    if (knot.length > 1) found.push(knot.sort())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return found
}

/**
 * Returns the circles of a knot. Each arrow of the knot is in one: the circle of the arrow and the shortest path from
 * its end back to its start. Each circle is listed once, and begins with its alphabetically first node.
 */
const ways = (graph: Graph, knot: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const from of knot) {
    for (const to of graph.get(from)!) {
      if (!knot.includes(to)) continue
      const way = shortest(graph, to, from)!
      const first = way.indexOf([...way].sort()[0]!)
      const circle = [...way.slice(first), ...way.slice(0, first)]
      found.set(circle.join(" "), circle)
    }
  }
  return [...found.values()]
}

const drawn = (circle: ReadonlyArray<string>): string => [...circle, circle[0]].join(" -> ")

/** Returns the nodes of a shortest path, including its first and last node. */
const shortest = (graph: Graph, from: string, to: string): ReadonlyArray<string> | undefined => {
  const before = new Map<string, string | undefined>([[from, undefined]])
  for (const node of before.keys()) {
    if (node === to) {
      const way: Array<string> = []
      for (let at: string | undefined = to; at !== undefined; at = before.get(at)) way.unshift(at)
      return way
    }
    for (const next of graph.get(node) ?? []) if (!before.has(next)) before.set(next, node)
  }
  return undefined
}

/** Returns the room of a file: its folder, without folders named `internal`. The root is the empty text. */
const roomOf = (file: string): string =>
  file
    .split("/")
    .slice(0, -1)
    .filter((folder) => folder !== "internal")
    .join("/")

/** True if `room` is `folder` or below it; everything is below the root. */
const isIn = (room: string, folder: string): boolean =>
  folder === "" || room === folder || room.startsWith(`${folder}/`)

/** One level of the tree: the rooms directly in a folder, and the folder's own files, each a node. */
interface Level {
  readonly folder: string
  readonly graph: Graph
  /** For each arrow `from to`, one import that makes it. */
  readonly why: ReadonlyMap<string, string>
}

/**
 * Returns the node of a file in a level: the room directly below the level's folder, with a slash, or the file itself.
 */
const nodeIn = (folder: string, file: string): string => {
  const room = roomOf(file)
  if (room === folder) return file
  const next = room.slice(folder === "" ? 0 : folder.length + 1).split("/")[0]!
  return `${folder === "" ? "" : `${folder}/`}${next}/`
}

const levels = ({ files }: Sources): ReadonlyArray<Level> => {
  const folders = new Set([""])
  for (const file of files.keys()) {
    const parts = roomOf(file).split("/")
    for (let end = 1; end <= parts.length; end++) folders.add(parts.slice(0, end).join("/"))
  }
  return [...folders].sort().map((folder) => {
    const graph = new Map<string, Set<string>>()
    const why = new Map<string, string>()
    for (const [file, { imports }] of files) {
      if (!isIn(roomOf(file), folder)) continue
      const from = nodeIn(folder, file)
      if (!graph.has(from)) graph.set(from, new Set())
      for (const imported of imports) {
        if (!isIn(roomOf(imported), folder)) continue
        const to = nodeIn(folder, imported)
        if (to === from) continue
        graph.get(from)!.add(to)
        if (!why.has(`${from} ${to}`)) why.set(`${from} ${to}`, `${file} imports ${imported}`)
      }
    }
    return { folder, graph, why }
  })
}

const isRoom = (node: string): boolean => node.endsWith("/")

/** The words of a camelCase or PascalCase name, in lower case; a run of capitals is one word. */
const wordsOf = (name: string): ReadonlyArray<string> =>
  (name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[A-Z]/gu) ?? []).map((word) => word.toLowerCase())

/**
 * Returns the prefixes that three files of one folder share.
 *
 * `XError` beside `X` does not count: the errors of a module are a module of their own, because bundlers keep classes.
 * A public module may repeat the name of a folder around it or of the package, because programs use the module's name
 * alone, as a namespace. A private file must drop the word.
 */
const prefixes = ({ files, folder: src }: Sources): ReadonlyArray<Shared> => {
  const byFolder = new Map<string, Array<string>>()
  for (const file of files.keys()) {
    const folder = path.posix.dirname(file)
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), path.posix.basename(file).replace(/\.tsx?$/u, "")])
  }
  const packageWords = path.posix.basename(path.posix.dirname(src)).split("-")
  return [...byFolder].flatMap(([folder, names]) => {
    const said = [...folder.split("/"), ...packageWords]
    const sharing = new Map<string, Array<string>>()
    for (const name of names) {
      const [prefix] = wordsOf(name)
      if (prefix === undefined || prefix.length < 3 || isErrorOf(name, names)) continue
      if (/^[A-Z]/u.test(name) && said.some((word) => repeats(name, prefix, word))) continue
      sharing.set(prefix, [...(sharing.get(prefix) ?? []), name])
    }
    return [...sharing]
      .filter(([, shared]) => shared.length >= 3)
      .map(([prefix, shared]) => ({ folder, prefix, names: shared }))
  })
}

interface Shared {
  readonly folder: string
  readonly prefix: string
  readonly names: ReadonlyArray<string>
}

const isErrorOf = (name: string, names: ReadonlyArray<string>): boolean =>
  name.endsWith("Error") && names.includes(name.slice(0, -"Error".length))

/**
 * True if the name begins with the word. The name may have it in the singular or in the plural, and may divide it into
 * two words (`jsonrpc`, `JsonRpc`).
 */
const repeats = (name: string, prefix: string, word: string): boolean => {
  const one = word.toLowerCase().replaceAll("-", "").replace(/s$/u, "")
  return (
    prefix === one ||
    prefix === `${one}s` ||
    (one.length > 2 && name.toLowerCase().startsWith(one) && one.startsWith(prefix))
  )
}

/** The figures of a package. */
export interface Figures {
  readonly folder: string
  readonly files: number
  /** The number of files of each room; `.` is the root. */
  readonly rooms: ReadonlyMap<string, number>
  readonly imports: number
  /**
   * The number of arrows from folder to folder. Arrows from `index.ts`, which only lists the public modules, are left
   * out.
   */
  readonly arrows: number
  /** The number of arrows between folders that have arrows in both directions. */
  readonly twoWay: number
  /** The number of arrows between rooms of the same level, as the check counts them. */
  readonly roomArrows: number
  readonly roomTwoWay: number
  /** The number of groups of files that import each other in a circle. */
  readonly circles: number
}

/** Returns the faults of a `src` folder, each one line, and its figures. */
export const check = (
  sources: Sources,
  allowed: ReadonlyArray<Allowed> = ALLOWED
): { readonly faults: ReadonlyArray<string>; readonly figures: Figures } => {
  const { files, folder: src } = sources
  const faults: Array<string> = []
  const graph: Graph = new Map([...files].map(([file, { imports }]) => [file, imports]))

  const found = knots(graph)
  for (const knot of found) faults.push(`${src}: circle: ${ways(graph, knot).map(drawn).join("; ")}`)

  const between: Array<string> = []
  for (const { folder, graph, why } of levels(sources)) {
    for (const arrow of why.keys()) if (arrow.split(" ").every(isRoom)) between.push(arrow)
    for (const knot of knots(graph)) {
      // a circle that contains only files is already reported
      if (!knot.some(isRoom)) continue
      const drawings = ways(graph, knot).map((circle) => {
        const imports = circle.map((from, at) => why.get(`${from} ${circle[(at + 1) % circle.length]!}`)!)
        return `${drawn(circle)} (${imports.join("; ")})`
      })
      faults.push(`${src}: arrows in a circle: ${drawings.join("; ")}`)
    }
    if (folder !== "") continue
    for (const [from, to] of upward(graph)) {
      faults.push(`${src}: a room imports a file that composes rooms: ${from} -> ${to} (${why.get(`${from} ${to}`)!})`)
    }
  }

  for (const { folder, names, prefix } of prefixes(sources)) {
    const place = path.posix.join(src, folder)
    if (allowed.some(([where, what]) => where === place && what === prefix)) continue
    faults.push(`${place}: ${names.length} files share the prefix "${prefix}": ${names.join(", ")}`)
  }

  for (const [file, { isExplained }] of files)
    if (!isExplained) faults.push(`${src}/${file}: does not begin with the comment of the module`)

  const rooms = new Map<string, number>()
  const arrows = new Set<string>()
  for (const [file, { imports }] of files) {
    const from = path.posix.dirname(file)
    rooms.set(from, (rooms.get(from) ?? 0) + 1)
    // an index only lists the public modules
    if (file === "index.ts") continue
    for (const imported of imports) {
      const to = path.posix.dirname(imported)
      if (from !== to) arrows.add(`${from} ${to}`)
    }
  }
  return {
    faults,
    figures: {
      folder: src,
      files: files.size,
      rooms,
      imports: [...files.values()].reduce((sum, { imports }) => sum + imports.size, 0),
      arrows: arrows.size,
      twoWay: bothWays([...arrows]),
      roomArrows: between.length,
      roomTwoWay: bothWays(between),
      circles: found.length
    }
  }
}

/** Counts the arrows between nodes that have arrows in both directions. */
const bothWays = (arrows: ReadonlyArray<string>): number =>
  arrows.filter((arrow) => arrows.includes(arrow.split(" ").toReversed().join(" "))).length

/**
 * Returns the arrows from a room to a file of the root that imports rooms, directly or through other files of the root.
 */
const upward = (graph: Graph): ReadonlyArray<readonly [from: string, to: string]> => {
  const composes = (node: string, seen: ReadonlySet<string> = new Set()): boolean =>
    [...graph.get(node)!].some((to) => isRoom(to) || (!seen.has(to) && composes(to, new Set([...seen, node]))))
  return [...graph].flatMap(([from, arrows]) =>
    isRoom(from) ? [...arrows].filter((to) => !isRoom(to) && composes(to)).map((to) => [from, to] as const) : []
  )
}

/** The columns of the table. Its last line has the sum of each column; with `most`, it has the maximum instead. */
const COLUMNS: ReadonlyArray<readonly [title: string, of: (figures: Figures) => number, join?: "most"]> = [
  ["files", ({ files }) => files],
  ["folders", ({ rooms }) => rooms.size],
  ["most in one", ({ rooms }) => Math.max(...rooms.values()), "most"],
  ["imports", ({ imports }) => imports],
  ["folder arrows", ({ arrows }) => arrows],
  ["both ways", ({ twoWay }) => twoWay],
  ["room arrows", ({ roomArrows }) => roomArrows],
  ["both ways", ({ roomTwoWay }) => roomTwoWay],
  ["circles", ({ circles }) => circles]
]

const nameOf = ({ folder }: Figures): string => folder.replace(/\/src$/u, "")

/** Returns the figures as lines of a table, and the number of files of each folder. */
export const summary = (all: ReadonlyArray<Figures>): ReadonlyArray<string> => {
  const joined = COLUMNS.map(([, of, join]) => {
    const values = all.map(of)
    return join === "most" ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0)
  })
  const table = [
    ["", ...COLUMNS.map(([title]) => title)],
    ...all.map((figures) => [nameOf(figures), ...COLUMNS.map(([, of]) => String(of(figures)))]),
    ["all", ...joined.map(String)]
  ]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  const folders = (figures: Figures): string =>
    [...figures.rooms].map(([room, files]) => `${room === "." ? "src" : room} ${files}`).join(", ")
  return [
    ...table.map(([name, ...cells]) =>
      [name!.padEnd(widths[0]!), ...cells.map((cell, at) => cell.padStart(widths[at + 1]!))].join("  ")
    ),
    "",
    "files of each folder",
    ...all.map((figures) => `${nameOf(figures)}: ${folders(figures)}`)
  ]
}

/** The `src` folders of the packages and apps below `from`. */
export const sourceFolders = (from: string): ReadonlyArray<string> =>
  globSync("{packages,apps}/*/package.json", { cwd: from })
    .sort()
    .map((file) => path.join(path.dirname(file), "src"))
    .filter((folder) => existsSync(path.join(from, folder)))

if (import.meta.main) {
  const results = sourceFolders(root).map((folder) => check(read(root, folder)))
  const faults = results.flatMap(({ faults }) => faults)
  const figures = summary(results.map(({ figures }) => figures)).join("\n")
  if (process.argv.includes("--figures")) console.log(figures)
  else {
    console.log([...faults, ...(faults.length > 0 ? [""] : []), figures, "", `${faults.length} faults`].join("\n"))
    process.exitCode = faults.length > 0 ? 1 : 0
  }
}
