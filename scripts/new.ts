/**
 * Makes a package, a command of the app, or a JSON-RPC method of eth-methods. The result passes every check without
 * changes.
 *
 *     pnpm new package receipts "Reads receipts."            runs in browsers and Node
 *     pnpm new package archive "Keeps blocks." --node        needs Node
 *     pnpm new command nonce                                 `plumbline nonce`
 *     pnpm new method eth_newThing                           model, table and client
 *
 * The files come from `scripts/templates`. Placeholders such as `__name__` and `__Module__`, in the files and in their
 * names, are replaced by the requested name. The script also writes the lines that register the new part in other
 * files, and prints the steps that are left to you.
 */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { rewrite } from "./exports.ts"
import * as Identity from "./identity.ts"
import { root, versionOf } from "./workspace.ts"

/** Every place that this script writes to. Change its path here if a file moves. A pattern must match one file. */
const PLACES = {
  templates: "scripts/templates",
  packages: "packages",
  references: ["tsconfig.json", "tsconfig.tests.json"],
  layers: "turbo.json",
  changesets: ".changeset",
  packageList: "docs/start.md",
  clientPackages: "scripts/workspace.ts",
  linter: ".oxlintrc.json",
  eth: {
    dir: "packages/eth-methods",
    table: "packages/eth-methods/src/**/EthMethods.ts",
    client: "packages/eth-methods/src/**/EthClient.ts",
    index: "packages/eth-methods/src/index.ts",
    model: "packages/eth-methods/src/**/FeeHistory.ts",
    wire: "packages/eth-methods/src/**/ethWire.ts",
    entry: "packages/eth-methods/src/**/EthMethod.ts",
    tableTest: "packages/eth-methods/test/**/EthMethods.test.ts",
    clientTest: "packages/eth-methods/test/**/EthClient.test.ts",
    exportsTest: "packages/eth-methods/test/**/exports.test.ts",
    history: "packages/devnet/src/history/historyHandlers.ts",
    conformance: "lab/conformance/test/**/exchanges.ts"
  },
  app: {
    src: "apps/plumbline/src",
    test: "apps/plumbline/test",
    readme: "apps/plumbline/README.md",
    reference: "docs/reference/commands.md",
    commands: "apps/plumbline/src/cli.ts",
    style: "apps/plumbline/src/**/Style.ts",
    text: "apps/plumbline/src/**/TerminalText.ts",
    runCli: "apps/plumbline/test/support/RunCli.ts"
  },
  browser: {
    manifest: "lab/browser/package.json",
    main: "lab/browser/src/main.ts",
    smoke: "lab/browser/src/smoke"
  }
} as const

/** The replacements of placeholders for one new part: the key `name` is for `__name__`. */
type Words = Readonly<Record<string, string>>

/** The paths that were written, from the root, and the steps that are left to do by hand. */
export interface Made {
  readonly written: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
}

const fill = (text: string, words: Words): string =>
  text.replaceAll(/__([A-Za-z]+)__/gu, (whole, word: string) => words[word] ?? whole)

/** Reads and writes files below a root, and remembers the written ones. */
const files = (from: string) => {
  const written = new Set<string>()
  const read = (file: string): string => readFileSync(path.join(from, file), "utf8")
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(from, file)), { recursive: true })
    writeFileSync(path.join(from, file), text)
    written.add(file)
  }
  return {
    written,
    read,
    write,
    /** Creates a file, and fails if it exists. */
    create: (file: string, text: string): void => {
      if (existsSync(path.join(from, file))) throw new Error(`${file} exists. Take another name, or remove it first.`)
      write(file, text)
    },
    /**
     * Inserts a line before or after the first match. Fails if there is no match.
     */
    insert: (file: string, where: "before" | "after", anchor: RegExp, line: string): void => {
      const text = read(file)
      const match = anchor.exec(text)
      if (match === null) throw new Error(`${file} has no ${String(anchor)}. Adapt scripts/new.ts.`)
      const at = where === "before" ? match.index : match.index + match[0].length
      write(file, text.slice(0, at) + line + text.slice(at))
    },
    json: (file: string, change: (value: any) => void): void => {
      const value = JSON.parse(read(file))
      change(value)
      write(file, `${JSON.stringify(value, null, 2)}\n`)
    }
  }
}

/** Copies a folder of templates. Drops the ending `.txt`, which hides the templates from checks. */
const copy = (to: ReturnType<typeof files>, templates: string, folder: string, words: Words): void => {
  for (const file of globSync("**/*.txt", { cwd: path.join(root, PLACES.templates, templates) }).sort()) {
    const text = readFileSync(path.join(root, PLACES.templates, templates, file), "utf8")
    to.create(path.posix.join(folder, fill(file.slice(0, -".txt".length), words)), fill(text, words))
  }
}

/** Returns the file that a pattern matches. Throws unless the pattern matches exactly one file. */
const find = (from: string, pattern: string): string => {
  const found = globSync(pattern, { cwd: from })
  if (found.length !== 1) throw new Error(`${pattern} matches ${found.length} files. Adapt PLACES in scripts/new.ts.`)
  return found[0]!
}

/** Returns the specifier with which one file imports another. */
const specifier = (file: string, imported: string): string => {
  const way = path.posix.relative(path.posix.dirname(file), imported)
  return way.startsWith(".") ? way : `./${way}`
}

/** Returns the name in PascalCase: `second-chain` becomes `SecondChain`. */
const pascal = (name: string): string =>
  name
    .split("-")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")

/** Makes a package below `from`. Nothing is installed or formatted yet. */
export const makePackage = (from: string, name: string, description: string, isClient: boolean): Made => {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) throw new Error(`${name} must be lower case, with hyphens.`)
  const to = files(from)
  const dir = `${PLACES.packages}/${name}`
  if (existsSync(path.join(from, dir))) throw new Error(`${dir} exists. Take another name, or remove it first.`)
  const full = `@plumbline/${name}`
  const words: Words = {
    name,
    description,
    version: versionOf(),
    Module: pascal(name),
    types: isClient ? "" : `, "compilerOptions": { "types": ["node"] }`
  }
  copy(to, "package", dir, words)
  to.write(`${dir}/package.json`, Identity.copy(rewrite(path.join(from, dir)).after, dir))
  copy(to, "changeset", PLACES.changesets, words)

  for (const file of PLACES.references)
    to.json(file, ({ references }) => {
      const apps = references.findIndex((reference: { path: string }) => !reference.path.startsWith("packages/"))
      references.splice(apps < 0 ? references.length : apps, 0, { path: dir })
    })
  to.json(PLACES.layers, ({ boundaries }) => {
    const tag = `layer:${name}`
    const { "layer:app": app, "layer:tools": tools, ...others } = boundaries.tags
    boundaries.tags = { ...others, [tag]: { dependencies: { allow: [] } }, "layer:app": app, "layer:tools": tools }
    for (const user of [app, tools]) {
      const { allow } = user.dependencies
      const end = allow.findIndex((other: string) => other === "layer:app" || other === "layer:tools")
      allow.splice(end < 0 ? allow.length : end, 0, tag)
    }
  })
  to.json(`${PLACES.changesets}/config.json`, ({ fixed }) => fixed[0].push(full))
  const row = `| \`${full}\` | ${description.replace(/\.$/u, "")} | ${isClient ? "browsers and Node" : "Node"} |\n`
  to.insert(PLACES.packageList, "after", /(?:^\| `@plumbline\/.*\n)+/mu, row)

  if (isClient) {
    to.insert(PLACES.clientPackages, "before", /(?<=clientPackages[^\]]*")\n\]/u, `,\n  "${full}"`)
    to.insert(PLACES.linter, "before", /(?<=packages\/\{[^}]*)\}\/src/u, `,${name}`)
    to.json(PLACES.browser.manifest, (manifest) => {
      manifest.devDependencies = Object.fromEntries(
        Object.entries({ ...manifest.devDependencies, [full]: "workspace:^" }).sort(([a], [b]) => (a < b ? -1 : 1))
      )
    })
    to.insert(PLACES.browser.main, "before", /(?<=const packages = \[[^\]]*")\n\]/u, `,\n  "${name}"`)
    copy(to, "browser", PLACES.browser.smoke, words)
  }
  return {
    written: [...to.written],
    left: [
      `${PLACES.layers}: allow layer:${name} to the packages that import it, and its own imports to it.`,
      `${PLACES.packageList}: the row of ${full} in its place.`
    ]
  }
}

/** Makes an Ethereum method below `from`: the model of its answer, its entry, and its lines in the table and the client. */
export const makeMethod = (from: string, method: string): Made => {
  const [, prefix, variable] = /^([a-z][a-z0-9]*)_([a-z][A-Za-z0-9]*)$/u.exec(method) ?? []
  if (prefix === undefined || variable === undefined) throw new Error(`${method} must be like eth_newThing.`)
  const to = files(from)
  const { eth } = PLACES
  const { dir, ...patterns } = eth
  const at = Object.fromEntries(Object.entries(patterns).map(([key, pattern]) => [key, find(from, pattern)])) as {
    readonly [Key in keyof typeof patterns]: string
  }
  const Module = variable.charAt(0).toUpperCase() + variable.slice(1)
  const [chain, table] = /import \* as ChainMethods from "([^"]+)"/u.exec(to.read(at.table)) ?? []
  if (chain === undefined) throw new Error(`${at.table} does not import ChainMethods. Adapt scripts/new.ts.`)

  const model = path.posix.join(path.posix.dirname(at.model), `${Module}.ts`)
  const methods = path.posix.join(path.posix.dirname(at.table), path.posix.dirname(table!), `${variable}Methods.ts`)
  const slug = method.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`).replaceAll("_", "-")
  const words: Words = {
    method,
    variable,
    Module,
    slug,
    wire: specifier(model, at.wire),
    model: specifier(methods, model),
    entry: specifier(methods, at.entry)
  }
  copy(to, "method/model", path.posix.dirname(model), words)
  copy(to, "method/methods", path.posix.dirname(methods), words)
  copy(to, "method/test", `${dir}/test${path.posix.dirname(model).slice(`${dir}/src`.length)}`, words)
  copy(to, "method/changeset", PLACES.changesets, words)

  to.insert(
    at.table,
    "after",
    /import \* as ChainMethods from .*\n/u,
    `import * as ${Module}Methods from "${specifier(at.table, methods)}"\n`
  )
  to.insert(
    at.table,
    "after",
    /export \* from ".*chainMethods\.ts"\n/u,
    `export * from "${specifier(at.table, methods)}"\n`
  )
  to.insert(at.table, "after", /MethodGroup\.make\((?:\n {2}.*)+/u, `,\n  ${Module}Methods.${method}`)
  to.insert(
    at.index,
    "after",
    /export \* as FeeHistory from .*\n/u,
    `export * as ${Module} from "${specifier(at.index, model)}"\n`
  )
  to.insert(
    at.client,
    "after",
    /import type \* as FeeHistory from .*\n/u,
    `import type * as ${Module} from "${specifier(at.client, model)}"\n`
  )
  to.insert(
    at.client,
    "after",
    / {2}readonly clientVersion: .*\n/u,
    `  /** The number of things. */\n  readonly ${variable}: EthRead<${Module}.${Module}, E>\n`
  )
  to.insert(at.history, "before", / {2}eth_call: finished/u, `  ${method}: finished,\n`)
  to.insert(at.tableTest, "before", / {2}net_version: 5,\n/u, `  ${method}: 80,\n`)
  to.insert(
    at.clientTest,
    "after",
    /\[\(eth\) => eth\.clientVersion, "web3_clientVersion", \[\]\]/u,
    `,\n        [(eth) => eth.${variable}, "${method}", []]`
  )
  to.insert(at.exportsTest, "before", / {4}"FeeHistory: FeeHistory",\n/u, `    "${Module}: ${Module}",\n`)
  to.write(
    at.exportsTest,
    sorted(to.read(at.exportsTest), /(?<="EthMethods: )[^"]*(?=")/u, " ", method).replace(
      /(?<=assert\.deepStrictEqual\(names\.toSorted\(\), \[\n)[^\]]*(?=\n {2}\])/u,
      (lines) =>
        lines
          .replace(/(?<!,)$/u, ",")
          .split("\n")
          .sort()
          .join("\n")
          .replace(/,$/u, "")
    )
  )
  to.write(
    at.conformance,
    sorted(to.read(at.conformance), /(?<=const absent = \[\n)[^\]]*(?=\n\])/u, ",\n", `  "${method}"`)
  )
  to.write(`${dir}/package.json`, rewrite(path.join(from, dir)).after)
  return {
    written: [...to.written],
    left: [
      `${methods}: the parameters, the cost and the source; ${model}: the fields.`,
      `${methods}: the trust in the answer. If it is proven, a check in the proving clients, without which they do not compile.`,
      `${at.history}: an answer of the embedded chain, where it can give one.`
    ]
  }
}

/** Inserts an item into the list that the pattern matches, and sorts it. */
const sorted = (text: string, list: RegExp, separator: string, item: string): string => {
  if (!list.test(text)) throw new Error(`no ${String(list)} is there. Adapt scripts/new.ts.`)
  return text.replace(list, (items) => [...items.split(separator), item].sort().join(separator))
}

/** Makes a command of the app below `from`: a folder with the command, its logic and its view. */
export const makeCommand = (from: string, name: string): Made => {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/u.test(name)) throw new Error(`${name} must be lower case, with hyphens.`)
  const to = files(from)
  const { app } = PLACES
  const Module = pascal(name)
  const variable = Module.charAt(0).toLowerCase() + Module.slice(1)
  const source = `${app.src}/${name}/${Module}Command.ts`
  const tested = `${app.test}/${name}/${Module}.test.ts`
  const words: Words = {
    name,
    Module,
    variable,
    style: specifier(source, find(from, app.style)),
    text: specifier(source, find(from, app.text)),
    runCli: specifier(tested, app.runCli)
  }
  copy(to, "command/src", path.posix.dirname(source), words)
  copy(to, "command/test", path.posix.dirname(tested), words)
  const loader = `${/-/u.test(name) ? `"${name}"` : name}: async () => (await import("${specifier(app.commands, source)}")).${variable}`
  to.insert(app.commands, "before", /(?<=const commands = \{[^}]*\w)\n\} as const/u, `,\n  ${loader}`)
  to.insert(app.readme, "after", /(?:^\| `plumbline .*\n)+/mu, `| \`plumbline ${name} <text>\` | measures a text |\n`)
  to.insert(
    app.reference,
    "before",
    /^## `plumbline ipfs \.\.\.`\n/mu,
    `## \`plumbline ${name} <text>\`\n\nMeasures a text.\n\n`
  )
  return {
    written: [...to.written],
    left: [
      `${source}: the arguments, flags and help; ${Module}.ts the work, ${Module}View.ts the lines for people.`,
      `${path.posix.dirname(source)}: if a topic of the app covers the command, move its files there.`,
      `${app.reference}, ${app.readme}: the words of its section and of its row.`
    ]
  }
}

/** Runs a program of the workspace, and throws if the program fails. */
const run = (command: string, ...args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`)
}

const USAGE = `usage: pnpm new package <name> <description> [--node]
       pnpm new command <name>
       pnpm new method <eth_name>`

/** Makes the requested part, and returns it with the name of the package to check with `pnpm try`. */
const make = ([kind, name, ...rest]: ReadonlyArray<string>): { readonly made: Made; readonly member: string } => {
  if (kind === "package" && name !== undefined && rest[0] !== undefined)
    return { made: makePackage(root, name, rest[0], !rest.includes("--node")), member: name }
  if (kind === "command" && name !== undefined) return { made: makeCommand(root, name), member: "plumbline" }
  if (kind === "method" && name !== undefined) return { made: makeMethod(root, name), member: "eth-methods" }
  throw new Error(USAGE)
}

if (import.meta.main) {
  try {
    const { made, member } = make(process.argv.slice(2))
    run("pnpm", "install", "--prefer-offline", "--no-frozen-lockfile")
    run("oxfmt", ...made.written)
    run(process.execPath, "scripts/size.ts", "--add")
    console.log(
      [
        "",
        "written:",
        ...made.written.map((file) => `  ${file}`),
        "",
        "left to you:",
        ...made.left.map((line) => `  ${line}`),
        "",
        `Next: pnpm try ${member}`
      ].join("\n")
    )
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 2
  }
}
