/**
 * Makes the files that `@plumbline/cli` publishes, in `dist/cli`: the program with everything that it imports, split so
 * that each command loads only its own part; the files that the program reads, including the console; the manual page;
 * and the licences of third-party code.
 *
 * A bundle starts in a third of the time that the modules take: fewer files are found, read and compiled.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { build } from "esbuild"

import * as ConsoleSite from "../src/console/ConsoleSite.ts"
import * as Assets from "./bundle/assets.ts"
import * as Manual from "./bundle/manual.ts"
import * as Notices from "./bundle/notices.ts"
import * as Reexports from "./bundle/reexports.ts"

const app = path.resolve(import.meta.dirname, "..")
const out = path.join(app, "dist/cli")

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

const manifest: Manifest = JSON.parse(readFileSync(path.join(app, "package.json"), "utf8"))

rmSync(out, { recursive: true, force: true })
if ((await ConsoleSite.build()) !== true) throw new Error("the console cannot be built")
const { metafile, outputFiles, warnings } = await build({
  absWorkingDir: app,
  // a thread and a worker begin at files of their own
  entryPoints: {
    plumbline: "src/main.ts",
    CallThread: "src/service/CallThread.ts",
    WorkerProcess: "src/service/WorkerProcess.ts"
  },
  outdir: path.join(out, "code"),
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22.19",
  // names are not shortened, so that the stack trace of a defect is readable
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
  // Found beside the program. Dependencies: the virtual machine, whose licence (MPL-2.0) asks more of a copy than its
  // text. Optional parts, if they are installed: programs of the machine, native code, a compiler.
  external: [...Object.keys(manifest.dependencies), ...Object.keys(manifest.optionalDependencies), "secp256k1"],
  plugins: [Assets.plugin(path.join(out, "assets")), Reexports.plugin],
  // third-party modules still call `require`
  banner: {
    js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);'
  }
})
if (warnings.length > 0) throw new Error(`esbuild warns ${warnings.length} times`)
const unnamed = Reexports.unnamed(outputFiles)
if (unnamed.length > 0) throw new Error(`names that only Node would find: ${unnamed.join(", ")}`)
for (const { path: file, text } of outputFiles) {
  mkdirSync(path.dirname(file), { recursive: true })
  const isProgram = path.basename(file) === "plumbline.js"
  writeFileSync(file, isProgram ? `#!/usr/bin/env node\n${text}` : text, { mode: isProgram ? 0o755 : 0o644 })
}
// The licences of the console's scripts are beside them (`build.license` of Vite). Its fonts are files.
const site: { readonly dependencies: object } = JSON.parse(
  readFileSync(path.join(app, "../console/package.json"), "utf8")
)
const fonts = Object.keys(site.dependencies).filter((name) => name.startsWith("@fontsource"))
const used = [...Object.keys(metafile.inputs), ...fonts.map((name) => `../console/node_modules/${name}/package.json`)]
writeFileSync(path.join(out, "THIRD-PARTY.txt"), Notices.of(used, app))
mkdirSync(path.join(out, "man"))
writeFileSync(path.join(out, "man/plumbline.1"), await Manual.page(manifest.version))
