/** Measures bundles that esbuild makes for browsers. */
import { gzipSync } from "node:zlib"

import { build } from "esbuild"

/** Bytes of a bundle. */
export interface Size {
  /** Minified. */
  readonly min: number
  /** Minified, and compressed with gzip at level 9. */
  readonly gzip: number
}

export interface Bundle extends Size {
  /** The names that the bundle exports. */
  readonly names: ReadonlyArray<string>
  readonly text: string
}

/** The modules that every program with Effect has already. */
export const EFFECT: ReadonlyArray<string> = ["effect", "effect/*"]

/** Returns the text of a module that exports what `clause` names of an entry, such as `*` or `{ make }`. */
export const exporting = (clause: string, entry: string): string => `export ${clause} from ${JSON.stringify(entry)}`

/** Bundles the text of a module. The modules in `external` are left out of the bundle. */
export const bundle = async (
  program: string,
  resolveDir: string,
  external: ReadonlyArray<string> = EFFECT
): Promise<Bundle> => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: program, resolveDir, loader: "js" },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2024",
    external: [...external],
    write: false,
    metafile: true,
    logLevel: "error"
  })
  const { contents: bytes, text } = outputFiles[0]!
  const names = Object.values(metafile.outputs)[0]!.exports
  return { min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, names, text }
}
