/** Scripts take tarballs from the folder of their environment. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { expect, test } from "vitest"

import { pack, TARBALLS } from "../pack.ts"

test(
  "a package is packed for each script, or taken from the folder of the environment",
  { concurrent: false },
  ({ onTestFinished }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "plumbline-pack-"))
    const inherited = process.env[TARBALLS]
    onTestFinished(() => {
      rmSync(folder, { recursive: true })
      if (inherited === undefined) delete process.env[TARBALLS]
      else process.env[TARBALLS] = inherited
    })
    const dir = path.join(folder, "one")
    mkdirSync(dir)
    writeFileSync(
      path.join(dir, "package.json"),
      JSON.stringify({ name: "@example/one", version: "1.0.0", files: ["text"] })
    )
    /** Writes a text into the package, packs it into this folder, and returns the text that was packed. */
    const packed = (text: string, out: string) => {
      writeFileSync(path.join(dir, "text"), text)
      const { content, tarball } = pack({ dir, name: "@example/one", modules: [] }, path.join(folder, out))
      return { text: readFileSync(path.join(content, "text"), "utf8"), tarball: path.relative(folder, tarball) }
    }
    delete process.env[TARBALLS]
    expect(packed("a", "first")).toEqual({ text: "a", tarball: "first/@example-one/example-one-1.0.0.tgz" })
    const shared = path.join(folder, "shared")
    process.env[TARBALLS] = shared
    expect(() => packed("b", "second")).toThrow(`example-one-1.0.0.tgz is missing. Run: pnpm pack:all ${shared}`)
    mkdirSync(shared)
    copyFileSync(path.join(folder, "first/@example-one/example-one-1.0.0.tgz"), `${shared}/example-one-1.0.0.tgz`)
    expect(packed("c", "third")).toEqual({ text: "a", tarball: "shared/example-one-1.0.0.tgz" })
    delete process.env[TARBALLS]
    expect(packed("d", "fourth").text).toBe("d")
  }
)
