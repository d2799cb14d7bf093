/**
 * Bundles a module for the browser, and refuses every import that a browser does not have.
 *
 * esbuild itself refuses a plain `import "node:fs"`, but only warns about such an import inside `try`, and silently
 * replaces a builtin that a package's `browser` field disables. All three are errors here.
 */
import { gzipSync } from "node:zlib"

import { build, type BuildOptions, type Plugin } from "esbuild"

/** A bundle: one classic script that leaves its exports in the global `name`. */
export interface Bundle {
  readonly code: string
  /** Bytes, minified. */
  readonly min: number
  /** Bytes, minified and compressed with gzip at level 9. */
  readonly gzip: number
}

/** A module that cannot run in a browser, with the reasons. */
export class NotForBrowsers extends Error {
  readonly reasons: ReadonlyArray<string>
  constructor(reasons: ReadonlyArray<string>) {
    super(`not for browsers:\n  ${reasons.join("\n  ")}`)
    this.reasons = reasons
  }
}

/** Bundles the module whose source is `contents`; imports are resolved from the folder `resolveDir`. */
export const bundle = async (contents: string, resolveDir: string, name = "bundle"): Promise<Bundle> => {
  const result = await build({ ...options(contents, resolveDir), format: "iife", globalName: name }).catch(
    (error: unknown) => {
      throw new NotForBrowsers(messagesOf(error))
    }
  )
  const { inputs } = result.metafile
  const reasons = [
    ...result.warnings.map((warning) => warning.text),
    ...Object.keys(inputs)
      .filter((input) => input.startsWith("(disabled):"))
      .map((input) => `switched off for browsers, yet imported: ${input.slice("(disabled):".length)}`),
    ...Object.entries(inputs).flatMap(([input, { imports }]) =>
      imports.filter((entry) => entry.external === true).map((entry) => `${input} needs ${entry.path} at run time`)
    )
  ]
  if (reasons.length > 0) throw new NotForBrowsers(reasons)
  const { contents: bytes, text } = result.outputFiles[0]!
  return { code: text, min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length }
}

/**
 * Returns the bytes after gzip that a page loads at once. Modules behind `import()` are left out, because a page loads
 * them on demand.
 */
export const gzipAtStart = async (contents: string, resolveDir: string): Promise<number> => {
  const { outputFiles } = await build({ ...options(contents, resolveDir), format: "esm", plugins: [later] })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

/** Returns the size in bytes after gzip of a bundle that leaves out `effect`, because the page has loaded it already. */
export const gzipWithoutEffect = async (contents: string, resolveDir: string): Promise<number> => {
  const { outputFiles } = await build({
    ...options(contents, resolveDir),
    format: "esm",
    external: ["effect", "effect/*"]
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

const later: Plugin = {
  name: "later",
  setup: (build) => {
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined
    )
  }
}

const options = (contents: string, resolveDir: string) =>
  ({
    stdin: { contents, resolveDir, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: "browser",
    target: "es2024",
    legalComments: "none",
    logLevel: "silent"
  }) satisfies BuildOptions

interface Located {
  readonly text: string
  readonly location: { readonly file: string; readonly line: number } | null
}

const messagesOf = (error: unknown): ReadonlyArray<string> =>
  typeof error === "object" && error !== null && "errors" in error && Array.isArray(error.errors)
    ? error.errors.map(({ location, text }: Located) =>
        location === null ? text : `${location.file}:${location.line}: ${text}`
      )
    : [String(error)]
