/** The versions of Node that run the command, and the words that start the command. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { promisify } from "node:util"

import { describe, expect, it } from "vitest"

import * as Invocation from "../../src/home/Invocation.ts"
import * as NodeVersion from "../../src/home/NodeVersion.ts"

describe("the version of Node", () => {
  it("is at least the one that the manifest names", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))
    expect(manifest.engines.node).toBe(`>=${NodeVersion.OLDEST.join(".")}.0`)
  })

  it.each(["22.19.0", "22.20.1", "24.0.0", "100.1.0"])("may be %s", (version) => {
    expect(NodeVersion.problem(version)).toBeUndefined()
  })

  it.each(["20.20.2", "22.18.9", "9.30.0", "18.19.0"])("may not be %s", (version) => {
    expect(NodeVersion.problem(version)).toBe(`plumbline needs Node 22.19 or newer, and this is Node ${version}`)
  })
})

describe("the words that start the command again", () => {
  it("are those of the workspace, of npx, or of an installed program", () => {
    expect(Invocation.words("/w/apps/plumbline/src/main.ts", {})).toBe("./plumbline")
    expect(Invocation.words("/w/apps/plumbline/src/main.ts", {}, "/w")).toBe("./plumbline")
    expect(Invocation.words("/w/apps/plumbline/src/main.ts", {}, "/w/apps")).toBe(path.join("/w", "plumbline"))
    expect(Invocation.words("/w/apps/plumbline/src/main.ts", { OS: "Windows_NT" })).toBe(
      "npx --yes pnpm --silent plumbline"
    )
    expect(Invocation.words("/n/dist/cli/code/plumbline.js", { npm_command: "exec" })).toBe("npx @plumbline/cli")
    expect(Invocation.words("/usr/bin/plumbline", {})).toBe("plumbline")
    expect(Invocation.words(undefined, {})).toBe("plumbline")
  })

  it.skipIf(process.platform === "win32")("work in a clone, from any folder and through a link", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "plumbline-script-"))
    const link = path.join(folder, "plumbline")
    await symlink(path.resolve(import.meta.dirname, "../../../../plumbline"), link)
    const { stdout } = await promisify(execFile)(link, ["--version"], { cwd: folder })
    expect(stdout).toMatch(/^plumbline v\d/)
    await rm(folder, { recursive: true })
  })
})
