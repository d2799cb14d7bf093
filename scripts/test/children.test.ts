/** Nothing that a script starts is left when the script is asked to end. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { constants, tmpdir } from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"

import { expect, test, type TestContext } from "vitest"

import { root } from "../workspace.ts"

/** A program like npx: it starts another one, names it in `running`, and passes no signal on to it. */
const PROGRAM = `#!/bin/sh
sh -c 'echo "$1 $$" > "$0"; exec sleep 1000' "$RUNNING" $$
echo passed
`

/** A copy of the scripts whose compiler, pnpm and npx are that program. */
const copied = ({ onTestFinished }: TestContext) => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-children-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...parts: ReadonlyArray<string>) => path.join(folder, ...parts)
  mkdirSync(at("scripts"))
  for (const file of globSync("scripts/*.ts", { cwd: root })) copyFileSync(path.join(root, file), at(file))
  for (const file of ["plumbline", "tsconfig.tests.json", ".oxlintrc.json"])
    copyFileSync(path.join(root, file), at(file))
  mkdirSync(at("node_modules/.bin"), { recursive: true })
  symlinkSync(path.join(root, "node_modules/oxc-parser"), at("node_modules/oxc-parser"))
  mkdirSync(at("bin"))
  for (const file of ["node_modules/.bin/tsc", "bin/pnpm", "bin/npx"]) {
    writeFileSync(at(file), PROGRAM)
    chmodSync(at(file), 0o755)
  }
  mkdirSync(at("packages/one"), { recursive: true })
  writeFileSync(at("packages/one/package.json"), '{ "name": "@plumbline/one" }')
  writeFileSync(at("package.json"), '{ "type": "module" }')
  const running = at("running")
  execFileSync("mkfifo", [running])
  const env = {
    ...process.env,
    RUNNING: running,
    npm_execpath: at("bin/pnpm"),
    PATH: `${at("bin")}:${process.env["PATH"]}`
  }
  return { folder, running, env }
}

/** True if a process runs. One that has ended, and that its parent has not asked about yet, does not. */
const runs = (pid: string): boolean => {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" }).startsWith("Z")
  } catch {
    return false
  }
}

const node = process.execPath

/** Runs a program as the rehearsal does, and prints what it printed. */
const OUTSIDE = 'console.log(await (await import("./scripts/outside.ts")).run(".", {}, "node_modules/.bin/tsc"))'

const scripts: ReadonlyArray<readonly [name: string, command: ReadonlyArray<string>]> = [
  ["pnpm test, which compiles first", [node, "scripts/compile.ts"]],
  ["pnpm try", [node, "scripts/try.ts", "one"]],
  ["pnpm run ci", [node, "scripts/ci.ts"]],
  ["a program of the rehearsal", [node, "--input-type=module", "-e", OUTSIDE]],
  ["plumbline, which installs first", ["sh", "plumbline", "block"]]
]

for (const [name, [command, ...args]] of scripts) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const) {
    test(`${name} ends with all that it started by ${signal}`, async (context) => {
      const { env, folder, running } = copied(context)
      const child: ChildProcess = spawn(command!, args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] })
      let printed = ""
      child.stdout!.setEncoding("utf8").on("data", (piece: string) => (printed += piece))
      const [line] = await once(createInterface({ input: createReadStream(running) }), "line")
      const pids: ReadonlyArray<string> = line.split(" ")
      context.onTestFinished(() => {
        for (const pid of pids.filter(runs)) process.kill(Number(pid), "SIGKILL")
      })
      expect(pids.map(runs)).toEqual([true, true])
      const closed = once(child, "close")
      child.kill(signal)
      const [code] = await once(child, "exit")
      expect(pids.map(runs)).toEqual([false, false])
      await closed
      expect(code).toBe(128 + constants.signals[signal])
      // nothing follows what was ended
      expect(printed).not.toMatch(/passed/u)
    })
  }
}

test("a signal also ends what a program that has ended left running", async ({ onTestFinished }) => {
  const program = `
    const { start } = await import(${JSON.stringify(path.join(root, "scripts/children.ts"))})
    const left = start("sh", ["-c", "sleep 1000 & echo $!"], { stdio: ["ignore", "pipe", "ignore"] })
    left.stdout.on("data", (pid) => left.once("exit", () => console.log(String(pid).trim())))
    if (left.exitCode !== null) throw new Error("too early")
  `
  const child = spawn(node, ["--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] })
  const [pid] = await once(createInterface({ input: child.stdout }), "line")
  onTestFinished(() => {
    if (runs(pid)) process.kill(Number(pid), "SIGKILL")
  })
  expect(runs(pid)).toBe(true)
  child.kill("SIGTERM")
  const [code] = await once(child, "exit")
  expect([code, runs(pid)]).toEqual([143, false])
})

test("plumbline ends by a signal before the installation where ps and awk are missing", async (context) => {
  const { env, folder, running } = copied(context)
  for (const program of ["sh", "dirname", "readlink", "cmp", "sleep"]) {
    const found = execFileSync("sh", ["-c", 'command -v "$0"', program], { encoding: "utf8" }).trim()
    symlinkSync(found, path.join(folder, "bin", program))
  }
  const child = spawn("/bin/sh", ["plumbline", "block"], {
    cwd: folder,
    env: { ...env, PATH: path.join(folder, "bin") },
    stdio: ["ignore", "ignore", "pipe"]
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (said += piece))
  const [line] = await once(createInterface({ input: createReadStream(running) }), "line")
  const pids: ReadonlyArray<string> = line.split(" ")
  context.onTestFinished(() => {
    for (const pid of pids.filter(runs)) process.kill(Number(pid), "SIGKILL")
  })
  child.kill("SIGTERM")
  const [code] = await once(child, "exit")
  expect({ code, said, npx: runs(pids[0]!) }).toEqual({ code: 143, said: "", npx: false })
})

test("pnpm try runs the other steps if the program of one is missing", (context) => {
  const { env, folder } = copied(context)
  writeFileSync(path.join(folder, "node_modules/.bin/tsc"), "#!/bin/sh\n")
  const { status, stderr, stdout } = spawnSync(node, ["scripts/try.ts", "one"], { cwd: folder, env, encoding: "utf8" })
  expect(
    stdout
      .replaceAll(/ +[\d.]+ s/gu, "")
      .trimEnd()
      .split("\n")
  ).toEqual(["ok    types", "FAIL  lint", "FAIL  format", "FAIL  tests", "@plumbline/one:, 3 failed"])
  for (const program of ["oxlint", "oxfmt", "vitest"]) expect(stderr).toContain(`/.bin/${program} ENOENT`)
  expect(status).toBe(1)
})
