/**
 * The files and folders that sources read beside their code: `new URL("../../state/chain.json", import.meta.url)`.
 *
 * A bundle moves the code, so the plugin copies each of them below `assets/<package>/`, beside the folder of the code,
 * and rewrites its address. The address of a source is that of a thread, which is an entry of the bundle of its own. The
 * plugin fails on any other use of `import.meta.url` as the base of a URL.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import type { Plugin } from "esbuild"

/** An address in a source, relative to the source. */
const ADDRESS = /new URL\(\s*("[^"]+"|[^,()]+),\s*import\.meta\.url\s*\)/gu

/** A file or a folder to copy: its source, and its destination below `assets`. */
export interface Asset {
  readonly file: string
  readonly place: string
}

/** Returns a source with its addresses rewritten for the bundle, and the files at these addresses. */
export const rewrite = (
  source: string,
  file: string
): { readonly source: string; readonly assets: ReadonlyArray<Asset> } => {
  const assets: Array<Asset> = []
  const rewritten = source.replaceAll(ADDRESS, (whole, address: string) => {
    if (!address.startsWith('"')) throw new Error(`${file}: ${whole} is not one fixed address`)
    const found = path.resolve(path.dirname(file), JSON.parse(address))
    if (!existsSync(found)) throw new Error(`${file}: ${found} does not exist`)
    // all code of the bundle is in one folder
    if (found.endsWith(".ts")) return `new URL("./${path.basename(found, ".ts")}.js", import.meta.url)`
    const folder = packageOf(found)
    const place = `${path.basename(folder)}/${path.relative(folder, found).replaceAll(path.sep, "/")}`
    assets.push({ file: found, place })
    return `new URL("../assets/${place}", import.meta.url)`
  })
  return { source: rewritten, assets }
}

/**
 * Returns a manifest with only the name and version of a package. Node would apply the other fields of the manifest to
 * the program.
 */
const nameOf = (file: string): string => {
  const { name, version }: { readonly name: string; readonly version: string } = JSON.parse(readFileSync(file, "utf8"))
  return `${JSON.stringify({ name, version })}\n`
}

/** Returns the folder of the package that a file belongs to. */
const packageOf = (file: string): string => {
  const folder = path.dirname(file)
  if (folder === file) throw new Error("no package.json in any folder above")
  return existsSync(path.join(folder, "package.json")) ? folder : packageOf(folder)
}

/** Copies the files into `out`, and rewrites their addresses while esbuild bundles. */
export const plugin = (out: string): Plugin => ({
  name: "assets",
  setup: (build) => {
    build.onLoad({ filter: /[\\/](?:packages|apps)[\\/][^\\/]+[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const { assets, source } = rewrite(readFileSync(file, "utf8"), file)
      for (const asset of assets) {
        const target = path.join(out, asset.place)
        mkdirSync(path.dirname(target), { recursive: true })
        if (path.basename(asset.file) === "package.json") writeFileSync(target, nameOf(asset.file))
        else cpSync(asset.file, target, { recursive: true })
      }
      return { contents: source, loader: "ts" }
    })
  }
})
