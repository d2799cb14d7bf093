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
}

/** The modules that every program with Effect has already. */
export const EFFECT: ReadonlyArray<string> = ["effect", "effect/*"]

/**
 * Bundles the exports of an entry that `clause` names, such as `*` or `{ make }`. The modules in `external` are left
 * out of the bundle.
 */
export const bundle = async (
  clause: string,
  entry: string,
  resolveDir: string,
  external: ReadonlyArray<string> = EFFECT
): Promise<Bundle> => {
  const { metafile, outputFiles } = await build({
    stdin: { contents: `export ${clause} from ${JSON.stringify(entry)}`, resolveDir, loader: "js" },
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
  const bytes = outputFiles[0]!.contents
  const names = Object.values(metafile.outputs)[0]!.exports
  return { min: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, names }
}
