/** Runs TypeScript 7, which has no API, on modules in a temporary folder that import this package's sources. */
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** The root of this repository. */
export const root = path.join(import.meta.dirname, "../../..")

/** The output of tsc, and its success: true if it found no error. */
export interface Outcome {
  readonly ok: boolean
  readonly text: string
}

/** Runs tsc on `files`, keyed by name; `flags` are flags of tsc such as `--extendedDiagnostics`. */
export const run = async (
  files: Readonly<Record<string, string>>,
  flags: ReadonlyArray<string> = []
): Promise<Outcome> => {
  const folder = await mkdtemp(path.join(tmpdir(), "plumbline-tsc-"))
  try {
    const config = {
      extends: path.join(root, "tsconfig.base.json"),
      compilerOptions: {
        composite: false,
        incremental: false,
        declarationMap: false,
        noEmit: true,
        allowImportingTsExtensions: true,
        paths: { "@plumbline/storage-layout/*": [path.join(import.meta.dirname, "../src/*.ts")] },
        rootDir: "/",
        typeRoots: [],
        // prints messages in the form that users see with the default setting
        noErrorTruncation: false,
        plugins: []
      },
      files: Object.keys(files)
    }
    const settings = { "package.json": `{ "type": "module" }`, "tsconfig.json": JSON.stringify(config) }
    for (const [name, text] of Object.entries({ ...files, ...settings })) {
      await writeFile(path.join(folder, name), text)
    }
    return await new Promise<Outcome>((resolve, reject) => {
      const bin = path.join(root, "node_modules/.bin/tsc")
      const args = ["-p", "tsconfig.json", "--pretty", "false", ...flags]
      execFile(bin, args, { cwd: folder, maxBuffer: 2 ** 26, timeout: 120_000 }, (error, stdout, stderr) => {
        // a number is tsc's own exit code, which means that it found errors
        if (error !== null && typeof error.code !== "number") reject(error)
        else resolve({ ok: error === null, text: stdout + stderr })
      })
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}
