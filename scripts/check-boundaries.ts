/**
 * Tests the import rules themselves. It adds forbidden and allowed imports to a copy of the repository, one after the
 * other, and fails unless the linter (or turbo) refuses every forbidden one and accepts every allowed one. Without this
 * test, a rule could stop working unnoticed: in oxlint, the last override that matches a file replaces the rule's
 * earlier options.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { clientPackages, packages, root } from "./workspace.ts"

const [client, service] = [true, false].map((isClient) =>
  packages()
    .filter(({ name }) => clientPackages.has(name) === isClient)
    .map(({ dir }) => path.basename(dir))
) as [Array<string>, Array<string>]
const imports: string = "eslint(no-restricted-imports)"
const globals: string = "eslint(no-restricted-globals)"

/** A line, and the rule that must refuse it; `undefined` if none of these rules may refuse it. */
type Planted = readonly [line: string, rule: string | undefined]

const everywhere: ReadonlyArray<Planted> = [
  [`export { Effect } from "effect"`, imports],
  [`export * from "@plumbline/verdict/prove/Proven"`, imports],
  [`export * from "@plumbline/seeded/Random"`, imports],
  [`export * from "@plumbline/verdict/Verdict"`, undefined],
  [`export * as Effect from "effect/Effect"`, undefined]
]
const inClients: ReadonlyArray<Planted> = [
  [`export * from "node:fs"`, imports],
  [`export * from "node:fs/promises"`, imports],
  [`export * from "fs"`, imports],
  [`export { posix } from "path/posix"`, imports],
  [`import type { Stats } from "node:fs"\nexport type Kept = Stats`, imports],
  [`export * from "@effect/platform-node"`, imports],
  [`export * from "@effect/platform-node/NodeRuntime"`, imports],
  [`export * from "@effect/platform-node-shared/NodeFileSystem"`, imports],
  [`export * from "undici"`, imports],
  [`export * from "ws"`, imports],
  [`export * from "ws/wrapper.mjs"`, imports],
  [`export const bytes = Buffer.alloc(1)`, globals],
  [`export const pid = process.pid`, globals],
  [`export * as Fs from "./fs.ts"`, undefined]
]
/** The rooms that may make a `Verified`. All other rules of their packages apply to them. */
const proofRooms = [
  "eth-methods/src/proof",
  "eth-methods/src/trust",
  "eth-methods/src/verified",
  "second-chain-methods/src/proof"
]
const inProofRooms: ReadonlyArray<Planted> = [
  [`export { make } from "@plumbline/verdict/prove/Proven"`, undefined],
  [`export * from "@plumbline/seeded/Random"`, imports],
  [`export { Effect } from "effect"`, imports],
  [`export { readFile } from "node:fs/promises"`, imports],
  [`export { default } from "buffer"`, imports]
]
const inServices: ReadonlyArray<Planted> = [
  [`export { readFile } from "node:fs/promises"`, undefined],
  [`export { Agent } from "undici"`, undefined]
]

const copy = mkdtempSync(path.join(tmpdir(), "plumbline-boundaries-"))
const problems: Array<string> = []
let refused = 0

/** Runs a tool of the workspace in the copy. */
const run = (
  command: string,
  ...args: ReadonlyArray<string>
): { readonly code: number | null; readonly said: string } => {
  const { status, stderr, stdout } = spawnSync(path.join(root, "node_modules/.bin", command), args, {
    cwd: copy,
    encoding: "utf8",
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", NO_COLOR: "1" }
  })
  return { code: status, said: stdout + stderr }
}

/** Copies the repository without generated files. Installed packages are those of the original. */
const copyRepository = (): void => {
  const generated = new Set([".git", ".plumbline", ".turbo", "coverage", "dist", "node_modules"])
  cpSync(root, copy, { recursive: true, filter: (source) => !generated.has(path.basename(source)) })
  const folders = ["packages", "apps", "tools", "lab"].flatMap((group) =>
    readdirSync(path.join(root, group)).map((name) => path.join(group, name))
  )
  for (const folder of ["", ...folders]) {
    const modules = path.join(root, folder, "node_modules")
    if (existsSync(modules)) symlinkSync(modules, path.join(copy, folder, "node_modules"))
  }
}

interface Diagnostic {
  readonly code: string
  readonly filename: string
}

const checkLinter = (): void => {
  const files = new Map<string, Planted>()
  const plant = (folder: string, lines: ReadonlyArray<Planted>): void =>
    lines.forEach((planted, index) => {
      const file = path.join(folder, `planted${index}.ts`)
      files.set(file, planted)
      writeFileSync(path.join(copy, file), `${planted[0]}\n`)
    })
  for (const name of client) plant(`packages/${name}/src`, [...everywhere, ...inClients])
  for (const name of service) plant(`packages/${name}/src`, [...everywhere, ...inServices])
  for (const room of proofRooms) plant(`packages/${room}`, inProofRooms)
  plant("apps/plumbline/src", everywhere)
  // the console runs in browsers, like the client packages
  plant("apps/console/src", [...everywhere, ...inClients])
  // without the rules that need types: those of this test need none, and types cost more than all other rules together
  const { options, ...rest } = JSON.parse(readFileSync(path.join(copy, ".oxlintrc.json"), "utf8"))
  writeFileSync(
    path.join(copy, ".oxlintrc.json"),
    JSON.stringify({ ...rest, options: { ...options, typeAware: false } })
  )
  const { said } = run("oxlint", "--format", "json", ...files.keys())
  const { diagnostics }: { readonly diagnostics: ReadonlyArray<Diagnostic> } = JSON.parse(said)
  for (const [file, [line, rule]] of files) {
    const codes = diagnostics.filter(({ filename }) => filename === file).map(({ code }) => code)
    const ours = codes.filter((code) => code === imports || code === globals)
    if (rule === undefined ? ours.length > 0 : !ours.includes(rule)) {
      problems.push(`${file}: ${line}\n  expected ${rule ?? "no refusal"}, got ${ours.join(", ") || "none"}`)
    } else if (rule !== undefined) refused++
    rmSync(path.join(copy, file))
  }
}

/** Plants one import in one package, declared in its manifest or not, and returns turbo's verdict. */
const boundaries = (folder: string, line: string, dependency?: string) => {
  const source = path.join(copy, folder, "src/planted.ts")
  const manifest = path.join(copy, folder, "package.json")
  const before = readFileSync(manifest, "utf8")
  writeFileSync(source, `${line}\n`)
  if (dependency !== undefined) {
    const changed = JSON.parse(before)
    changed.dependencies = { ...changed.dependencies, [dependency]: "workspace:^" }
    writeFileSync(manifest, JSON.stringify(changed))
  }
  const result = run("turbo", "boundaries")
  rmSync(source)
  writeFileSync(manifest, before)
  return result
}

const checkLayers = (): void => {
  const clean = run("turbo", "boundaries")
  if (clean.code !== 0) problems.push(`turbo boundaries refuses the repository as it is:\n${clean.said}`)
  const upward = `export * from "@plumbline/eth-methods"`
  const planted = [
    ["an upward dependency", "packages/codec", upward, "@plumbline/eth-methods"],
    [
      "a dependency between neighbours",
      "packages/jsonrpc-core",
      `export * from "@plumbline/codec"`,
      "@plumbline/codec"
    ],
    ["a package that depends on an app", "packages/gateway", `export * from "@plumbline/cli"`, "@plumbline/cli"],
    ["an app that depends on a tool", "apps/plumbline", `export * from "@plumbline/browser"`, "@plumbline/browser"],
    ["an import that no manifest declares", "packages/codec", upward, undefined],
    ["a path that leaves the package", "packages/merkle-trie", `export * from "../../codec/src/index.ts"`, undefined]
  ] as const
  for (const [what, folder, line, dependency] of planted) {
    const { code, said } = boundaries(folder, line, dependency)
    if (code === 0) problems.push(`${folder}: turbo boundaries lets ${what} through: ${line}\n${said}`)
    else refused++
  }
}

try {
  copyRepository()
  checkLinter()
  checkLayers()
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(
  [...problems, `${refused} planted faults refused as they should be, ${problems.length} problems`].join("\n")
)
process.exitCode = problems.length > 0 ? 1 : 0
