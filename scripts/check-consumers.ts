/**
 * Checks that a program that uses the packages keeps its types when it emits declarations.
 *
 * TypeScript writes out the type of each exported value that has no annotation, and imports every name in that type. If
 * only an internal module has the name, `exports` forbids this import. A program that compiles with `skipLibCheck` then
 * sees `any`. So for every package, as it would be published, this script
 *
 * 1. generates programs: one exports every public value, the result of each function and an instance of each class;
 *    each example of the README or of `docs/reference` is another program;
 * 2. emits their declarations with strict options: a type that cannot be named is an error here (TS4023, TS2742,
 *    TS7056);
 * 3. reads the declarations for imports that `exports` forbids;
 * 4. compiles a program against the declarations alone, without `skipLibCheck`. Every value must have exactly the type
 *    that it has in the package, so an `any` in place of a type fails;
 * 5. compiles the programs in `consumers`, which say what a type accepts, and with which error it refuses the rest.
 *    These programs see the modules in `consumers/declared` only through their declarations;
 * 6. checks that every layer is a function, so that a program need not look up which layers have options.
 */
import { execFileSync, spawnSync } from "node:child_process"
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { isBuiltin } from "node:module"
import * as path from "node:path"

import { examples } from "../tools/examples/plugin.ts"
import { pack } from "./pack.ts"
import { type Package, packages, root } from "./workspace.ts"

const out = path.join(root, "dist/consumers")
const tsc = path.join(root, "node_modules/.bin/tsc")

/** True for modules of Effect, which the program has already, and for modules of the platform. */
const isKnown = (specifier: string): boolean => /^(?:effect(?:\/|$)|\.\/)/u.test(specifier) || isBuiltin(specifier)

/**
 * True for members whose types other packages declare, such as the members of a `CID` of multiformats. A program that
 * uses these members installs that package too.
 */
const isOfOthers = (line: string): boolean =>
  line.includes(".members.ts") && /error TS2883: .* from '@plumbline\/[^/]+\/node_modules\/(?!@plumbline)/u.test(line)

/** True for declarations that other projects wrote, which are not checked here. */
const isForeign = (line: string): boolean => /node_modules\/(?!@plumbline\/)/u.test(line.split("(")[0]!)

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

/**
 * Unpacks a package into the program's `node_modules`, with its dependencies beside it. The workspace's own packages
 * are unpacked there too, so that no source of the workspace is read.
 */
const install = (each: Package): void => {
  const { content } = pack(each, path.join(out, "packed"))
  const place = path.join(out, "node_modules", each.name)
  mkdirSync(path.dirname(place), { recursive: true })
  renameSync(content, place)
  const manifest: Manifest = JSON.parse(readFileSync(path.join(place, "package.json"), "utf8"))
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (!name.startsWith("@plumbline/"))
      link(path.join(each.dir, "node_modules", name), path.join(place, "node_modules", name))
  }
}

/**
 * Copies a package into a real folder, as npm does. With a link, declarations would not name the package's modules by
 * the package's name.
 */
const copy = (source: string, place: string): void => {
  mkdirSync(path.dirname(place), { recursive: true })
  cpSync(realpathSync(source), place, { recursive: true })
}

const link = (target: string, place: string): void => {
  mkdirSync(path.dirname(place), { recursive: true })
  symlinkSync(target, place, "dir")
}

/** Returns the names of a module's values, read from the module itself. */
const valuesOf = (modules: ReadonlyArray<string>): ReadonlyMap<string, ReadonlyArray<Value>> => {
  const script = `
    const found = {}
    for (const name of ${JSON.stringify(modules)}) {
      const module = await import(name)
      found[name] = Object.keys(module).map((key) => [key, typeof module[key] !== "function" ? "value"
        : /^class\\b/.test(Function.prototype.toString.call(module[key])) ? "class" : "function"])
    }
    console.log(JSON.stringify(found))`
  const file = path.join(out, "values.mjs")
  writeFileSync(file, script)
  const said = execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", file], {
    cwd: out,
    encoding: "utf8"
  })
  return new Map(Object.entries(JSON.parse(said)))
}

type Value = readonly [name: string, kind: "value" | "class" | "function"]

/** A program, and the names whose types must be the same in its declarations and in a second compilation. */
interface Program {
  readonly file: string
  readonly imports: ReadonlyArray<string>
  readonly values: ReadonlyArray<readonly [name: string, expression: string]>
}

/** Makes a program that exports all values of a module, the results of its functions, and instances of its classes. */
const reexporting = (module: string, values: ReadonlyArray<Value>): Program => ({
  file: fileOf(module),
  imports: [`import * as M from ${JSON.stringify(module)}`, ...HELPERS],
  values: values.flatMap(([name, kind]): ReadonlyArray<readonly [string, string]> => {
    const value = [`v_${name}`, `M.${name}`] as const
    return kind === "value" ? [value] : [value, [`${kind}_${name}`, resultOf(name, kind)]]
  })
})

/**
 * Makes a program that exports each member of a function's result and of a class's instance separately, for all
 * functions and classes of a module. It also exports all types of the module that have no parameters. The types of
 * these exports are not compared, because the type of a method that returns `this` changes when it is written out.
 */
const dissecting = (module: string, values: ReadonlyArray<Value>): Program => {
  const declarations = `${module.replace(/^(@plumbline\/[^/]+)\//u, "$1/dist/")}.d.ts`
  const text = readFileSync(path.join(out, "node_modules", declarations), "utf8")
  const types = [...text.matchAll(/^export (?:interface|type) ([\w$]+)(?= extends | \{| =)/gmu)].map(
    ([, name]) => name!
  )
  return {
    file: `${fileOf(module)}.members`,
    imports: [
      `import * as M from ${JSON.stringify(module)}`,
      ...HELPERS,
      ...types.map((name) => `declare const ${name}: M.${name}`)
    ],
    values: [
      ...values.flatMap(([name, kind]) =>
        kind === "value" ? [] : [[`${kind}_${name}`, `members(${resultOf(name, kind)})`] as const]
      ),
      ...types.map((name) => [`type_${name}`, `members(${name})`] as const)
    ]
  }
}

const fileOf = (module: string): string => module.replace("@plumbline/", "").replaceAll("/", ".")

const resultOf = (name: string, kind: "class" | "function"): string =>
  `${kind === "class" ? "made" : "given"}(M.${name})`

/**
 * Types of a function's result and a class's instance. Some values are functions to JavaScript and not to TypeScript.
 */
const HELPERS = [
  "declare function given<R>(f: (...args: Array<never>) => R): R",
  "declare function given(value: unknown): undefined",
  "declare function made<T>(c: abstract new (...args: Array<never>) => T): T",
  "declare function made(value: unknown): undefined",
  "declare function members<T>(value: T): { readonly [K in keyof T & string]: T[K] }"
]

/** Returns the examples of a Markdown file, with all their declarations exported. */
const examplesOf = (name: string, file: string): ReadonlyArray<readonly [file: string, text: string]> =>
  examples(readFileSync(file, "utf8")).map(({ code, line }) => [
    `${name}.${line}`,
    `${code.replaceAll(/^(const|let|class|function|async function) (?=[\w${[])/gmu, "export $1 ")}\nexport {}\n`
  ])

/** The examples of the packages' README files, and those of the reference. */
const examplesOfDocs = (): ReadonlyArray<readonly [file: string, text: string]> => [
  ...all.flatMap(({ dir, name }) =>
    examplesOf(`${name.replace("@plumbline/", "")}.README`, path.join(dir, "README.md"))
  ),
  ...globSync("docs/reference/*.md", { cwd: root })
    .sort()
    .flatMap((file) => examplesOf(`reference.${path.basename(file, ".md")}`, path.join(root, file)))
]

const write = (file: string, ...lines: ReadonlyArray<string>): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${lines.join("\n")}\n`)
}

const tsconfig = (options: object) =>
  JSON.stringify({
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "esnext.disposable", "dom", "dom.iterable", "dom.asynciterable"],
      types: ["node"],
      noErrorTruncation: true,
      ...options
    },
    include: ["*.ts"]
  })

/** Returns the errors of the compiler, without colours; none if it accepts the program. */
const compile = (folder: string): ReadonlyArray<string> => {
  const { status, stdout } = spawnSync(tsc, ["-p", folder, "--pretty", "false"], {
    cwd: out,
    encoding: "utf8",
    maxBuffer: 2 ** 28
  })
  return status === 0 ? [] : stdout.split("\n").filter((line) => /error TS\d+/u.test(line))
}

rmSync(out, { recursive: true, force: true })
const all = packages()
for (const each of all) install(each)
copy(path.join(root, "node_modules/effect"), path.join(out, "node_modules/effect"))
link(path.join(root, "node_modules/@types/node"), path.join(out, "node_modules/@types/node"))
// an example of the reference passes the pool to this library
link(path.join(root, "packages/devnet/node_modules/starknet"), path.join(out, "node_modules/starknet"))
writeFileSync(path.join(out, "package.json"), JSON.stringify({ private: true, type: "module" }))

/** True if a program may import this specifier. */
const mayImport = (specifier: string): boolean => {
  const [, name, module] = /^(@plumbline\/[^/]+)(?:\/(.*))?$/u.exec(specifier) ?? []
  const found = all.find((each) => each.name === name)
  return found !== undefined && (module === undefined || found.modules.includes(module))
}

/** Programs as users write them: a client and its layers in a separate module. */
const usual: ReadonlyArray<readonly [file: string, text: string]> = [
  [
    "usual.clients",
    `import { EthClient, EthMethods, VerdictEthClient, TrustedBlock } from "@plumbline/eth-methods"
import { IpfsApi, IpfsClient } from "@plumbline/ipfs-client"
import { HttpTransport, JsonRpcClient, PromiseClient } from "@plumbline/jsonrpc-core"
import { Starknet } from "@plumbline/second-chain-methods"
import * as Layer from "effect/Layer"

const url = "https://node.example/v3/key"
export const client = PromiseClient.create({ url, group: EthMethods.group })
export const second = PromiseClient.create({ url, group: Starknet.group })
export const { methods, until } = client
export const block = () => client.methods.eth_getBlockByNumber("latest", true)
export const typed = JsonRpcClient.make(EthMethods.group)
export const eth = EthClient.layer().pipe(Layer.provide(HttpTransport.layer({ url })))
export const proven = VerdictEthClient.layer().pipe(
  Layer.provide([HttpTransport.layer({ url }), TrustedBlock.layerNone()])
)
export const ipfs = IpfsClient.make({ url })
export const { add, ls } = IpfsApi.commands
`
  ]
]

const modules = all.flatMap(({ modules, name }) => modules.map((module) => `${name}/${module}`))
const valuesIn = [...valuesOf(modules)]
const programs = valuesIn.map(([module, values]) => reexporting(module, values))
const dissections = valuesIn.map(([module, values]) => dissecting(module, values))
const emitted = path.join(out, "emitted")
for (const { file, imports, values } of [...programs, ...dissections]) {
  write(
    path.join(out, "programs", `${file}.ts`),
    ...imports,
    ...values.map(([name, expression]) => `export const ${name} = ${expression}`),
    "export {}"
  )
}
for (const [file, text] of [...examplesOfDocs(), ...usual]) write(path.join(out, "programs", `${file}.ts`), text)
const told = path.join(import.meta.dirname, "consumers")
const declared = globSync("declared/*.ts", { cwd: told })
for (const file of declared) {
  const text = readFileSync(path.join(told, file), "utf8")
  write(path.join(out, "programs", `declared.${path.basename(file)}`), text)
}
writeFileSync(
  path.join(out, "programs/tsconfig.json"),
  tsconfig({ declaration: true, emitDeclarationOnly: true, skipLibCheck: true, outDir: emitted })
)
const problems = compile("programs").filter((line) => !isOfOthers(line))

let imports = 0
for (const file of globSync("*.d.ts", { cwd: emitted })) {
  const text = readFileSync(path.join(emitted, file), "utf8")
  const specifiers = [...text.matchAll(/(?:\bfrom |\bimport\()"([^"]+)"/gu)].map(([, specifier]) => specifier!)
  imports += specifiers.length
  const wrong = new Map<string, number>()
  for (const specifier of specifiers) {
    const isFine = specifier.startsWith("@plumbline/") ? mayImport(specifier) : isKnown(specifier)
    if (!isFine) wrong.set(specifier, (wrong.get(specifier) ?? 0) + 1)
  }
  for (const [specifier, times] of wrong) problems.push(`${file} imports ${specifier} (${times} times)`)
}

/**
 * Functions whose result is computed from the fields that they get. Without fields, TypeScript finds the written-out
 * computation assignable to the original in both directions, but not identical.
 */
const BY_FIELDS: ReadonlySet<string> = new Set(["M.object", "M.objectIf"])

for (const { file, imports, values } of programs) {
  write(
    path.join(out, "against", `${file}.ts`),
    ...imports,
    `import type * as D from "../emitted/${file}.js"`,
    "type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false",
    "type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false",
    ...values.flatMap(([name, expression]) => [
      `const ${name} = ${expression}`,
      `export const same_${name}: ${BY_FIELDS.has(expression) ? "Mutual" : "Same"}<typeof D.${name}, typeof ${name}> = true`
    ])
  )
}
writeFileSync(path.join(out, "against/tsconfig.json"), tsconfig({ noEmit: true, skipLibCheck: false }))
problems.push(...compile("against").filter((line) => !isForeign(line)))

/** The errors that a program announces, as `line: message`. The announcement stands above the line. */
const announced = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line, index) => {
    const [, message] = /^\s*\/\/ error: (.*)$/u.exec(line) ?? []
    return message === undefined ? [] : [`${index + 2}: ${message}`]
  })

/** True if the message is the announced one, in which an ellipsis stands for any part. */
const fits = (message: string, announcement: string): boolean => {
  const [start, end] = announcement.split("…")
  return end === undefined ? message === start : message.startsWith(start!) && message.endsWith(end)
}

write(path.join(out, "told/tsconfig.json"), tsconfig({ noEmit: true, skipLibCheck: true }))
for (const file of declared) {
  const emission = `${path.basename(file, ".ts")}.d.ts`
  write(path.join(out, "told/declared", emission), readFileSync(path.join(emitted, `declared.${emission}`), "utf8"))
}
const tellers = globSync("*.ts", { cwd: told })
for (const file of tellers) cpSync(path.join(told, file), path.join(out, "told", file))
const refusals = compile("told")
for (const file of tellers) {
  const errors = refusals
    .filter((line) => line.startsWith(`told/${file}(`))
    .map((line) => line.replace(/^.*?\((\d+),\d+\): error TS\d+/u, "$1"))
  const expected = announced(readFileSync(path.join(told, file), "utf8"))
  for (const error of errors) {
    if (!expected.some((one) => fits(error, one))) problems.push(`${file}:${error}`)
  }
  for (const one of expected) {
    if (!errors.some((error) => fits(error, one))) problems.push(`${file}:${one}: this error is missing`)
  }
}

for (const [module, values] of valuesIn) {
  for (const [name, kind] of values) {
    if (/^layer(?![a-z])/u.test(name) && kind !== "function")
      problems.push(`${module} exports ${name}, which is no function`)
  }
}

const count = (some: ReadonlyArray<Program>): number => some.reduce((sum, each) => sum + each.values.length, 0)
console.log(
  `${count(programs)} values and ${count(dissections)} of their results and types, member by member, of ${programs.length} modules in ${all.length} packages, ${imports} imports in their declarations`
)
if (problems.length > 0) {
  console.error(problems.join("\n"))
  process.exitCode = 1
}
