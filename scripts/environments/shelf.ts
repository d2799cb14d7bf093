/** A registry on loopback that holds the client packages, packed as a release packs them. */
import { readFileSync } from "node:fs"
import * as path from "node:path"

import { pack } from "../pack.ts"
import * as Registry from "../registry.ts"
import { clientPackages, packages, versionOf } from "../workspace.ts"

/** Starts the registry. `out` is an empty folder for the tarballs. */
export const start = async (out: string): Promise<Registry.Registry & { readonly version: string }> => {
  const registry = await Registry.start()
  for (const each of packages().filter(({ name }) => clientPackages.has(name))) {
    const { content, tarball } = pack(each, out)
    const manifest: Registry.Manifest = JSON.parse(readFileSync(path.join(content, "package.json"), "utf8"))
    registry.add(manifest, readFileSync(tarball))
  }
  return { ...registry, version: versionOf() }
}
