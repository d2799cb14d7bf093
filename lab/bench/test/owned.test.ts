/** Checks that the bench's processes and folders are removed when a signal ends the bench. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { createInterface } from "node:readline"

import { assert, describe, it } from "vitest"

const program = `
  import { spawn } from "node:child_process"
  import { folder, owned } from ${JSON.stringify(new URL("../src/measure/owned.ts", import.meta.url).href)}
  const home = folder("bench-test")
  const child = owned(spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" }))
  console.log(JSON.stringify({ folder: home.path, pid: child.pid }))
  setInterval(() => {}, 1000)
`

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe("a bench that a signal ends", () => {
  it.each(["SIGTERM", "SIGINT"] as const)("leaves no process and no folder: %s", async (signal) => {
    const bench = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const [line] = (await once(createInterface(bench.stdout), "line")) as [string]
    const { folder, pid } = JSON.parse(line) as { readonly folder: string; readonly pid: number }
    assert.isTrue(existsSync(folder))
    assert.isTrue(runs(pid))
    bench.kill(signal)
    const [code] = await once(bench, "exit")
    assert.strictEqual(code, signal === "SIGTERM" ? 143 : 130)
    assert.isFalse(existsSync(folder))
    for (let wait = 0; runs(pid) && wait < 100; wait++) await new Promise((resolve) => setTimeout(resolve, 50))
    assert.isFalse(runs(pid))
  })
})
