/** `plumbline layout`: the places in the module are the same as solc's. */
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

import { describe, expect, it } from "@effect/vitest"
import { Layout, Location } from "@plumbline/storage-layout"
import { Result } from "effect"

import * as Children from "../support/Children.ts"
import * as Places from "../support/Places.ts"
import * as RunCli from "../support/RunCli.ts"

const devnet = Places.DEVNET
const source = path.join(devnet, "contracts/Cabinet.sol")
const json = path.join(devnet, "state/layouts/Cabinet.json")

const load = async (file: string) => (await import(/* @vite-ignore */ pathToFileURL(file).href)).layout

describe("plumbline layout", () => {
  it("writes where solc puts every variable, with the names of enums' members", async () => {
    await using folder = await Children.folder()
    const output = path.join(folder.path, "Cabinet.ts")
    const run = await RunCli.json(["layout", source, "-o", output])
    const { storage, types } = JSON.parse(await readFile(json, "utf8"))
    expect(run).toEqual({
      exitCode: 0,
      answer: {
        file: output,
        contract: "Cabinet.sol:Cabinet",
        variables: storage.length,
        namespaces: 0,
        types: Object.keys(types).length
      }
    })
    const written = await load(output)
    expect(written.storage).toMatchObject(storage.map(({ label, offset, slot }: any) => ({ label, offset, slot })))
    const layout = Result.getOrThrow(Layout.fromSolc(written))
    const { type } = Result.getOrThrow(Location.locate(layout, "phase"))
    expect(type).toMatchObject({ _tag: "Enum", members: ["Draft", "Open", "Closed"] })
  })

  it("writes the same wherever the sources are, and nothing of where that is", async () => {
    await using temporary = await Children.folder()
    const folder = temporary.path
    await mkdir(path.join(folder, "elsewhere"))
    const moved = path.join(folder, "elsewhere/Cabinet.sol")
    await cp(source, moved)
    const texts: Array<string> = []
    for (const [i, file] of [source, moved, source].entries()) {
      const output = path.join(folder, `${i}.ts`)
      expect((await RunCli.run(["layout", file, "-o", output])).exitCode).toBe(0)
      texts.push(await readFile(output, "utf8"))
    }
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).not.toContain(folder)
    expect(texts[0]).toContain(`contract: "Cabinet.sol:Cabinet"`)
  })

  it("tells people what it wrote", async () => {
    await using folder = await Children.folder()
    const output = path.join(folder.path, "Cabinet.ts")
    const { exitCode, stderr, stdout } = await RunCli.run(["layout", json, "-o", output])
    expect({ exitCode, stderr, stdout: stdout.replace(output, "Cabinet.ts") }).toEqual({
      exitCode: 0,
      stderr: "",
      stdout: "Cabinet.ts: contracts/Cabinet.sol:Cabinet, 25 variables, 36 types\n"
    })
  })

  it("replaces what it wrote, and nothing else without --force", async () => {
    await using temporary = await Children.folder()
    const folder = temporary.path
    const output = path.join(folder, "Cabinet.ts")
    for (const _ of [1, 2]) expect((await RunCli.run(["layout", json, "-o", output])).exitCode).toBe(0)
    for (const text of ["", "// mine\n", await readFile(source, "utf8")]) {
      await writeFile(output, text)
      const refused = await RunCli.json(["layout", json, "-o", output])
      expect(refused.exitCode).toBe(1)
      expect(refused.answer.error).toMatchObject({ tag: "AlreadyExistsError", path: output })
      expect(await readFile(output, "utf8")).toBe(text)
    }
    expect((await RunCli.run(["layout", json, "-o", output, "--force"])).exitCode).toBe(0)
    expect((await load(output)).contract).toBe("contracts/Cabinet.sol:Cabinet")
    expect(await readdir(folder)).toEqual(["Cabinet.ts"])
  })

  it("says why it cannot", async () => {
    await using temporary = await Children.folder()
    const folder = temporary.path
    const broken = path.join(folder, "Broken.sol")
    await writeFile(broken, "contract Broken { uint total }")
    const several = path.join(folder, "Several.sol")
    await writeFile(several, "pragma solidity ^0.8.0; contract A { uint8 a; } contract B { bool b; }")
    const output = path.join(folder, "out.ts")
    const errorOf = async (...args: ReadonlyArray<string>) => {
      const { answer, exitCode } = await RunCli.json(["layout", ...args])
      expect(exitCode).toBe(1)
      return [answer.error.tag, answer.error.problem]
    }
    expect(await errorOf(broken, "-o", output)).toEqual(["LayoutFileError", "CompilerErrors"])
    expect(await errorOf(several, "-o", output)).toEqual(["LayoutFileError", "AmbiguousContract"])
    expect(await errorOf(several, "-o", output, "--contract", "C")).toEqual(["LayoutFileError", "NoContract"])
    expect(await errorOf(json, "-o", path.join(folder, "none/out.ts"))).toEqual(["DataError", "Unwritable"])
    expect(await errorOf(json, "-o", folder)).toEqual(["DataError", "Unreadable"])
    expect((await readdir(folder)).sort()).toEqual(["Broken.sol", "Several.sol"])
    expect((await RunCli.run(["layout", several, "-o", output, "--contract", "B"])).exitCode).toBe(0)
    expect((await load(output)).storage).toMatchObject([{ label: "b" }])
  })
})
