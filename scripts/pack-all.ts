/**
 * Packs every published package into one folder, with the hashes of the tarballs (`SHA256SUMS`) and their bills of
 * materials (`sbom/`). It packs the build output.
 *
 *     pnpm pack:all              builds, and packs into dist/pack
 *     pnpm pack:all <folder>     into this folder, which is emptied first
 */
import { createHash } from "node:crypto"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { pack, TARBALLS } from "./pack.ts"
import * as Sbom from "./sbom.ts"
import { command, published, root, versionOf } from "./workspace.ts"

// pnpm runs scripts in the root; a relative path is of the folder in which the user typed it
const out = path.resolve(process.env["INIT_CWD"] ?? root, process.argv[2] ?? path.join(root, "dist/pack"))
delete process.env[TARBALLS]
const work = mkdtempSync(path.join(tmpdir(), "plumbline-pack-"))
try {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(path.join(out, "sbom"), { recursive: true })
  const sums: Array<string> = []
  for (const each of published()) {
    const { content, tarball } = pack(each, work)
    const name = path.basename(tarball)
    copyFileSync(tarball, path.join(out, name))
    sums.push(`${createHash("sha256").update(readFileSync(tarball)).digest("hex")}  ${name}\n`)
    if (each.name === command.name) Sbom.write(path.join(out, "sbom"), content)
  }
  writeFileSync(path.join(out, "SHA256SUMS"), sums.join(""))
  console.log(`${sums.length} packages, version ${versionOf()}, in ${out}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
