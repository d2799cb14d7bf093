/**
 * Checks the rooms of every package and app: the folders below `src`. It reads the imports of each file with a parser,
 * types included, and fails on
 *
 * - a circle of imports between files,
 * - a circle of arrows between rooms, and an arrow from a room up to a file of the root that composes rooms.
 *
 * Each fault is one line; the figures follow. `--figures` prints the figures alone.
 *
 * A folder `internal` is not a room: its files belong to the folder around it.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as path from "node:path"

import { parseSync, Visitor } from "oxc-parser"

import { root } from "./workspace.ts"

/** The files of one `src` folder, by their paths below it. */
export interface Sources {
  /** The folder, from the root of the repository: `packages/codec/src`. */
  readonly folder: string
  /** For each file, the files of the same folder that it imports or re-exports, values and types. */
  readonly files: Graph
}

/** For each node, the nodes to which it has an arrow. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>

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
        return [file, new Set(imports.filter((each) => known.has(each)))]
      })
    )
  }
}

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
    for (const [file, imports] of files) {
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
export const check = (sources: Sources): { readonly faults: ReadonlyArray<string>; readonly figures: Figures } => {
  const { files, folder: src } = sources
  const faults: Array<string> = []

  const found = knots(files)
  for (const knot of found) faults.push(`${src}: circle: ${ways(files, knot).map(drawn).join("; ")}`)

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

  const rooms = new Map<string, number>()
  const arrows = new Set<string>()
  for (const [file, imports] of files) {
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
      imports: [...files.values()].reduce((sum, imports) => sum + imports.size, 0),
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
