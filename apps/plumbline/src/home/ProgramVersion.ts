import { readFileSync } from "node:fs"

/** Returns the version in the manifest of the package. */
export const read = (): string => {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  )
  return manifest.version
}
