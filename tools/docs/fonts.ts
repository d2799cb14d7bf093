/**
 * Copies the fonts of the site from npm packages to the folder of the style, so that no page fetches a font from
 * another site.
 */
import { copyFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"

/** Latin only, as in the console (apps/console/src/look/fonts.css). `site.css` names the same files. */
const FONTS = [
  "@fontsource-variable/ibm-plex-sans/files/ibm-plex-sans-latin-wght-normal.woff2",
  "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-400-normal.woff2",
  "@fontsource/ibm-plex-mono/files/ibm-plex-mono-latin-600-normal.woff2"
]

/** Copies the fonts into the folder of the site's style. */
export const copy = (assets: string): void => {
  const { resolve } = createRequire(import.meta.url)
  for (const font of FONTS) copyFileSync(resolve(font), path.join(assets, path.basename(font)))
}
